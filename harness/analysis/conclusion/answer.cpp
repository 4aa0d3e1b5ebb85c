#include "harness/analysis/conclusion/answer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/external/external_windows.h"
#include "harness/analysis/rates/certainty.h"
#include "harness/analysis/rules/rules.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

bool has_noisy_mode(const PointFindings& p) {
  return contains(p.mode_status, std::optional(Status::noisy));
}

// True if no other setting that was tried is shown to be faster, and one might be.
bool is_choice_open(const Findings& f) {
  return f.points.size() > 1 && f.recommended &&
         f.recommended->choice == Choice::no_difference_shown;
}

// Returns the rounds that a finding rests on; 0: it is not measured. A cost of the whole run has
// one value, which is of all rounds.
std::uint32_t count_rounds(const ExternalFinding& found, const PointFindings& p) {
  const Measured& cost = found.ms ? found.ms : found.bytes;
  return cost ? std::max(cost->n, p.rounds) : 0;
}

// True if `share` may be the smaller one, by what shares are expected to differ from round to
// round.
bool may_be_below(double share, double other, std::uint32_t rounds, double spread) {
  const std::vector<double> alike(rounds, 0.0);
  return std::log(share / other) < half_interval(alike, spread, kErrorsOfLooks);
}

double spread_here(const Findings& f) {
  return expected_spread(f.cores ? std::optional(f.cores->others) : std::nullopt);
}

bool any_usable(const PointFindings& p) {
  return std::ranges::any_of(p.mode_status,
                             [](const std::optional<Status>& s) { return s && is_usable(*s); });
}

// True if a mode of the base that was to run has a device that was not to be opened then.
bool was_skipped(const PointFindings& base, const Plan& plan) {
  return std::ranges::any_of(plan.points.front().trials, [&](const auto& row) {
    const std::optional<Status>& status = base.mode_status[static_cast<std::size_t>(row.first)];
    return !plan.trials.at(row.second).skip && status == Status::skipped;
  });
}

bool knows_script(const Findings& f, const Plan& plan) {
  const ExternalPoint* seen = f.external.at(0);
  return wraps_script(plan) &&
         (!f.external.findings.empty() || (seen && is_known_without_stretch(*seen)));
}

}  // namespace

bool is_side_doubted(const Findings& f) {
  const Conclusion& c = f.conclusion;
  const bool of_settings =
      c.doubt == Doubt::few_rounds && c.subject && f.points[*c.subject].settled.value_or(false);
  return c.doubt != Doubt::none && !of_settings;
}

bool is_first_advice_open(const Findings& f) {
  const ExternalFinding* first = first_advised(f);
  if (!first || first->share >= 1) return false;
  const std::uint32_t rounds = count_rounds(*first, f.points[first->point]);
  if (rounds == 0) return false;
  const double spread = spread_here(f);
  if (rounds < least_rounds(spread)) return true;
  const auto advised = advised_findings(f);
  const double next = advised.size() > 1 ? advised[1]->share : 0,
               least = first->ms ? std::max(next, kWorth) : next;
  return least > 0 && may_be_below(first->share, least, rounds, spread);
}

bool needs_another_round(const Findings& f) {
  return contains(f.points.front().mode_status, std::optional(Status::invalid)) ||
         is_first_advice_open(f);
}

OpenPart open_part(const Findings& f) {
  if (f.conclusion.subject && is_side_doubted(f)) return OpenPart::side;
  if (is_choice_open(f) || (f.conclusion.subject && f.conclusion.doubt != Doubt::none))
    return OpenPart::settings;
  return is_first_advice_open(f) ? OpenPart::advice : OpenPart::none;
}

OpenPart part_open_by_noise(const Findings& f) {
  return std::ranges::any_of(f.points, has_noisy_mode) ? open_part(f) : OpenPart::none;
}

bool is_known_without_stretch(const ExternalPoint& seen) {
  return seen.job || find_noticed(seen.facts, kHang) || find_noticed(seen.facts, kStepsAlone);
}

bool has_answer(const Findings& f, const Plan& plan) {
  if (plan.points.empty() || f.points.empty() || f.points.front().point != 0)
    return !plan.points.empty() && knows_script(f, plan);
  const PointFindings& base = f.points.front();
  return (any_usable(base) || knows_script(f, plan)) && !was_skipped(base, plan);
}

bool is_change_certain(const ExternalFinding& finding, const Findings& f) {
  return f.conclusion.doubt == Doubt::none || !finding.ms;
}

bool is_blind(const std::optional<double>& detectable) {
  return detectable && *detectable > kBlindFrom;
}

bool is_without_stretch(const Findings& f, const Plan& plan) {
  return wraps_script(plan) && f.trials_recorded > 0 &&
         f.count(Status::aborted) == f.trials_recorded;
}

bool is_said_noisy(const Findings& f, const Plan& plan, const PointFindings& at) {
  return at.status == Status::noisy && !hides_noise(f, plan);
}

bool hides_noise(const Findings& f, const Plan& plan) {
  return wraps_script(plan) && part_open_by_noise(f) == OpenPart::none;
}

Findings hide_noise(const Findings& findings, const Plan& plan) {
  Findings shown = findings;
  if (!hides_noise(findings, plan)) return shown;
  for (PointFindings& p : shown.points) {
    if (p.status == Status::noisy) p.status = Status::valid;
    std::ranges::replace(p.mode_status, std::optional(Status::noisy), std::optional(Status::valid));
  }
  return shown;
}

}  // namespace benchbench
