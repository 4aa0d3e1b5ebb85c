#include "harness/series/log_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace benchbench {

// The first 16 bins hold one value each; from then on the highest bit names a group of 16, the four
// bits below it the bin within.
std::size_t LogHistogram::bin_of(std::int64_t value) noexcept {
  constexpr std::uint64_t per_group = 1u << kSubBits;
  const auto v = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
  if (v < per_group) return v;
  const int shift = static_cast<int>(std::bit_width(v)) - 1 - kSubBits;
  return (static_cast<std::size_t>(shift) << kSubBits) + (v >> shift);
}

std::int64_t LogHistogram::lower_edge(std::size_t bin) noexcept {
  constexpr std::size_t per_group = 1u << kSubBits;
  if (bin < per_group) return static_cast<std::int64_t>(bin);
  const std::size_t shift = (bin >> kSubBits) - 1;
  return static_cast<std::int64_t>((bin % per_group + per_group) << shift);
}

std::int64_t LogHistogram::width(std::size_t bin) noexcept {
  const std::size_t group = bin >> kSubBits;
  return group < 2 ? 1 : std::int64_t{1} << (group - 1);
}

LogHistogram& LogHistogram::operator+=(const LogHistogram& other) noexcept {
  for (std::size_t i = 0; i < kBins; ++i) counts_[i] += other.counts_[i];
  total_ += other.total_;
  return *this;
}

double LogHistogram::percentile(double share) const noexcept {
  if (total_ == 0) return 0;
  const double wanted = std::ceil(share * static_cast<double>(total_) - 1e-9);
  const auto rank = static_cast<std::uint64_t>(std::max(1.0, wanted));
  std::uint64_t seen = 0;
  std::size_t bin = 0;
  while (bin + 1 < kBins && (seen += counts_[bin]) < rank) ++bin;
  return static_cast<double>(lower_edge(bin)) + static_cast<double>(width(bin) - 1) / 2;
}

Bins LogHistogram::bins() const {
  Bins bins;
  for (std::size_t i = 0; i < kBins; ++i)
    if (counts_[i] > 0) bins.emplace_back(lower_edge(i), counts_[i]);
  return bins;
}

LogHistogram LogHistogram::from(const Bins& bins) noexcept {
  LogHistogram histogram;
  for (const auto& [edge, count] : bins) histogram.add(edge, count);
  return histogram;
}

}  // namespace benchbench
