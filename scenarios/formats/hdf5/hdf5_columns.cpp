#include "scenarios/formats/hdf5/hdf5_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/part/sample_format.h"
#include "scenarios/storage/read_file.h"

namespace benchbench::hdf5_format {

Paths paths_in(const hdf5::File& file, const ColumnNames& columns) {
  const auto named = [&](std::string_view column, std::string otherwise) {
    if (column.empty()) return otherwise;
    std::string path = fmt::format("{}{}", column.starts_with('/') ? "" : "/", column);
    if (path.ends_with('/') || !file.has(path))
      throw ScenarioError(fmt::format("'{}': it has no data set {}; in its root are: {}",
                                      file.path(), path, listed(file.names(), 16)),
                          "a path in the file: dataset.columns: {image: train/images}");
    return path;
  };
  return {.image = named(columns.image, ""),
          .label = named(columns.label, kLabels),
          .name = named(columns.name, kNames)};
}

std::vector<std::string> names_in(const hdf5::File& file, const Paths& paths,
                                  std::uint64_t samples) {
  std::vector<std::string> names;
  if (!file.has(paths.name)) {
    names.reserve(samples);
    for (std::uint64_t i = 0; i < samples; ++i) names.push_back(fmt::format("sample {}", i));
    return names;
  }
  const hdf5::Dataset data = file.dataset(paths.name);
  data.require_plain();
  // Before it is read: what was never written takes no room in the file, however much of it there
  // is.
  if (data.extents() != std::vector{samples})
    throw ScenarioError(fmt::format("'{}': {} does not have one name for each of {} samples",
                                    file.path(), paths.name, samples));
  names = data.read_text();
  return names;
}

std::string passed_over_in(const hdf5::File& file, std::initializer_list<std::string_view> used) {
  std::vector<std::string> left;
  for (const std::string& name : file.names())
    if (std::ranges::find(used, "/" + name) == used.end()) left.push_back("/" + name);
  if (left.empty()) return {};
  return fmt::format("{}{} of its root: {}", kPassedOver, counted(left.size(), "entry"),
                     listed(left, 8));
}

std::uint64_t refuse_never_written(std::uint64_t samples, const std::string& path) {
  const std::uint64_t file_bytes = ReadFile::open(path.c_str()).size();
  if (samples > std::max<std::uint64_t>(file_bytes, 1 << 20))
    throw ScenarioError(
        fmt::format("'{}': {} samples in a file of {} bytes: most were never written", path,
                    samples, file_bytes));
  return file_bytes;
}

void require_label(std::int64_t label, std::size_t sample, const std::string& path) {
  if (label < 0 || label > 0x7FFFFFFF)
    throw ScenarioError(fmt::format("'{}': label {} of sample {}", path, label, sample),
                        "labels start at 0");
}

void write_labels_and_names(hdf5::File& file, const std::vector<std::int64_t>& labels,
                            const std::vector<std::string>& names) {
  std::size_t longest = 1;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  file.write(kLabels, std::span<const std::int64_t>(labels));
  file.write_text(kNames, names, longest);
}

}  // namespace benchbench::hdf5_format
