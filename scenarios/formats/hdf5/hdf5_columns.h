// What our two kinds of HDF5 files share: labels and names beside the samples.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/hdf5/file.h"
#include "harness/part/loader.h"

namespace benchbench::hdf5_format {

inline constexpr const char* kLabels = "/labels";
inline constexpr const char* kNames = "/names";

// The places of samples, labels and names in a file; "" where one is not said.
struct Paths {
  std::string image, label, name;
};
// Opens a data set of a file that need not be ours. Throws what Dataset::require_plain() throws.
hdf5::Dataset plain_data_set(const hdf5::File& file, const std::string& path);
bool has_whole_numbers(const hdf5::Dataset& data);
// "/train/images" -> "/train"; "" is the root.
std::string parent_group(const std::string& path);
// Returns the paths that the user names ("img" is /img, "train/images" /train/images), each of
// which must be in the file. ScenarioError with what there is.
Paths paths_in(const hdf5::File& file, const ColumnNames& columns);
// The labels and names of `samples` samples at paths.image.
struct Columns {
  std::vector<std::int64_t> labels;  // one for each sample
  std::vector<std::string> names;    // likewise; see names_in()
  std::string remark;                // that there are no labels; what was passed over in the root
};
// The labels are those that are named, else `labels` in the group of paths.image, which must be
// right, else the first of label, y, targets and target there that has a whole number for each
// sample, else 0. Hdf5Error, or ScenarioError where their number differs, or that of names.
Columns columns_in(const hdf5::File& file, const Paths& paths, std::uint64_t samples);
// Returns the names of `samples` samples, from the column that the user names, else from `names` in
// the group of paths.image; "sample 17" where there are none. Hdf5Error, or ScenarioError where
// their number differs.
std::vector<std::string> names_in(const hdf5::File& file, const Paths& paths,
                                  std::uint64_t samples);
// "passed over 2 entries of its root: /mean, /test"; empty where the root has none but `used`
// ("/data").
std::string passed_over_in(const hdf5::File& file, std::initializer_list<std::string_view> used);
// What was never written takes no room in a file: refuses more samples than it has bytes and 1 Mi.
// The file's bytes.
std::uint64_t refuse_never_written(std::uint64_t samples, const std::string& path);
// 0..2^31-1 each.
void require_label(std::int64_t label, std::size_t sample, const std::string& path);
void write_labels_and_names(hdf5::File& file, const std::vector<std::int64_t>& labels,
                            const std::vector<std::string>& names);

}  // namespace benchbench::hdf5_format
