// Keys of an LMDB file that belong together: "image-000017" and "label-000017", "17.jpg" and
// "17.cls".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/part/loader.h"
#include "scenarios/formats/looked_bytes.h"
#include "scenarios/formats/sample_table.h"

namespace benchbench::lmdb {

// The key without `affix`, with which it begins or ends: what it shares with the keys that belong
// to it. nullopt where it does neither.
std::optional<std::string_view> key_without(std::string_view affix, std::string_view key) noexcept;
// The longest of the names in `columns` that the key begins or ends with ("image-label-" before
// "image-"); empty where it does with none.
std::string_view affix_in(const ColumnNames& columns, std::string_view key) noexcept;
// A class number as text, or in 4 or 8 bytes, little-endian. Throws Malformed.
std::int64_t label_in(LookedBytes& bytes, std::uint64_t begin, std::uint64_t size);

// Gathers the keys that `columns` names, an image at least. `values` are the file's bytes.
class NamedKeys {
 public:
  NamedKeys(const ColumnNames& columns, LookedBytes& values) : columns_(columns), values_(values) {}
  // Throws Malformed where a value is not what its key must have.
  void take(std::string_view key, std::uint64_t offset, std::uint64_t size);
  // The samples, in the order of the images' keys. ScenarioError where an image has no label, or no
  // name, that is named. `file` is for messages.
  SampleTable join(const std::string& file);
  // Says what was passed over, and that labels are missing.
  std::string remark() const;

 private:
  struct Image {
    std::string key, id;
    std::uint64_t offset = 0, size = 0;
    std::optional<std::int64_t> label;  // in the value itself
    std::string name;
  };
  template <class Value>
  const Value& value_for(const Image& image, std::string_view what, const std::string& affix,
                         const std::unordered_map<std::string, Value>& values,
                         const std::string& file) const;
  std::int64_t label_for(const Image& image, const std::string& file);
  std::string name_for(const Image& image, const std::string& file) const;
  const ColumnNames columns_;
  LookedBytes& values_;
  std::vector<Image> images_;
  std::unordered_map<std::string, std::int64_t> labels_;  // by the rest of the key
  std::unordered_map<std::string, std::string> names_;
  std::uint64_t unlabelled_ = 0, passed_over_ = 0;
  std::vector<std::string> some_passed_over_;
};

// "00000012_n0001/12.jpg" -> "n0001/12.jpg"; a name of ours where that is unsafe.
std::string name_in_key(std::string_view key, std::uint64_t row);

}  // namespace benchbench::lmdb
