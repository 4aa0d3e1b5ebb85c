// The logical samples of an archive in id order: name, label, and where the stored bytes lie.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/part/batch.h"

namespace benchbench {

// Labels count from 0, and fit 31 bits.
constexpr bool is_label(std::int64_t number) noexcept {
  return number >= 0 && number <= 0x7FFFFFFF;
}
// The whole number that a text is; -1 where it is none.
std::int64_t label_in_text(std::string_view text) noexcept;

// Grows while an archive is opened, then is only read (any thread). 36 bytes a sample beside its
// name.
class SampleTable {
 public:
  // `shard` and `offset` say where the payload's `length` bytes begin; formats without either leave
  // them 0.
  void add(std::string_view name, std::int64_t label, std::uint64_t offset, std::uint64_t length,
           std::uint32_t shard = 0);
  void set_label(SampleId id, std::int64_t label) { labels_[id] = label; }

  std::uint64_t size() const noexcept { return labels_.size(); }
  // NUL-terminated: usable as a path as it is.
  std::string_view name(SampleId id) const noexcept;
  std::int64_t label(SampleId id) const noexcept { return labels_[id]; }
  std::uint64_t offset(SampleId id) const noexcept { return offsets_[id]; }
  std::uint64_t length(SampleId id) const noexcept { return lengths_[id]; }
  std::uint32_t shard(SampleId id) const noexcept { return shards_[id]; }
  // The largest label and one: what a classifier needs, also where a class has no sample.
  std::uint32_t classes() const noexcept;
  // The samples whose label is negative: how many, and the first of them.
  struct Unlabelled {
    std::uint64_t count = 0;
    SampleId first = 0;
  };
  Unlabelled unlabelled() const noexcept;
  // ids < ends[0] are in shard 0, ...; one end where all are in one.
  std::vector<std::uint64_t> shard_ends() const;

 private:
  std::vector<std::uint64_t> name_ends_;
  std::vector<std::int64_t> labels_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> lengths_;
  std::vector<std::uint32_t> shards_;
  std::string names_;
};

}  // namespace benchbench
