#include "harness/pipeline/sample_accounting.h"

#include <algorithm>

namespace benchbench {

SampleAccounting::SampleAccounting(const EpochStream& stream, std::uint64_t all_samples,
                                   const ExpectedBytes* expected)
    : batches_per_epoch_(stream.batches_per_epoch()),
      samples_expected_(stream.samples_per_epoch() -
                        stream.place(stream.batches_per_epoch() - 1).tail),
      all_samples_(all_samples),
      expected_(expected),
      known_(expected && *expected) {}

void SampleAccounting::add_bytes(std::span<const SampleId> ids) {
  for (std::size_t i = 0; known_ && i < ids.size(); ++i) {
    const std::optional<std::uint64_t> bytes = (*expected_)(ids[i]);
    known_ = bytes.has_value();
    bytes_ += bytes.value_or(0);
  }
}

SampleAccounting::Page& SampleAccounting::page_of(Epoch epoch) {
  if (last_page_ < pages_.size() && pages_[last_page_].batches > 0 &&
      pages_[last_page_].epoch == epoch)
    return pages_[last_page_];
  for (last_page_ = 0; last_page_ < pages_.size(); ++last_page_)
    if (pages_[last_page_].batches > 0 && pages_[last_page_].epoch == epoch)
      return pages_[last_page_];
  const auto unused = std::ranges::find_if(pages_, [](const Page& p) { return p.batches == 0; });
  last_page_ = static_cast<std::size_t>(unused - pages_.begin());
  if (unused == pages_.end()) pages_.emplace_back().seen.resize((all_samples_ + 63) / 64);
  Page& page = pages_[last_page_];
  std::ranges::fill(page.seen, 0);
  page.epoch = epoch;
  page.distinct = 0;
  return page;
}

void SampleAccounting::delivered(Epoch epoch, std::span<const SampleId> ids) {
  if (ids.empty()) measured_ = false;
  if (!measured_) return;
  Page& page = page_of(epoch);
  std::uint64_t distinct = 0;
  for (const SampleId id : ids) {
    if (id >= all_samples_) continue;
    std::uint64_t& word = page.seen[id / 64];
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    distinct += (word & bit) == 0;
    word |= bit;
  }
  page.distinct += distinct;
  duplicated_ += ids.size() - distinct;
  delivered_ += ids.size();
  if (known_) add_bytes(ids);
  if (++page.batches < batches_per_epoch_) return;
  missing_ += samples_expected_ - std::min(samples_expected_, page.distinct);
  ++completed_;
  page.batches = 0;
}

}  // namespace benchbench
