// A histogram of times that can be merged.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace benchbench {

// Log-linear bins of a series: (lower edge ns, count), none empty.
using Bins = std::vector<std::pair<std::int64_t, std::uint64_t>>;

// Log-linear: 16 bins of equal width to each power of two, and a bin for each value below 32. So
// any value from 0 to the largest of an int64 lies in a bin at most 1/16 as wide as its lower edge,
// and the bin's middle is within 1/32 of it. Adding is O(1), merging is adding counts: merged in
// any order and grouping, the same values give the same bins. About 8 KB, nothing allocated. One
// thread.
class LogHistogram {
 public:
  static constexpr int kSubBits = 4;
  static constexpr std::size_t kBins = (63 - kSubBits + 1) << kSubBits;

  // A negative value counts as 0: times are none.
  void add(std::int64_t value, std::uint64_t count = 1) noexcept {
    counts_[bin_of(value)] += count;
    total_ += count;
  }
  void add(std::span<const std::int64_t> values) noexcept {
    for (const std::int64_t value : values) add(value);
  }
  LogHistogram& operator+=(const LogHistogram& other) noexcept;

  std::uint64_t count() const noexcept { return total_; }
  // By the nearest rank, the middle of its bin: within 1/32 of the exact one. `share` is 0..1; 0
  // for no values.
  double percentile(double share) const noexcept;
  // Those that are not empty, in order.
  Bins bins() const;
  // The inverse. Edges that are not this histogram's own go to the bin that they lie in.
  static LogHistogram from(const Bins& bins) noexcept;

  static std::size_t bin_of(std::int64_t value) noexcept;
  static std::int64_t lower_edge(std::size_t bin) noexcept;
  static std::int64_t width(std::size_t bin) noexcept;

 private:
  std::array<std::uint64_t, kBins> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace benchbench
