#include "scenarios/formats/hdf5_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"

namespace benchbench::hdf5_format {

std::vector<std::string> names_in(const hdf5::File& file, std::uint64_t samples) {
  std::vector<std::string> names;
  if (!file.has(kNames)) {
    names.reserve(samples);
    for (std::uint64_t i = 0; i < samples; ++i) names.push_back(fmt::format("sample {}", i));
    return names;
  }
  const hdf5::Dataset data = file.dataset(kNames);
  data.require_plain();
  names = data.read_text();
  if (names.size() != samples)
    throw ScenarioError(fmt::format("'{}': {} names of {} samples", file.path(), names.size(), samples));
  return names;
}

void require_label(std::int64_t label, std::size_t sample, const std::string& path) {
  if (label < 0 || label > 0x7FFFFFFF)
    throw ScenarioError(fmt::format("'{}': label {} of sample {}", path, label, sample), "labels count from 0");
}

void write_labels_and_names(hdf5::File& file, const std::vector<std::int64_t>& labels,
                            const std::vector<std::string>& names) {
  std::size_t longest = 1;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  file.write(kLabels, std::span<const std::int64_t>(labels));
  file.write_text(kNames, names, longest);
}

}  // namespace benchbench::hdf5_format
