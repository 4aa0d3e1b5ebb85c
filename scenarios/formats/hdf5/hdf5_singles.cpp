// A data set for each image, at any depth.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/hdf5/hdf5_variable.h"
#include "scenarios/formats/image_bytes.h"
#include "scenarios/formats/looked_bytes.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/formats/table_archive.h"

namespace benchbench::hdf5_format {
namespace {

constexpr std::string_view kSinglesVersion = "hdf5 data sets 2";
constexpr std::size_t kTypesToSay = 4;

struct Single {
  std::string path;
  std::uint64_t offset = 0, bytes = 0;
  std::optional<std::int64_t> label;
};

// "/cats/1" -> "cats"; empty where the data set is in the root.
std::string top_group(const std::string& path) {
  const std::size_t end = path.find('/', 1);
  return end == std::string::npos ? std::string() : path.substr(1, end - 1);
}

bool begins_as_image_at(const hdf5::Dataset& data, FileBytes& bytes) {
  const auto offset = data.contiguous_offset();
  return offset && begins_as_image(bytes.look(*offset, kImageHead));
}

std::optional<Single> image_at(const hdf5::File& file, const std::string& path, FileBytes& bytes) {
  const hdf5::Dataset data = plain_data_set(file, path);
  if (!begins_as_image_at(data, bytes)) return std::nullopt;
  const auto opaque = data.opaque_bytes();
  return Single{path, *data.contiguous_offset(), opaque ? *opaque : data.rows(),
                data.integer_attribute("label")};
}

// A single whole number in the group of the only image there.
std::optional<std::int64_t> label_in_group(const hdf5::File& file, const std::string& group) {
  const std::string path = group + "/label";
  if (group.empty() || !file.has(path)) return std::nullopt;
  const hdf5::Dataset data = plain_data_set(file, path);
  if (!has_whole_numbers(data) || data.rows() * data.row_elements() != 1) return std::nullopt;
  return data.read_all<std::int64_t>().front();
}

void take_labels_of_groups(const hdf5::File& file, std::vector<Single>& images) {
  std::map<std::string, int> count;
  for (const Single& image : images) ++count[parent_group(image.path)];
  for (Single& image : images)
    if (const std::string group = parent_group(image.path); !image.label && count[group] == 1)
      image.label = label_in_group(file, group);
}

// True where there are classes at all.
bool settle_labels(const hdf5::File& file, std::vector<Single>& images) {
  take_labels_of_groups(file, images);
  const auto without = std::ranges::count_if(images, [](const Single& i) { return !i.label; });
  if (without == 0) return true;
  if (static_cast<std::size_t>(without) < images.size()) {
    const auto first = std::ranges::find_if(images, [](const Single& i) { return !i.label; });
    throw ScenarioError(fmt::format("'{}': no label for {} of {} images, the first of them {}",
                                    file.path(), without, images.size(), first->path),
                        "give all a `label`, in their group or as an attribute, or none (the top "
                        "groups are then the classes)");
  }
  std::set<std::string> groups;
  for (const Single& image : images) groups.insert(top_group(image.path));
  for (Single& image : images)
    image.label = std::distance(groups.begin(), groups.find(top_group(image.path)));
  return groups.size() > 1;
}

// "/mean float32 [2, 3]".
std::string describe_data_set(const hdf5::File& file, const std::string& path) {
  // In the order of hdf5::Element.
  constexpr std::string_view kTypes[] = {"uint8",   "int32", "uint32", "int64",  "uint64",
                                         "float64", "text",  "int16",  "uint16", "float32"};
  const hdf5::Dataset data = file.dataset(path);
  const auto element = data.element();
  return fmt::format("{} {} [{}]", path,
                     element               ? kTypes[static_cast<std::size_t>(*element)]
                     : data.opaque_bytes() ? "opaque"
                                           : "of another type",
                     fmt::join(data.extents(), ", "));
}

// Names the data sets that could have held one image or all of them, and do not. `images` are in
// the order of the data sets that they were found in.
std::string passed_over(const hdf5::File& file, const DataSets& sets,
                        const std::vector<Single>& images) {
  std::vector<std::string> left = sets.arrays;
  auto image = images.begin();
  for (const std::string& path : sets.bytes)
    if (image != images.end() && image->path == path)
      ++image;
    else
      left.push_back(path);
  if (left.empty()) return {};
  const std::size_t count = left.size();
  left.resize(std::min(count, kTypesToSay));
  for (std::string& path : left) path = describe_data_set(file, path);
  return fmt::format(
      "{}{}: {}{} (each must be one JPEG or PNG image, as uint8 of one dimension or as opaque "
      "bytes, in one uncompressed piece)",
      kPassedOver, counted(count, "data set"), fmt::join(left, ", "),
      count > left.size() ? ", ..." : "");
}

ArchiveIndex walk_images(const hdf5::File& file, const DataSets& sets) {
  std::vector<Single> images;
  FileBytes bytes(file.path());
  for (const std::string& path : sets.bytes)
    if (auto image = image_at(file, path, bytes)) images.push_back(std::move(*image));
  if (images.empty())
    throw ScenarioError(
        fmt::format("'{}': no data set is a JPEG or PNG image in one uncompressed piece; looked "
                    "at: {}",
                    file.path(), listed(sets.bytes, kPathsToSay)),
        "name the samples: dataset.columns: {image: PATH}");
  const bool labelled = settle_labels(file, images);
  ArchiveIndex found;
  for (std::size_t i = 0; i < images.size(); ++i) {
    require_label(*images[i].label, i, file.path());
    found.table.add(images[i].path.substr(1), *images[i].label, images[i].offset, images[i].bytes);
  }
  refuse_unsafe_names(found.table, file.path());
  if (!labelled) found.remark = kNoLabels;
  add_remark(found.remark, passed_over(file, sets, images));
  return found;
}

}  // namespace

bool has_images(const hdf5::File& file, const std::vector<std::string>& paths) {
  FileBytes bytes(file.path());
  return std::ranges::any_of(paths, [&](const std::string& path) {
    return begins_as_image_at(file.dataset(path), bytes);
  });
}

std::unique_ptr<SampleArchive> open_singles(const hdf5::File& file, const DataSets& sets) {
  return std::make_unique<TableArchive>(kept_or_walked(file.path(), kSinglesVersion, {file.path()},
                                                       [&] { return walk_images(file, sets); }));
}

std::unique_ptr<SampleArchive> open_kept_singles(const std::string& path) {
  auto index = kept_index(path, kSinglesVersion, {path});
  if (!index) return nullptr;
  return std::make_unique<TableArchive>(
      TableArchive::Parts{{path}, std::move(index->table), std::move(index->remark)});
}

}  // namespace benchbench::hdf5_format
