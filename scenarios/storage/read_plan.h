// Which reads fetch the samples of a request.
#pragma once
#include <span>
#include <vector>

#include "harness/part/sample_format.h"

namespace benchbench {

// One read, of one sample or of several that lie next to each other.
struct ReadRequest {
  Extent extent;
  SampleId first = 0;  // its samples' ids at its two ends, in the order of the file
  SampleId last = 0;
  std::uint32_t samples = 0;
};

// Where a sample lies in what its request reads.
struct PlannedSample {
  std::uint32_t request = 0;
  SampleId id = 0;
  Extent extent;  // in the file
};

// Keeps its memory. One thread.
class ReadPlan {
 public:
  // Bytes between two samples that are read for nothing, rather than that they cost a read of their
  // own: tar keeps a label and two headers there.
  static constexpr std::uint64_t kMaxBetween = 4 << 10;

  // Samples of the same file that touch, overlap or lie at most kMaxBetween apart share a request,
  // as long as it is no larger than `max`; a sample that is larger is one request all the same.
  // Requests come in the order in which the samples, taken in theirs, first need them.
  void make(const SampleExtents& extents, std::span<const SampleRef> samples, std::uint64_t max);

  std::span<const ReadRequest> requests() const noexcept { return requests_; }
  std::span<const PlannedSample> samples() const noexcept { return samples_; }

 private:
  void merge(std::uint64_t max);
  void order();

  std::vector<ReadRequest> requests_, ordered_;
  std::vector<PlannedSample> samples_;
  std::vector<std::uint32_t> by_place_, renumbered_;
};

}  // namespace benchbench
