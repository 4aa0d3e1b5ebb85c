// Sample accounting of a trial: every sample that went in came out once.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/part/batch.h"
#include "harness/pipeline/epoch_stream.h"

namespace benchbench {

// Stored bytes of sample `id` as its manifest has them; nullopt where nobody knows.
using ExpectedBytes = std::function<std::optional<std::uint64_t>(SampleId)>;

// Kept in the trainer's thread from the ids of the batches it really gets, so that it also sees
// what a queue or a slot freed too early would do to them: an id twice in an epoch is a duplicate;
// one absent from an epoch whose batches have all come, and not in its dropped tail, is missing.
// Memory: one bit a sample for each epoch under way.
class SampleAccounting {
 public:
  // `all_samples`: ids are below it. `expected`, where given, must outlive this.
  SampleAccounting(const EpochStream& stream, std::uint64_t all_samples,
                   const ExpectedBytes* expected = nullptr);

  // Without ids, of a batch that nobody can say the samples of, nothing is counted from then on.
  void delivered(Epoch epoch, std::span<const SampleId> ids);
  // Every batch so far said which samples it holds.
  bool measured() const noexcept { return measured_; }

  std::uint64_t delivered() const noexcept { return delivered_; }
  // Ids beyond the data set count too.
  std::uint64_t duplicated() const noexcept { return duplicated_; }
  std::uint64_t missing() const noexcept { return missing_; }
  std::uint64_t epochs_completed() const noexcept { return completed_; }
  // Of all samples delivered, as the manifest has them; nullopt where one of them is not in it.
  std::optional<std::uint64_t> bytes() const noexcept {
    return known_ ? std::optional(bytes_) : std::nullopt;
  }
  // Adds samples that were made and never delivered.
  void add_undelivered(std::span<const SampleId> ids) { add_bytes(ids); }

 private:
  struct Page {
    Epoch epoch = 0;
    std::uint64_t batches = 0;  // 0: the page is free
    std::uint64_t distinct = 0;
    std::vector<std::uint64_t> seen;
  };
  Page& page_of(Epoch epoch);
  void add_bytes(std::span<const SampleId> ids);

  std::uint64_t batches_per_epoch_;
  std::uint64_t samples_expected_;  // an epoch's, less its dropped tail
  std::uint64_t all_samples_;
  std::vector<Page> pages_;  // one or two; more where epochs are shorter than what is in flight
  std::size_t last_page_ = 0;
  bool measured_ = true;
  std::uint64_t delivered_ = 0;
  std::uint64_t duplicated_ = 0;
  std::uint64_t missing_ = 0;
  std::uint64_t completed_ = 0;
  const ExpectedBytes* expected_;
  bool known_;
  std::uint64_t bytes_ = 0;
};

}  // namespace benchbench
