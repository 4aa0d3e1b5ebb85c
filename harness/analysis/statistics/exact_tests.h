// Tests of a difference that assume no distribution: every arrangement of the data is counted, so p
// is exact with few values, with ties and with zeros. Beyond 200 values in all the normal curve
// takes over. Pure functions.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace benchbench {

// Wilcoxon's signed-rank test of paired differences: the share of all 2^n choices of signs whose
// rank sum lies at least as far from its middle as the one seen, both sides. Zeros are left out,
// ties share their mean rank. 1 where nothing is left. The least that n differences can give is
// 2/2^n: under 10, no p below 0.002.
double signed_rank_p(std::span<const double> differences);

// Mann and Whitney's U of two sets that are no pairs: the share of all choices of a.size() of the
// pooled values whose rank sum lies at least as far from its middle. Ties share their mean rank. 1
// where one is empty. 7 against 7 gives 0.00058 at least.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

// Benjamini and Hochberg's q of each p: the least share of false alarms among all that are called
// at its q. At most 1.
std::vector<double> false_discovery_rates(std::span<const double> p);

}  // namespace benchbench
