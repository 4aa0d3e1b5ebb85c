#include "harness/analysis/compare/compare_runs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/analysis/compare/clean_pairs.h"
#include "harness/analysis/compare/compared_rounds.h"
#include "harness/analysis/compare/moved_stage.h"
#include "harness/analysis/compare/paired_points.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// Returns how often as many rounds as were planned have begun.
std::uint32_t count_looks(const ComparedRun& run) {
  std::uint32_t looks = 1;
  for (const TrialRecord& r : run.records)
    if (run.plan.rounds > 0) looks = std::max(looks, 1 + r.planned.round / run.plan.rounds);
  return looks;
}

bool is_simulated(const std::vector<TrialRecord>& records) {
  return std::ranges::any_of(records, [](const TrialRecord& r) { return r.facts.simulated; });
}

bool ran_in_one_process(const std::vector<TrialRecord>& records) {
  return std::ranges::any_of(records, [](const TrialRecord& r) {
    const Value* isolation = r.trial.settings.find(keys::measure.isolation);
    return isolation && isolation->text() == "none";
  });
}

// Of one run of the anchor: pooled over its rounds.
std::optional<double> within_process(const Plan& plan, const JudgedTrials& trials) {
  if (plan.anchor == kNoAnchor) return std::nullopt;
  const auto spread = spread_within(trials.log_rate_repeats(plan.anchor));
  return spread ? std::optional(spread->deviation) : std::nullopt;
}

// Parts that stand in for real ones on both sides, in a plan that has real ones elsewhere.
bool is_all_mock(const Plan& plan, const Point& point) {
  const auto mocked = [&](std::string_view key, const char* kind) {
    return point.settings.has(key) &&
           contains(plan.scenario.mocks, kind + point.settings.text(key));
  };
  return mocked(keys::loader.use, "loader=") && mocked(keys::trainer.use, "trainer=");
}
bool is_canary(const Plan& plan, const Point& point) {
  return is_all_mock(plan, point) &&
         !std::ranges::all_of(plan.points, [&](const Point& p) { return is_all_mock(plan, p); });
}

std::optional<TrialPair> trials_of(const Point& a, const Point& b, const Metric& metric) {
  const auto both = [&](Mode mode) -> std::optional<TrialPair> {
    const auto in_a = trial_of(a, mode), in_b = trial_of(b, mode);
    return in_a && in_b ? std::optional(TrialPair{*in_a, *in_b}) : std::nullopt;
  };
  if (const auto mode = metric.mode()) return both(*mode);
  for (const Mode mode : {Mode::pipeline, Mode::loader, Mode::trainer})
    if (const auto trials = both(mode)) return trials;
  return std::nullopt;
}

// "FAILED: the trial's process was killed by SIGKILL".
std::string status_and_reason(const JudgedRecord& judged) {
  std::string text(name_of(judged.status));
  if (!judged.reasons.empty()) text += ": " + judged.reasons.front().text;
  return text;
}

std::string why_no_rounds(const char* side, JudgedRecords records) {
  const auto at = std::ranges::find_if(records, [](const JudgedRecord& r) { return !r.usable(); });
  if (at == records.end())
    return std::string(side) +
           (records.empty() ? ": no record" : ": not measured in usable rounds of both");
  return std::string(side) + ": " + status_and_reason(*at);
}

class Comparer {
 public:
  Comparer(const ComparedRun& a, const ComparedRun& b, const CompareAsked& asked)
      : a_(a), b_(b), asked_(asked), trials_a_(a.plan, a.records), trials_b_(b.plan, b.records) {}

  ComparisonFindings run() {
    describe();
    if (refuse()) return std::move(out_);
    pair_points();
    if (out_.points.empty()) {
      out_.not_comparable = NotComparable::no_common_point;
      return std::move(out_);
    }
    compare();
    look_at_canaries();
    for (Slot& slot : slots_) judge_slot(slot);
    for (const Slot& slot : slots_) out_.points[slot.point].metrics.push_back(slot.found);
    name_stages();
    return std::move(out_);
  }

 private:
  // One comparison on its way.
  struct Slot {
    std::size_t point = 0;
    TrialPair trials;
    ComparedRounds rounds;
    MetricComparison found;
    std::pair<const Metric*, TrialPair> key() const { return {found.metric, trials}; }
  };

  bool paired() const { return asked_.relation != Relation::stored; }
  Rounds rounds() const { return paired() ? Rounds::shared : Rounds::apart; }

  void describe() {
    const bool interleaved = asked_.relation == Relation::interleaved;
    out_.relation = asked_.relation;
    out_.scenario_a = a_.plan.scenario.name, out_.scenario_b = b_.plan.scenario.name;
    out_.differences = run_differences(a_.plan, a_.records, b_.plan, b_.records);
    out_.simulated = is_simulated(a_.records) && is_simulated(b_.records);
    out_.one_process = ran_in_one_process(a_.records) || ran_in_one_process(b_.records);
    out_.rounds_a = trials_a_.usable_rounds(), out_.rounds_b = trials_b_.usable_rounds();
    // Each trial of interleaved sides has a process of its own.
    if (out_.simulated || !interleaved) {
      out_.within_a = within_process(a_.plan, trials_a_);
      out_.within_b = within_process(b_.plan, trials_b_);
    }
    if (interleaved) out_.looks = count_looks(a_);
    out_.spread = asked_.spread;
    if (!out_.spread && (out_.simulated || paired())) out_.spread = 0;
  }

  bool refuse_as(NotComparable why, std::string detail) {
    out_.not_comparable = why;
    out_.not_comparable_detail = std::move(detail);
    return true;
  }
  bool refuse() {
    for (const auto& [name, trials] : {std::pair{"A", &trials_a_}, {"B", &trials_b_}})
      if (!has_usable(trials->all())) {
        if (!trials->all().empty())
          out_.not_comparable_reason = status_and_reason(trials->all().front());
        return refuse_as(NotComparable::no_usable_trial, name);
      }
    // Virtual time is the same on every machine.
    return !out_.simulated && refuse_other_machines();
  }
  bool refuse_other_machines() {
    const auto machines_a = machines_of(a_.records), machines_b = machines_of(b_.records);
    if (machines_a.size() > 1) return refuse_as(NotComparable::mixed_hardware, "A");
    if (machines_b.size() > 1) return refuse_as(NotComparable::mixed_hardware, "B");
    if (machines_a != machines_b) return refuse_as(NotComparable::other_hardware, "");
    const bool simulated_a = is_simulated(a_.records);
    return simulated_a != is_simulated(b_.records) &&
           refuse_as(NotComparable::clocks, simulated_a ? "A" : "B");
  }

  void pair_points() {
    const PairedPoints pairs = asked_.relation == Relation::interleaved
                                   ? pair_by_labels(a_.plan, b_.plan)
                                   : pair_by_settings(a_.plan, b_.plan, asked_.across);
    for (const std::uint32_t i : pairs.only_a) out_.only_a.push_back(a_.plan.points[i].name());
    for (const std::uint32_t i : pairs.only_b) out_.only_b.push_back(b_.plan.points[i].name());
    const double floor_a = floor_of(a_.plan, trials_a_), floor_b = floor_of(b_.plan, trials_b_);
    for (const auto& [a, b] : pairs.pairs) {
      const bool canary =
          is_canary(a_.plan, a_.plan.points[a]) && is_canary(b_.plan, b_.plan.points[b]);
      PointComparison& point = out_.points.emplace_back();
      point.a = a, point.b = b, point.canary = canary;
      point.name = a_.plan.points[a].name();
      add_sides(point, floor_a, floor_b);
    }
  }
  static double floor_of(const Plan& plan, const JudgedTrials& trials) {
    const Measured floor = aa_floor(plan, trials);
    return floor ? floor->value : 0;
  }
  void add_sides(PointComparison& point, double floor_a, double floor_b) const {
    const auto named = [](Side s) { return s != Side::unknown && s != Side::balanced; };
    const PointFindings a = summarise_point(a_.plan, a_.plan.points[point.a], trials_a_, floor_a);
    const PointFindings b = summarise_point(b_.plan, b_.plan.points[point.b], trials_b_, floor_b);
    point.side_a = a.side, point.side_b = b.side;
    point.side_moved = named(a.side) && named(b.side) && a.side != b.side;
  }

  void compare() {
    for (std::size_t i = 0; i < out_.points.size(); ++i)
      for (const Metric* metric : compared_metrics()) add_slot(i, *metric);
    std::vector<ComparedRates> all;
    for (const Slot& slot : slots_) all.push_back(slot.rounds.rates);
    const std::vector<Comparison> decided = compare_all(all);
    for (std::size_t i = 0; i < slots_.size(); ++i)
      benchbench::describe(slots_[i].rounds, decided[i], slots_[i].found);
  }
  void add_slot(std::size_t point, const Metric& metric) {
    const Point &a = a_.plan.points[out_.points[point].a],
                &b = b_.plan.points[out_.points[point].b];
    const auto trials = trials_of(a, b, metric);
    if (!trials || (a_.plan.trials[trials->a].skip && b_.plan.trials[trials->b].skip)) return;
    // A trial that several points share is compared once.
    if (Slot* known = find_element(slots_, std::pair(&metric, *trials), &Slot::key)) {
      ++known->found.points;
      return;
    }
    Slot slot{point, *trials, compared_rounds(trials_a_, trials_b_, *trials, metric, paired()), {}};
    if (slot.rounds.rates.a.empty() && !metric.is_rate()) return;  // not measured
    slot.rounds.rates.min_effect = std::max(kMinEffect, out_.spread.value_or(0));
    slot.found.metric = &metric;
    slots_.push_back(std::move(slot));
  }

  void look_at_canaries() {
    if (asked_.relation != Relation::stored) return;
    for (const Slot& slot : slots_) {
      const PointComparison& point = out_.points[slot.point];
      if (!point.canary || !slot.found.metric->is_rate() || !slot.found.change) continue;
      if (std::abs(slot.found.change->value) > kMinEffect &&
          !contains(out_.moved_canaries, point.name))
        out_.moved_canaries.push_back(point.name);
    }
  }

  Unsure unsure_for(const Slot& slot) const {
    if (out_.one_process) return Unsure::one_process;
    if (!out_.moved_canaries.empty()) return Unsure::canary;
    if (!out_.spread) return Unsure::spread_unknown;
    if (!slot.found.speaks) return Unsure::few_rounds;
    // The two of a pair run next to each other in an order that is drawn: noise that does not come
    // with a side is on either alike, so that the signed ranks hold.
    const bool hides = !paired() || comes_noise_with_a_side(trials_a_.of(slot.trials.a),
                                                            trials_b_.of(slot.trials.b));
    if (slot.rounds.noisy > 0 && hides) return Unsure::noisy;
    return slot.found.hidden_by_cut ? Unsure::cut_windows : Unsure::none;
  }

  std::string why_invalid(TrialPair trials) const {
    const auto a = trials_a_.of(trials.a);
    return has_usable(a) ? why_no_rounds("B", trials_b_.of(trials.b)) : why_no_rounds("A", a);
  }

  void judge_slot(Slot& slot) {
    MetricComparison& found = slot.found;
    if (slot.rounds.rates.a.empty()) {
      found.judgement = Judged::invalid, found.why = Unsure::no_rounds;
      found.reason = why_invalid(slot.trials);
      return;
    }
    constexpr std::array kJudged{Judged::slower, Judged::faster, Judged::same, Judged::unsure};
    found.why = unsure_for(slot);
    if (found.why == Unsure::none)
      found.judgement = kJudged[static_cast<std::size_t>(found.difference)];
    if (found.why == Unsure::none && found.judgement == Judged::unsure) found.why = Unsure::wide;
  }

  void name_stages() {
    for (PointComparison& point : out_.points)
      point.stage = moved_stage({a_.plan.points[point.a], trials_a_},
                                {b_.plan.points[point.b], trials_b_}, point, rounds());
  }

  const ComparedRun &a_, &b_;
  const CompareAsked& asked_;
  const JudgedTrials trials_a_, trials_b_;
  std::vector<Slot> slots_;
  ComparisonFindings out_;
};

}  // namespace

ComparisonFindings compare_runs(const ComparedRun& a, const ComparedRun& b,
                                const CompareAsked& asked) {
  return Comparer(a, b, asked).run();
}

bool are_same_run(const ComparedRun& a, const ComparedRun& b) {
  return !a.records.empty() &&
         std::ranges::equal(a.records, b.records, [](const TrialRecord& x, const TrialRecord& y) {
           return x.started_at == y.started_at && x.trial.digest == y.trial.digest &&
                  x.planned.round == y.planned.round && x.facts.window.ns == y.facts.window.ns &&
                  x.facts.window.samples == y.facts.window.samples &&
                  x.environment.machine == y.environment.machine;
         });
}

bool PointComparison::changed() const noexcept {
  return side_moved || std::ranges::any_of(metrics, &MetricComparison::is_called);
}

std::size_t ComparisonFindings::count(Judged j) const noexcept {
  std::size_t n = 0;
  for (const PointComparison& p : points)
    n += static_cast<std::size_t>(std::ranges::count(p.metrics, j, &MetricComparison::judgement));
  return n;
}

bool ComparisonFindings::says_nothing() const noexcept {
  return not_comparable != NotComparable::none ||
         count(Judged::slower) + count(Judged::faster) + count(Judged::same) == 0;
}

}  // namespace benchbench
