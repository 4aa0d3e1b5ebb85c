#include "harness/report/external/rank_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/metrics/metric.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

std::optional<double> loader_of(const RankRates& r) {
  const Measured rate = rate_over_rounds(r.loader);
  return rate ? std::optional(rate->value) : std::nullopt;
}

// The less the slower.
std::optional<double> pace_of(const RankRates& r, RankBy by) {
  if (by == RankBy::loader) return loader_of(r);
  return r.waited_share ? std::optional(-*r.waited_share) : std::nullopt;
}

// Ranks switch together, so that their rounds are pairs, unless one ended before the other.
Measured ratio_of(const RankRates& quick, const RankRates& slow) {
  if (quick.loader.size() != slow.loader.size())
    return Estimate{*loader_of(quick) / *loader_of(slow), 0, 0, 1};
  std::vector<double> ratios;
  for (std::size_t i = 0; i < slow.loader.size(); ++i)
    ratios.push_back(quick.loader[i] / slow.loader[i]);
  return rate_over_rounds(std::move(ratios));
}

std::optional<RankSpread> spread_by(const std::vector<RankRates>& ranks, RankBy by) {
  std::optional<RankSpread> spread;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    const auto pace = pace_of(ranks[i], by);
    if (!pace) continue;
    if (!spread) spread = RankSpread{by, i, i, {}};
    if (*pace < *pace_of(ranks[spread->slowest], by)) spread->slowest = i;
    if (*pace > *pace_of(ranks[spread->quickest], by)) spread->quickest = i;
  }
  if (spread && by == RankBy::loader)
    spread->ratio = ratio_of(ranks[spread->quickest], ranks[spread->slowest]);
  return spread;
}

bool is_known(const RankRates& r, RankBy by) { return pace_of(r, by).has_value(); }

std::string doubt_of(const Measured& ratio) {
  return ratio && ratio->n > 1 && ratio->low <= 1 ? " The rounds differ by more than that." : "";
}

std::string remark_of(const Plan& plan, std::size_t place) {
  const auto spread = rank_spread(plan);
  if (!spread || place != spread->slowest || spread->slowest == spread->quickest ||
      !doubt_of(spread->ratio).empty())
    return "";
  return spread->by == RankBy::loader ? "slowest loader" : "waits longest";
}

std::string named(const RankRates& r, RankBy by) {
  if (by == RankBy::wait)
    return fmt::format("rank {}, {} of F", r.rank, share_text(*r.waited_share));
  return fmt::format("rank {}, {} samples/s", r.rank, human_count(*loader_of(r)));
}

// Of those that have a value.
std::string equal_words(const Plan& plan, const RankSpread& spread) {
  const auto of =
      std::ranges::count_if(plan.ranks, [&](const RankRates& r) { return is_known(r, spread.by); });
  if (of == 1)
    return fmt::format("{} was measured of rank {} alone, so that ranks cannot be compared.",
                       spread.by == RankBy::loader ? "L" : "F", plan.ranks[spread.slowest].rank);
  return spread.by == RankBy::loader ? "No rank's loader is slower than another's."
                                     : "No rank waits longer for its loader than another.";
}

}  // namespace

Measured rate_over_rounds(std::vector<double> rates) {
  for (double& rate : rates) rate = std::log(rate);
  return estimate_from_logs(rates);
}

std::optional<RankSpread> rank_spread(const Plan& plan) {
  if (plan.ranks.size() < 2) return std::nullopt;
  const auto by_loader = spread_by(plan.ranks, RankBy::loader);
  return by_loader ? by_loader : spread_by(plan.ranks, RankBy::wait);
}

std::string rank_title(const Plan& plan) {
  if (plan.ranks.size() < 2) return "";
  const auto reported = std::ranges::find_if(plan.ranks, &RankRates::reported);
  const std::string of =
      reported == plan.ranks.end()
          ? ""
          : fmt::format("; the rest of this report is of rank {}", reported->rank);
  return fmt::format("Ranks that train together, over all rounds{}:", of);
}

std::vector<TableColumn> rank_columns(const Plan& plan) {
  TableColumn rank{"  rank", "", Align::left, {}},
      loader{"loader L", "samples/s", Align::right, {}},
      trainer{"trainer T", "samples/s", Align::right, {}},
      script{"script F", "samples/s", Align::right, {}}, waits{"waits", "of F", Align::right, {}},
      remark{"", "", Align::left, {}};
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    const RankRates& r = plan.ranks[i];
    rank.cells.push_back(fmt::format("  {}", r.rank));
    loader.cells.push_back(rate_cell(rate_over_rounds(r.loader)));
    trainer.cells.push_back(rate_cell(rate_over_rounds(r.trainer)));
    script.cells.push_back(rate_cell(rate_over_rounds(r.pipeline)));
    waits.cells.push_back(r.waited_share ? share_text(*r.waited_share) : kNotMeasured);
    remark.cells.push_back(remark_of(plan, i));
  }
  return {rank, loader, trainer, script, waits, remark};
}

std::string rank_spread_words(const Plan& plan) {
  const auto spread = rank_spread(plan);
  if (!spread) return "";
  if (spread->slowest == spread->quickest) return equal_words(plan, *spread);
  const std::string slow = named(plan.ranks[spread->slowest], spread->by),
                    quick = named(plan.ranks[spread->quickest], spread->by);
  if (spread->by == RankBy::wait)
    return fmt::format("Waits longest for its loader: {}; least: {}.", slow, quick);
  return fmt::format("Slowest loader: {}; quickest: {}, {}.{}", slow, quick,
                     ratio_cell(spread->ratio), doubt_of(spread->ratio));
}

}  // namespace benchbench
