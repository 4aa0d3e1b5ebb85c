// What the index.json of a folder of MosaicML streaming's shards says, checked.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/part/loader.h"

namespace benchbench::mds {

struct Column {
  std::string name;
  std::string encoding;
  std::uint32_t size = 0;  // of each value; 0: differs
};

// The columns of a shard, and which of them we read. A sample lies as the sizes of the values that
// differ in size (uint32 each), then all values.
struct Columns {
  std::vector<Column> all;
  std::size_t image = 0;
  std::size_t label = kNone;
  std::size_t name = kNone;
  static constexpr std::size_t kNone = ~std::size_t{0};
};

struct Shard {
  std::string file;           // in the folder; safe to open
  bool zstd = false;          // the file must be inflated
  std::uint64_t stored = 0;   // bytes of the file
  std::uint64_t content = 0;  // bytes of the shard
  std::uint64_t samples = 0;
  Columns columns;
  std::string image_encoding = "jpeg";  // of one that we write
};

// `folder` is for messages, and to see which of a shard's two files is there. ScenarioError, also
// where a shard lacks a column that `named` names, with those that it has.
std::vector<Shard> parse_index(std::string_view json, const std::string& folder,
                               const ColumnNames& named = {});

// The columns that we write: image (jpeg or png where all of a shard's are, else bytes), label
// (int), name (str).
inline constexpr std::uint64_t kShardBytes = 64ull << 20;   // MosaicML's own default
std::string shard_config(std::string_view image_encoding);  // in every shard
std::string index_text(const std::vector<Shard>& shards);

}  // namespace benchbench::mds
