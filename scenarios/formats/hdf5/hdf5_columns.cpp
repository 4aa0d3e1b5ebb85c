#include "scenarios/formats/hdf5/hdf5_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/part/sample_format.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/sample_table.h"
#include "scenarios/storage/read_file.h"

namespace benchbench::hdf5_format {
namespace {

bool has_rows(const hdf5::Dataset& data, std::uint64_t samples) {
  const auto extents = data.extents();
  return extents == std::vector{samples} || extents == std::vector<std::uint64_t>{samples, 1};
}

// False also of what is no data set, or a link that leads elsewhere: it was not named.
bool has_numbers(const hdf5::File& file, const std::string& path, std::uint64_t samples) try {
  if (!file.has(path)) return false;
  const hdf5::Dataset data = file.dataset(path);
  return has_whole_numbers(data) && has_rows(data, samples);
} catch (const hdf5::Hdf5Error&) {
  return false;
}

std::string name_path(const Paths& paths) {
  return paths.name.empty() ? parent_group(paths.image) + kNames : paths.name;
}

// "" where there are none.
std::string find_labels(const hdf5::File& file, const Paths& paths, std::uint64_t samples) {
  if (!paths.label.empty()) return paths.label;
  const std::string group = parent_group(paths.image);
  if (file.has(group + kLabels)) return group + kLabels;
  for (const char* name : {"/label", "/y", "/targets", "/target"})
    if (has_numbers(file, group + name, samples)) return group + name;
  return {};
}

std::vector<std::int64_t> labels_in(const hdf5::File& file, const std::string& path,
                                    std::uint64_t samples) {
  if (path.empty()) return std::vector<std::int64_t>(samples, 0);
  const hdf5::Dataset data = plain_data_set(file, path);
  if (!has_whole_numbers(data))
    throw ScenarioError(fmt::format("'{}': {} must be whole numbers", file.path(), path));
  if (!has_rows(data, samples))
    throw ScenarioError(fmt::format("'{}': {} does not have one number for each of {} samples",
                                    file.path(), path, samples));
  return data.read_all<std::int64_t>();
}

}  // namespace

hdf5::Dataset plain_data_set(const hdf5::File& file, const std::string& path) {
  hdf5::Dataset data = file.dataset(path);
  data.require_plain();
  return data;
}

bool has_whole_numbers(const hdf5::Dataset& data) {
  using hdf5::Element;
  const auto element = data.element();
  return element && *element != Element::text && *element != Element::float64 &&
         *element != Element::float32;
}

std::string parent_group(const std::string& path) {
  return path.substr(0, std::min(path.rfind('/'), path.size()));
}

Paths paths_in(const hdf5::File& file, const ColumnNames& columns) {
  const auto named = [&](std::string_view column) {
    if (column.empty()) return std::string();
    std::string path = fmt::format("{}{}", column.starts_with('/') ? "" : "/", column);
    if (path.ends_with('/') || !file.has(path))
      throw ScenarioError(fmt::format("'{}': it has no data set {}; in its root are: {}",
                                      file.path(), path, listed(file.names(), 16)),
                          "a path in the file: dataset.columns: {image: train/images}");
    return path;
  };
  return {named(columns.image), named(columns.label), named(columns.name)};
}

std::vector<std::string> names_in(const hdf5::File& file, const Paths& paths,
                                  std::uint64_t samples) {
  const std::string path = name_path(paths);
  if (!file.has(path)) {
    std::vector<std::string> names;
    names.reserve(samples);
    for (std::uint64_t i = 0; i < samples; ++i) names.push_back(fmt::format("sample {}", i));
    return names;
  }
  const hdf5::Dataset data = plain_data_set(file, path);
  // Before it is read: what was never written takes no room in the file, however much of it there
  // is.
  if (data.extents() != std::vector{samples})
    throw ScenarioError(fmt::format("'{}': {} does not have one name for each of {} samples",
                                    file.path(), path, samples));
  return data.read_text();
}

Columns columns_in(const hdf5::File& file, const Paths& paths, std::uint64_t samples) {
  const std::string label_path = find_labels(file, paths, samples);
  Columns found{.labels = labels_in(file, label_path, samples),
                .names = names_in(file, paths, samples),
                .remark = label_path.empty() ? std::string(kNoLabels) : std::string()};
  for (std::size_t i = 0; i < samples; ++i) require_label(found.labels[i], i, file.path());
  add_remark(found.remark, passed_over_in(file, {paths.image, label_path, name_path(paths)}));
  return found;
}

std::string passed_over_in(const hdf5::File& file, std::initializer_list<std::string_view> used) {
  std::vector<std::string> left;
  for (const std::string& name : file.names()) {
    const std::string path = "/" + name;
    const bool is_used = std::ranges::any_of(
        used, [&](std::string_view one) { return one == path || one.starts_with(path + "/"); });
    if (!is_used) left.push_back(path);
  }
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
  if (!is_label(label))
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
