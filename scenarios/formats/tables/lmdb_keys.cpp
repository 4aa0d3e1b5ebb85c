#include "scenarios/formats/tables/lmdb_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/part/sample_format.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/tables/lmdb_datum.h"

namespace benchbench::lmdb {
namespace {

constexpr std::size_t kMostDigits = 20, kKeysToSay = 3;

bool is_text(char c) noexcept { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r'; }

// Keys may be binary.
bool is_safe_key(std::string_view name) {
  return is_safe_name(name) &&
         std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
}

}  // namespace

std::optional<std::string_view> key_without(std::string_view affix, std::string_view key) noexcept {
  if (affix.empty()) return std::nullopt;
  if (key.starts_with(affix)) return key.substr(affix.size());
  if (key.ends_with(affix)) return key.substr(0, key.size() - affix.size());
  return std::nullopt;
}

std::string_view affix_in(const ColumnNames& columns, std::string_view key) noexcept {
  std::string_view longest;
  for (const std::string* named : {&columns.image, &columns.label, &columns.name})
    if (const std::string_view affix = *named;
        affix.size() > longest.size() && key_without(affix, key))
      longest = affix;
  return longest;
}

std::int64_t label_in(LookedBytes& bytes, std::uint64_t begin, std::uint64_t size) {
  const std::string value = bytes.text(begin, std::min<std::uint64_t>(size, kMostDigits));
  // A number whose bytes are all text would be no class: 538976288 is the least of four bytes.
  const bool text = std::ranges::all_of(value, is_text);
  const std::int64_t label =
      text                     ? label_in_text(value.substr(0, value.find_last_not_of(" \n\r") + 1))
      : size == 4 || size == 8 ? static_cast<std::int64_t>(little_endian(value))
                               : -1;
  if (!is_label(label))
    throw Malformed{
        "the label is neither a number from 0 to 2147483647 as text nor one of 4 or 8 bytes",
        begin};
  return label;
}

std::string name_in_key(std::string_view key, std::uint64_t row) {
  const std::size_t digits = std::min(key.find_first_not_of("0123456789"), key.size());
  if (digits > 0 && digits < key.size() && key[digits] == '_') key.remove_prefix(digits + 1);
  std::string name(key);
  return is_safe_key(name) ? name : fmt::format("sample-{:08}.jpg", row);
}

void NamedKeys::take(std::string_view key, std::uint64_t offset, std::uint64_t size) {
  const std::string_view affix = affix_in(columns_, key);
  const auto id = key_without(affix, key);
  if (!id) {
    ++passed_over_;
    if (some_passed_over_.size() < kKeysToSay) some_passed_over_.emplace_back(key);
  } else if (affix == columns_.image) {
    const Datum datum = parse_datum(values_, offset, offset + size);
    images_.push_back({std::string(key), std::string(*id), offset, size, datum.label, datum.name});
  } else if (affix == columns_.label) {
    labels_.emplace(*id, label_in(values_, offset, size));
  } else {
    names_.emplace(*id, values_.text(offset, size));
  }
}

// The entries that belong to an image by its id.
template <class Value>
const Value& NamedKeys::value_for(const Image& image, std::string_view what,
                                  const std::string& affix,
                                  const std::unordered_map<std::string, Value>& values,
                                  const std::string& file) const {
  const auto found = values.find(image.id);
  if (found != values.end()) return found->second;
  throw ScenarioError(
      fmt::format("'{}': '{}' has no {}: no key is '{}' with '{}' before or behind it", file,
                  image.key, what, image.id, affix));
}

std::int64_t NamedKeys::label_for(const Image& image, const std::string& file) {
  if (!columns_.label.empty()) return value_for(image, "label", columns_.label, labels_, file);
  unlabelled_ += !image.label;
  return image.label.value_or(0);
}

std::string NamedKeys::name_for(const Image& image, const std::string& file) const {
  if (!columns_.name.empty()) return value_for(image, "name", columns_.name, names_, file);
  return image.name.empty() ? image.key : image.name;
}

SampleTable NamedKeys::join(const std::string& file) {
  if (images_.empty())
    throw ScenarioError(fmt::format("'{}': no key begins or ends with '{}'; its keys: {}", file,
                                    columns_.image, listed(some_passed_over_)));
  SampleTable table;
  for (const Image& image : images_) {
    const std::string name = name_for(image, file);
    table.add(is_safe_key(name) ? name : fmt::format("sample-{:08}.jpg", table.size()),
              label_for(image, file), image.offset, image.size);
  }
  return table;
}

std::string NamedKeys::remark() const {
  std::string remark = unlabelled_piece(unlabelled_, images_.size());
  if (passed_over_ > 0)
    add_remark(remark,
               fmt::format("{}{}: {}{}", kPassedOver, counted(passed_over_, "key"),
                           listed(some_passed_over_), passed_over_ > kKeysToSay ? ", ..." : ""));
  return remark;
}

}  // namespace benchbench::lmdb
