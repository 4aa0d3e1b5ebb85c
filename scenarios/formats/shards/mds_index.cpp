#include "scenarios/formats/shards/mds_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "harness/core/error.h"
#include "scenarios/formats/folder_scan.h"

namespace benchbench::mds {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kLargestShard = 1ull << 32;  // offsets in it have 32 bits
constexpr std::uint64_t kMaxSamples = kLargestShard / 4;

[[noreturn]] void refuse(const std::string& folder, std::string_view what) {
  throw ScenarioError(
      fmt::format("'{}/index.json': {}", folder, what),
      "expected: what MosaicML Streaming's MDSWriter writes, format mds, version 2");
}

std::uint64_t number_in(const Json& object, const char* key, std::uint64_t max,
                        const std::string& folder) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > max)
    refuse(folder, fmt::format("'{}' of a shard is not a number from 0 to {}", key, max));
  return found->get<std::uint64_t>();
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<Column> columns_in(const Json& shard, const std::string& folder) {
  const Json names = shard.value("column_names", Json()),
             encodings = shard.value("column_encodings", Json()),
             sizes = shard.value("column_sizes", Json());
  if (!names.is_array() || !encodings.is_array() || !sizes.is_array() ||
      names.size() != encodings.size() || names.size() != sizes.size() || names.size() > 1000)
    refuse(folder, "the columns of a shard do not match");
  std::vector<Column> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool fixed =
        sizes[i].is_number_unsigned() && sizes[i].get<std::uint64_t>() < kLargestShard;
    if (!names[i].is_string() || !encodings[i].is_string() || !(fixed || sizes[i].is_null()))
      refuse(folder, fmt::format("column {} of a shard has no name, encoding or size", i));
    columns.push_back({names[i], encodings[i], fixed ? sizes[i].get<std::uint32_t>() : 0});
  }
  return columns;
}

bool is_integer(std::string_view encoding) {
  static constexpr std::string_view kIntegers[] = {
      "int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "str_int"};
  return std::ranges::find(kIntegers, encoding) != std::end(kIntegers);
}

// The column of the first of these names that has a fitting encoding.
template <class Fits>
std::size_t pick(const std::vector<Column>& columns, std::initializer_list<std::string_view> names,
                 Fits fits) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find_if(
        columns, [&](const Column& c) { return c.name == name && fits(c.encoding); });
    if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  }
  return Columns::kNone;
}

bool is_jpeg(std::string_view encoding) { return encoding == "jpeg"; }
bool is_image(std::string_view encoding) {
  return is_jpeg(encoding) || encoding == "png" || encoding == "bytes";
}
bool is_text(std::string_view encoding) { return encoding == "str"; }

std::size_t find_image(const std::vector<Column>& all) {
  const std::size_t found = pick(all, {"image", "jpg", "jpeg", "img", "x", "data"}, is_image);
  if (found != Columns::kNone || std::ranges::count_if(all, is_jpeg, &Column::encoding) != 1)
    return found;
  return static_cast<std::size_t>(std::ranges::find_if(all, is_jpeg, &Column::encoding) -
                                  all.begin());
}

// A column that must be there: one that is named, or that of the images.
[[noreturn]] void refuse_column(const std::vector<Column>& all, const std::string& folder,
                                std::string_view wanted) {
  std::string found;
  for (const Column& c : all)
    found += fmt::format("{}{} ({})", found.empty() ? "" : ", ", c.name, c.encoding);
  throw ScenarioError(fmt::format("'{}' has no column {}; its columns: {}", folder, wanted, found),
                      "images are expected in image, jpg, jpeg, img, x or data, encoded as jpeg, "
                      "png or bytes; or name "
                      "them: dataset.columns: {image: NAME}");
}

Columns choose(std::vector<Column> all, const std::string& folder, const ColumnNames& named) {
  const auto named_or = [&](std::string_view name, std::string_view what, auto fits,
                            std::size_t customary) {
    if (name.empty()) return customary;
    const std::size_t found = pick(all, {name}, fits);
    if (found == Columns::kNone) refuse_column(all, folder, fmt::format("'{}' {}", name, what));
    return found;
  };
  Columns columns;
  columns.image = named_or(named.image, "with encoded images", is_image, find_image(all));
  columns.label = named_or(named.label, "of whole numbers", is_integer,
                           pick(all, {"label", "cls", "class", "target", "y"}, is_integer));
  columns.name = named_or(named.name, "of text", is_text,
                          pick(all, {"name", "filename", "path", "__key__", "id"}, is_text));
  if (columns.image == Columns::kNone) refuse_column(all, folder, "with encoded images");
  columns.all = std::move(all);
  return columns;
}

// "zstd:7" -> zstd
void require_zstd(const Json& shard, const std::string& folder) {
  const std::string compression = text_in(shard, "compression");
  if (compression == "zstd" || compression.starts_with("zstd:")) return;
  refuse(folder, fmt::format("shards compressed with '{}'; only zstd is supported", compression));
}

Shard shard_in(const Json& from, const std::string& folder, const ColumnNames& named) {
  if (!from.is_object() || text_in(from, "format") != "mds" || from.value("version", Json()) != 2)
    refuse(folder, "a shard that is not format mds, version 2");
  const Json raw = from.value("raw_data", Json()), zip = from.value("zip_data", Json());
  if (!raw.is_object()) refuse(folder, "a shard without raw_data");
  Shard shard;
  shard.file = text_in(raw, "basename");
  shard.content = shard.stored = number_in(raw, "bytes", kLargestShard, folder);
  std::error_code ignored;
  refuse_unsafe_name(shard.file, folder);
  if (zip.is_object() && !fs::exists(fs::path(folder) / shard.file, ignored)) {
    require_zstd(from, folder);
    shard.file = text_in(zip, "basename");
    shard.stored = number_in(zip, "bytes", kLargestShard, folder);
    shard.zstd = true;
    refuse_unsafe_name(shard.file, folder);
  }
  shard.samples = number_in(from, "samples", kMaxSamples, folder);
  shard.columns = choose(columns_in(from, folder), folder, named);
  return shard;
}

Json config_of_ours(std::string_view image_encoding) {
  return {{"column_encodings", {image_encoding, "int", "str"}},
          {"column_names", {"image", "label", "name"}},
          {"column_sizes", {nullptr, 8, nullptr}},
          {"compression", nullptr},
          {"format", "mds"},
          {"hashes", Json::array()},
          {"size_limit", kShardBytes},
          {"version", 2}};
}

}  // namespace

std::vector<Shard> parse_index(std::string_view text, const std::string& folder,
                               const ColumnNames& named) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) refuse(folder, "is not a JSON object");
  const Json& listed = json.contains("shards") ? json["shards"] : Json();
  if (!listed.is_array() || listed.size() > 10'000'000) refuse(folder, "lists no shards");
  std::vector<Shard> shards;
  for (const Json& shard : listed) {
    shards.push_back(shard_in(shard, folder, named));
    if (shards.back().samples == 0) shards.pop_back();
  }
  if (shards.empty()) refuse(folder, "no samples: there are no shards, or all are empty");
  return shards;
}

std::string shard_config(std::string_view image_encoding) {
  return config_of_ours(image_encoding).dump();
}

std::string index_text(const std::vector<Shard>& shards) {
  Json listed = Json::array();
  for (const Shard& shard : shards) {
    Json one = config_of_ours(shard.image_encoding);
    one["raw_data"] = {
        {"basename", shard.file}, {"bytes", shard.content}, {"hashes", Json::object()}};
    one["samples"] = shard.samples;
    one["zip_data"] = nullptr;
    listed.push_back(std::move(one));
  }
  return Json{{"shards", std::move(listed)}, {"version", 2}}.dump();
}

}  // namespace benchbench::mds
