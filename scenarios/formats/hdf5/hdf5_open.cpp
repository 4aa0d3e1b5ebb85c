#include "scenarios/formats/hdf5/hdf5_open.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "scenarios/formats/hdf5/hdf5_array_writer.h"
#include "scenarios/formats/hdf5/hdf5_encoded.h"
#include "scenarios/formats/hdf5/hdf5_tree.h"
#include "scenarios/formats/hdf5/hdf5_variable.h"

namespace benchbench::hdf5_format {
namespace {

[[noreturn]] void refuse_nothing(const hdf5::File& file, const DataSets& sets) {
  std::vector<std::string> all = sets.others;
  all.insert(all.end(), sets.bytes.begin(), sets.bytes.end());
  throw ScenarioError(
      fmt::format("'{}': no arrays or encoded images in it; {}", file.path(),
                  all.empty() ? std::string("it has no data sets")
                              : fmt::format("its data sets: {}", listed(all, kPathsToSay))),
      "expected: /data [samples, ...] or one data set of variable-length uint8, with /labels "
      "[samples]; or a data set for each image");
}

std::unique_ptr<SampleArchive> open_data(const hdf5::File& file, Layout wanted, const Paths& paths,
                                         const ColumnNames& columns) {
  if (file.dataset(paths.image).variable() == hdf5::Variable::none)
    return open_arrays(file, wanted, paths);
  if (wanted == Layout::any) return open_variable(file, paths, columns);
  throw ScenarioError(
      fmt::format("'{}': {} has elements of variable length", file.path(), paths.image),
      "use dataset.format: hdf5");
}

std::unique_ptr<SampleArchive> open_sets(const hdf5::File& file, const DataSets& sets,
                                         Layout wanted, Paths paths, const ColumnNames& columns) {
  paths.image = find_samples(file, sets);
  if (!paths.image.empty()) return open_data(file, wanted, paths, columns);
  if (wanted == Layout::any && !columns.given() && !sets.bytes.empty())
    return open_singles(file, sets);
  refuse_nothing(file, sets);
}

// Opens the samples that nobody names: encoded images of the whole file rather than arrays of its
// root, which may be their mean.
std::unique_ptr<SampleArchive> find_and_open(const hdf5::File& file, Layout wanted,
                                             const Paths& paths, const ColumnNames& columns) {
  DataSets sets = data_sets_in(file, Depth::root);
  if (sets.variable.empty()) {
    DataSets all = data_sets_in(file, Depth::all);
    const bool encoded = wanted == Layout::any && !columns.given();
    if (encoded && all.variable.empty() && has_images(file, all.bytes))
      return open_singles(file, all);
    if (sets.arrays.empty() || (encoded && !all.variable.empty())) sets = std::move(all);
  }
  return open_sets(file, sets, wanted, paths, columns);
}

// True if /data is there and no group, in which others have their samples.
bool has_data(const hdf5::File& file) {
  return file.has(kData) && std::ranges::none_of(file.entries(), [](const auto& entry) {
           return entry.group && "/" + entry.name == kData;
         });
}

std::unique_ptr<SampleArchive> opened_file(const std::string& path, Layout wanted,
                                           const ColumnNames& columns) {
  const hdf5::File file = hdf5::File::open_readonly(path, ErrorKind::scenario);
  Paths paths = paths_in(file, columns);
  if (wanted == Layout::any && is_encoded(file, paths)) return open_encoded(file, paths);
  if (paths.image.empty() && has_data(file)) paths.image = kData;
  // A root of a million images would be looked through at each opening.
  if (paths.image.empty() && wanted == Layout::any && !columns.given())
    if (auto kept = open_kept_singles(path)) return kept;
  return paths.image.empty() ? find_and_open(file, wanted, paths, columns)
                             : open_data(file, wanted, paths, columns);
}

}  // namespace

std::unique_ptr<SampleArchive> open_file(std::string_view path, Layout wanted,
                                         const ColumnNames& columns) try {
  return opened_file(std::string(path), wanted, columns);
} catch (const Error& error) {
  if (error.message().find(path) != std::string_view::npos)
    throw ScenarioError(error.message(), error.hint());
  throw ScenarioError(fmt::format("'{}': {}", path, error.message()), error.hint());
} catch (const std::bad_alloc&) {
  throw ScenarioError(fmt::format("'{}': out of memory for its labels and names", path));
} catch (const std::length_error&) {
  throw ScenarioError(fmt::format("'{}': the size of its labels or names is not plausible", path));
}

}  // namespace benchbench::hdf5_format
