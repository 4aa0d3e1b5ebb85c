#include "scenarios/formats/sample_table.h"

#include <algorithm>

#include "harness/core/parse_number.h"

namespace benchbench {

std::int64_t label_in_text(std::string_view text) noexcept {
  return parse_number<std::int64_t>(text).value_or(-1);
}

void SampleTable::add(std::string_view name, std::int64_t label, std::uint64_t offset,
                      std::uint64_t length, std::uint32_t shard) {
  names_.append(name).push_back('\0');
  name_ends_.push_back(names_.size());
  labels_.push_back(label);
  offsets_.push_back(offset);
  lengths_.push_back(length);
  shards_.push_back(shard);
}

std::string_view SampleTable::name(SampleId id) const noexcept {
  const std::uint64_t begin = id == 0 ? 0 : name_ends_[id - 1];
  return std::string_view(names_).substr(begin, name_ends_[id] - begin - 1);
}

std::uint32_t SampleTable::classes() const noexcept {
  const auto largest = std::ranges::max_element(labels_);
  return largest == labels_.end() || *largest < 0 ? 0 : static_cast<std::uint32_t>(*largest + 1);
}

SampleTable::Unlabelled SampleTable::unlabelled() const noexcept {
  const auto is_without = [](std::int64_t label) { return label < 0; };
  return {static_cast<std::uint64_t>(std::ranges::count_if(labels_, is_without)),
          static_cast<SampleId>(std::ranges::find_if(labels_, is_without) - labels_.begin())};
}

std::vector<std::uint64_t> SampleTable::shard_ends() const {
  std::vector<std::uint64_t> ends;
  for (SampleId id = 1; id < size(); ++id) {
    if (shards_[id] != shards_[id - 1]) ends.push_back(id);
  }
  if (size() > 0) ends.push_back(size());
  return ends;
}

}  // namespace benchbench
