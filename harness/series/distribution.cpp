#include "harness/series/distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace benchbench {

Distribution distribution_of(std::vector<std::int64_t> values) {
  Distribution d;
  d.n = values.size();
  if (values.empty()) return d;
  const auto n = static_cast<double>(values.size());
  d.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  auto from = values.begin();
  const auto percentile = [&](double share) {
    const auto rank = static_cast<std::ptrdiff_t>(std::ceil(share * n - 1e-9));
    const auto at = values.begin() + std::max<std::ptrdiff_t>(rank, 1) - 1;
    if (at >= from) std::nth_element(from, at, values.end());
    from = at;  // what lies before is smaller
    return static_cast<double>(*at);
  };
  d.p50 = percentile(0.50);
  d.p90 = percentile(0.90);
  d.p99 = percentile(0.99);
  d.max = static_cast<double>(*std::max_element(from, values.end()));
  return d;
}

}  // namespace benchbench
