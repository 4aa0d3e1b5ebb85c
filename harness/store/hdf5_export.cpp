#include "harness/store/hdf5_export.h"

#include <fmt/format.h>
#include <stdio.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/hdf5/file.h"
#include "harness/record/fields.h"
#include "harness/store/durable_file.h"
#include "harness/store/hdf5_columns.h"
#include "harness/store/series_file.h"

namespace benchbench {
namespace {

constexpr const char* kFormat = "benchbench results";

void write_column(hdf5::File& file, const std::string& group, const StoredColumn& column) {
  const std::string name = group + "/" + column.name;
  auto made = std::visit(
      [&]<class T>(const std::vector<T>& values) {
        if constexpr (std::is_same_v<T, std::string>)
          return file.write_text(name, std::span<const T>(values));
        else
          return file.write(name, std::span<const T>(values));
      },
      column.values);
  if (!column.unit.empty()) made.set_attribute("unit", column.unit);
}

// Of a probe's readings, by what its mean is told in: time grows in ns, whatever share of time that
// makes.
const char* unit_of_probe(const std::string& unit) {
  if (unit == "bytes" || unit == "bytes/s") return "bytes";
  if (unit == "count" || unit == "1/s") return "count";
  return unit == "Hz" ? "Hz" : "ns";
}

const char* unit_of(const TrialRecord& record, const std::string& series) {
  for (const ProbeFacts& probe : record.facts.probes)
    if (series == "probe_" + probe.name) return unit_of_probe(probe.unit);
  if (series == "trace") return "1";  // events of four numbers each, of which some are kinds
  return "ns";
}

void write_series(hdf5::File& file, const std::string& folder, const TrialRecord& record) {
  for (const SeriesFile& series : record.series) {
    const auto values = read_series(folder, series);
    auto made = file.write(fmt::format("/series/{}/{}", record.sequence, series.name),
                           std::span<const std::int64_t>(values));
    made.set_attribute("unit", unit_of(record, series.name));
    made.set_attribute("kept_every", static_cast<std::int64_t>(series.kept_every));
  }
}

void write_columns(hdf5::File& file, const std::string& group,
                   const std::vector<StoredColumn>& columns) {
  for (const StoredColumn& column : columns) write_column(file, group, column);
}

void write_all(const std::string& path, const std::string& folder, const Journal& journal,
               const std::vector<StoredColumn>& points) {
  hdf5::File file = hdf5::File::create(path);
  file.set_attribute("format", kFormat);
  file.set_attribute("version", std::int64_t{kRecordVersion});
  file.set_attribute("records", static_cast<std::int64_t>(journal.records.size()));
  file.write_text("/plan", to_json(journal.plan));
  if (!journal.records.empty())
    file.write_text("/environment", to_json(journal.records.front().environment));
  write_columns(file, "/points", points);
  write_columns(file, "/trials", trial_columns(journal.records));
  write_columns(file, "/settings", setting_columns(journal.records));
  for (const TrialRecord& record : journal.records) write_series(file, folder, record);
  file.close();
}

std::uint64_t series_groups(const Journal& journal) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      journal.records, [](const TrialRecord& record) { return !record.series.empty(); }));
}

// A file that cannot be read back as it was meant is not put in place.
void count_again(const std::string& path, const Journal& journal) {
  const auto file = hdf5::File::open_readonly(path, ErrorKind::store);
  const auto require = [&](std::uint64_t there, std::uint64_t wanted, std::string_view what) {
    if (there != wanted) {
      throw StoreError(fmt::format("{}: only {} of {} {} were found when it was read back", path,
                                   there, wanted, what));
    }
  };
  if (!journal.records.empty()) {
    for (const auto& name : file.names("/trials")) {
      require(file.dataset("/trials/" + name).rows(), journal.records.size(),
              "values of /trials/" + name);
    }
    require(file.dataset("/trials/sequence").read_all<std::int64_t>().back(),
            journal.records.back().sequence, "records");
  }
  const std::uint64_t groups = series_groups(journal);
  if (groups) require(file.names("/series").size(), groups, "groups of series");
}

}  // namespace

void write_hdf5(const std::string& folder, const Journal& journal,
                const std::vector<StoredColumn>& points) {
  const std::string path = fmt::format("{}/{}", folder, kHdf5File), beside = path + ".tmp";
  try {
    write_all(beside, folder, journal, points);
    count_again(beside, journal);
    DurableFile::open_append(beside).sync();
    publish(beside, path);
  } catch (...) {
    remove(beside.c_str());
    throw;
  }
}

}  // namespace benchbench
