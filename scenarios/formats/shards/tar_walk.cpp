#include "scenarios/formats/shards/tar_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "harness/core/error.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/shards/tar_members.h"

namespace benchbench::tar {
namespace {

constexpr std::int64_t kNoLabel = -1;

std::string_view without_last_extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot < name.rfind('/') + 1 ? name : name.substr(0, dot);
}

// WebDataset's: the folder, and the file's name up to its first dot.
std::string_view key_of(std::string_view name) {
  const std::size_t file = name.rfind('/') + 1;
  return name.substr(0, std::min(name.find('.', file), name.size()));
}

// Members of one key lie next to each other, in any order among themselves.
class Gatherer {
 public:
  explicit Gatherer(Found& found) : found_(found) {}

  void take(const Member& member, const Members& members, std::uint32_t shard) {
    std::string_view name = member.header.name;
    while (name.starts_with("./")) name.remove_prefix(2);
    if (!member.header.regular()) {
      if (member.header.type != '5' && member.header.type != 'g') found_.ignored.count(name);
      return;
    }
    if (key_of(name) != key_) end_group();
    key_ = key_of(name);
    if (name.ends_with(".cls")) {
      labels_.push_back(
          {std::string(without_last_extension(name)), label_in(members.text_of(member), name)});
    } else if (has_image_extension(name)) {
      refuse_unsafe_name(name, "tar file");
      images_.push_back({std::string(name), member.data, member.header.size, shard});
    } else {
      found_.ignored.count(name);
    }
  }

  void end_group() {
    const bool has_jpeg = std::ranges::any_of(images_, has_jpeg_extension, &Image::name);
    const bool has_plain =
        std::ranges::any_of(images_, [&](const Image& image) { return is_plain(image.name); });
    for (const Image& image : images_) {
      const bool plain = is_plain(image.name);
      const bool hidden = has_jpeg || (has_plain && !plain);
      if (hidden && !has_jpeg_extension(image.name) && (plain || !has_own_label(image.name)))
        ++found_.masks;
      else
        found_.table.add(image.name, label_for(image.name), image.data, image.size, image.shard);
    }
    images_.clear();
    labels_.clear();
  }

 private:
  struct Image {
    std::string name;
    std::uint64_t data, size;
    std::uint32_t shard;
  };
  struct Label {
    std::string stem;
    std::int64_t value;
  };

  // True of KEY.png, false of KEY.seg.png.
  bool is_plain(std::string_view name) const { return without_last_extension(name) == key_; }
  bool has_own_label(std::string_view name) const {
    return std::ranges::find(labels_, without_last_extension(name), &Label::stem) != labels_.end();
  }

  static std::int64_t label_in(std::string_view text, std::string_view name) {
    text = text.substr(0, text.find_last_not_of(std::string_view("\n\r \0", 4)) + 1);
    const std::int64_t label = label_in_text(text);
    if (!is_label(label))
      throw ScenarioError(fmt::format("'{}' is not a class number: '{}'", name, text.substr(0, 40)),
                          "a .cls member is a number from 0, as text");
    return label;
  }

  // The label of the same stem, taken in turn where a.jpg and a.jpeg share it; else the group's
  // only one.
  std::int64_t label_for(std::string_view name) {
    const auto same = std::ranges::find(labels_, without_last_extension(name), &Label::stem);
    if (same == labels_.end()) return labels_.empty() ? kNoLabel : labels_.front().value;
    const std::int64_t value = same->value;
    if (std::ranges::count(labels_, same->stem, &Label::stem) > 1) labels_.erase(same);
    return value;
  }

  Found& found_;
  std::string key_;
  std::vector<Image> images_;
  std::vector<Label> labels_;
};

std::string top_folder(std::string_view name) {
  const std::size_t slash = name.find('/');
  return std::string(slash == std::string_view::npos ? std::string_view() : name.substr(0, slash));
}

// True where there is a folder at all.
bool label_by_folder(SampleTable& table) {
  std::map<std::string, std::int64_t> classes;
  for (SampleId id = 0; id < table.size(); ++id) classes[top_folder(table.name(id))];
  std::int64_t next = 0;
  for (auto& [name, label] : classes) label = next++;
  for (SampleId id = 0; id < table.size(); ++id)
    table.set_label(id, classes[top_folder(table.name(id))]);
  return classes.size() > 1 || !classes.begin()->first.empty();
}

// Unpacked, the last one would replace the others; who reads the members in turn gets them all.
void refuse_twice(const SampleTable& table, SampleId first, const std::string& shard) {
  std::vector<SampleId> ids(table.size() - first);
  std::iota(ids.begin(), ids.end(), first);
  std::ranges::sort(ids, [&](SampleId a, SampleId b) {
    return std::pair(table.name(a), a) < std::pair(table.name(b), b);
  });
  const auto same =
      std::ranges::adjacent_find(ids, {}, [&](SampleId id) { return table.name(id); });
  if (same == ids.end()) return;
  throw ScenarioError(fmt::format("'{}' holds '{}' twice, with its bytes at {} and at {}", shard,
                                  table.name(*same), table.offset(*same), table.offset(same[1])),
                      "`tar --append` stores a changed file a second time: pack the files again");
}

// True where samples have labels of their own or of their folder.
bool require_labels(SampleTable& table, const std::vector<std::string>& shards) {
  const auto [missing, first] = table.unlabelled();
  if (missing == table.size()) return label_by_folder(table);
  if (missing == 0) return true;
  throw ScenarioError(
      fmt::format("'{}' has no .cls member, and neither have {} other samples of {}; in '{}'",
                  table.name(first), missing - 1, table.size(), shards[table.shard(first)]),
      "give all samples a class or none (the top-level folders are then the classes)");
}

}  // namespace

Found walk(const std::vector<std::string>& shard_paths) {
  Found found;
  for (std::uint32_t shard = 0; shard < shard_paths.size(); ++shard) {
    Members members(shard_paths[shard]);
    const SampleId first = found.table.size();
    Gatherer gatherer(found);
    try {
      while (const auto member = members.next()) gatherer.take(*member, members, shard);
    } catch (Error& error) {
      error.add_context(fmt::format("while looking for samples in '{}'", shard_paths[shard]));
      throw;
    }
    gatherer.end_group();
    refuse_twice(found.table, first, shard_paths[shard]);
  }
  if (found.table.size() == 0) {
    throw ScenarioError(
        fmt::format(
            "no images in '{}'{}: looked for .jpg, .jpeg, .jpe, .jfif, .png members; {}",
            shard_paths[0], shard_paths.size() > 1 ? " and the other shards" : "",
            found.ignored.files() == 0 ? "it has no members" : "found " + found.ignored.listed()),
        "a sample is KEY.jpg or KEY.png with its class number in KEY.cls");
  }
  found.labelled = require_labels(found.table, shard_paths);
  return found;
}

}  // namespace benchbench::tar
