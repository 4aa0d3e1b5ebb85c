#include "harness/series/log_histogram.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/core/random.h"

namespace benchbench::test {
namespace log_histogram {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// From ns to minutes, a few orders of magnitude in one series.
std::vector<std::int64_t> times(std::uint64_t seed, std::size_t n) {
  Random random(mix_seed(seed, 11));
  std::vector<std::int64_t> values(n);
  for (auto& value : values) value = static_cast<std::int64_t>(std::exp(2 + 22 * random.uniform()));
  return values;
}

double exact(std::vector<std::int64_t> values, double share) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(
      std::max(1.0, std::ceil(share * static_cast<double>(values.size()) - 1e-9)));
  return static_cast<double>(values[rank - 1]);
}

LogHistogram of(const std::vector<std::int64_t>& values) {
  LogHistogram histogram;
  histogram.add(values);
  return histogram;
}

}  // namespace log_histogram
using namespace log_histogram;

TEST_CASE("histogram: bins tile every value, each at most 1/16 wide", "[unit][record]") {
  std::int64_t edge = 0;
  for (std::size_t bin = 0; bin < LogHistogram::kBins; ++bin) {
    INFO("bin " << bin);
    REQUIRE(LogHistogram::lower_edge(bin) == edge);
    REQUIRE(LogHistogram::bin_of(edge) == bin);
    const std::int64_t last = edge + (LogHistogram::width(bin) - 1);
    REQUIRE(LogHistogram::bin_of(last) == bin);
    if (edge >= 16) REQUIRE(LogHistogram::width(bin) <= edge / 16);
    edge = bin + 1 < LogHistogram::kBins ? last + 1 : last;
  }
  CHECK(edge == kLargest);
}

TEST_CASE("histogram: percentiles are within 1/32 of the exact ones", "[unit][record]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto values = times(seed, 1 + seed * 311);
    const LogHistogram histogram = of(values);
    CHECK(histogram.count() == values.size());
    for (const double share : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0}) {
      INFO("seed " << seed << ", share " << share);
      CHECK(histogram.percentile(share) == Approx(exact(values, share)).epsilon(1.0 / 32));
    }
  }
}

TEST_CASE("histogram: small values are exact", "[unit][record]") {
  for (std::int64_t value = 0; value < 32; ++value) {
    LogHistogram histogram;
    histogram.add(value);
    CHECK(histogram.percentile(0.5) == static_cast<double>(value));
  }
}

TEST_CASE("histogram: merging is adding, in any grouping", "[unit][record]") {
  const auto a = times(1, 500), b = times(2, 700), c = times(3, 900);
  std::vector<std::int64_t> all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  LogHistogram left = of(a), right = of(b), other = of(c);
  left += of(b);
  left += of(c);
  right += of(c);
  right += of(a);
  other += of(a);
  other += of(b);
  CHECK(left.bins() == of(all).bins());
  CHECK(right.bins() == left.bins());
  CHECK(other.bins() == left.bins());
  CHECK(left.count() == 2100);
  left += LogHistogram();
  CHECK(left.bins() == other.bins());
}

TEST_CASE("histogram: bins give the histogram back", "[unit][record]") {
  const LogHistogram histogram = of(times(4, 3000));
  const LogHistogram again = LogHistogram::from(histogram.bins());
  CHECK(again.bins() == histogram.bins());
  CHECK(again.percentile(0.99) == histogram.percentile(0.99));
  std::uint64_t count = 0;
  for (const auto& [edge, n] : histogram.bins()) {
    CHECK(n > 0);
    count += n;
  }
  CHECK(count == 3000);
}

TEST_CASE("histogram: extremes", "[unit][record]") {
  LogHistogram histogram;
  CHECK(histogram.percentile(0.5) == 0);
  CHECK(histogram.bins().empty());
  histogram.add(0);
  histogram.add(kLargest);
  histogram.add(-5);  // no time is negative
  CHECK(histogram.percentile(0.0) == 0);
  CHECK(histogram.percentile(0.6) == 0);
  CHECK(histogram.percentile(1.0) == Approx(static_cast<double>(kLargest)).epsilon(1.0 / 32));
  CHECK(histogram.bins() == Bins{{0, 2}, {std::int64_t{31} << 58, 1}});
  histogram.add(7, 10);
  CHECK(histogram.count() == 13);
}

}  // namespace benchbench::test
