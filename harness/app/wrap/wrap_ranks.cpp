#include "harness/app/wrap/wrap_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace benchbench {
namespace {

std::uint32_t rank_number(const WrapProcess* rank) { return rank->hello.rank.value_or(0); }

double ns_of(const SeenStretch& seen) {
  double ns = 0;
  for (const auto& [begin, end] : seen.stretch.result.segments) ns += static_cast<double>(end - begin);
  return ns;
}

// What share of F it waits for its loader.
double waits(const WrapProcess& rank) {
  double waited = 0, ns = 0;
  for (const SeenStretch& seen : rank.stretches)
    if (seen.stretch.kind == WrapKind::full) {
      waited += std::accumulate(seen.stretch.result.get_ns.begin(), seen.stretch.result.get_ns.end(), 0.0);
      ns += ns_of(seen);
    }
  return ns > 0 ? waited / ns : 0;
}

// Whether `a` is slower, or as slow and the lower rank. One that has no L is not compared by it.
bool is_slower(const WrapProcess* a, const WrapProcess* b) {
  const auto of_a = rate_of(a->stretches, WrapKind::loader), of_b = rate_of(b->stretches, WrapKind::loader);
  if (of_a && of_b && *of_a != *of_b) return *of_a < *of_b;
  if (of_a.has_value() != of_b.has_value()) return of_a.has_value();
  if (!of_a && waits(*a) != waits(*b)) return waits(*a) > waits(*b);
  return rank_number(a) < rank_number(b);
}

// "L 120, T 80, F 75".
std::string rates_text(const WrapProcess& rank) {
  std::string text;
  for (const WrapKind kind : {WrapKind::loader, WrapKind::trainer, WrapKind::full})
    if (const auto rate = rate_of(rank.stretches, kind)) text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", name_of(kind), *rate);
  return text.empty() ? "nothing was measured" : text + " samples/s";
}

std::string spread_text(const std::vector<const WrapProcess*>& ranks) {
  double least = 0, most = 0;
  for (const WrapProcess* rank : ranks) {
    const double rate = rate_of(rank->stretches, WrapKind::loader).value_or(0);
    least = least > 0 ? std::min(least, rate) : rate;
    most = std::max(most, rate);
  }
  return least > 0 ? fmt::format(", whose loader is the slowest: the fastest rank's is {:.0f} % faster", 100 * (most / least - 1)) : ", which waits longest for its loader";
}

}  // namespace

std::optional<double> rate_of(const std::vector<SeenStretch>& stretches, WrapKind kind) {
  double ns = 0, samples = 0;
  for (const SeenStretch& seen : stretches)
    if (seen.stretch.kind == kind) {
      samples += static_cast<double>(seen.stretch.result.samples);
      ns += ns_of(seen);
    }
  return ns > 0 ? std::optional(samples * 1e9 / ns) : std::nullopt;
}

const WrapProcess* slowest_of(const std::vector<const WrapProcess*>& ranks) { return *std::ranges::min_element(ranks, is_slower); }

std::vector<std::string> ranks_words(std::vector<const WrapProcess*> ranks, const WrapProcess* shown) {
  if (ranks.size() < 2 || !shown) return {};
  std::ranges::sort(ranks, {}, rank_number);
  std::vector<std::string> words;
  for (const WrapProcess* rank : ranks) words.push_back(fmt::format("rank {}: {}", rank_number(rank), rates_text(*rank)));
  words.push_back(fmt::format("the report is of rank {}{}", rank_number(shown), spread_text(ranks)));
  return words;
}

}  // namespace benchbench
