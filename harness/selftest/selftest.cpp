#include "harness/selftest/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/rates/by_round.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/rules/rules.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/selftest/fault_size.h"
#include "harness/trial/executor.h"

namespace benchbench::selftest {
namespace {

constexpr double kShare = 0.25;         // of the step that each fault costs
constexpr double kVirtualNoise = 0.05;  // the real clock brings its own
constexpr std::uint32_t kKnownRounds = 3, kObserverRounds = 10;
constexpr std::uint64_t kControlSeeds[] = {101, 102, 103};
constexpr int kWaits = 200;

// What is left, from how long what is done took.
class Clock {
 public:
  explicit Clock(const std::function<void(const SelftestProgress&)>& tell)
      : tell_(tell), runtime_(make_real_runtime()), start_(runtime_->now()) {}
  void expect(double seconds) { expected_ += seconds; }
  double seconds() const { return to_seconds(runtime_->now() - start_); }
  Runtime& runtime() { return *runtime_; }
  // `priced`: of what was expected, done by now.
  void tell(std::string doing, std::uint32_t round, std::uint32_t rounds, double priced) const {
    if (!tell_) return;
    const double share = expected_ > 0 ? std::min(1.0, priced / expected_) : 0;
    const double pace = priced > 0 ? seconds() / priced : 1;
    tell_({std::move(doing), round, rounds, share, std::max(0.0, expected_ - priced) * pace});
  }

 private:
  const std::function<void(const SelftestProgress&)>& tell_;
  std::unique_ptr<Runtime> runtime_;
  TimePoint start_;
  double expected_ = 0;
};

void run_rounds(Bench& bench, std::uint32_t rounds, const std::string& doing, double before,
                const Clock& clock) {
  for (std::uint32_t round = 0; round < rounds; ++round)
    bench.run_round(round, [&](std::size_t done) {
      const double share =
          static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(1, bench.trials()));
      clock.tell(doing, round + 1, rounds, before + bench.seconds() * (round + share));
    });
}

void put_in(FaultRun& faults, const SelftestOptions& options) {
  for (const InjectedFault& fault : injected_faults()) {
    if (options.only && options.only != &fault) continue;
    faults.add_fault(fault, kShare, size_for_share(fault, kShare, options.catalog));
  }
  std::size_t ground = options.only ? static_cast<std::size_t>(options.only->ground) : 0;
  for (const std::uint64_t seed : kControlSeeds) {
    faults.add_control(static_cast<Ground>(ground), seed);
    if (!options.only) ground = (ground + 1) % kGrounds;
  }
}

// The trials of two plans of the same scenario, pairwise by what they are for.
std::vector<std::pair<std::uint32_t, std::uint32_t>> twins(const Point& a, const Point& b) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  const auto add = [&](const auto& of_a, const auto& of_b) {
    for (const auto& [what, trial] : of_a)
      for (const auto& [other, twin] : of_b)
        if (what == other) pairs.emplace_back(trial, twin);
  };
  add(a.trials, b.trials);
  add(a.ablations, b.ablations);
  return pairs;
}

bool clear_of_zero(const ByRound& a, const ByRound& b) {
  const Measured e = estimate_mean(differences_within(a, b));
  return e && e->n > 1 && (e->low > 0 || e->high < 0);
}

struct JudgedExperiment {
  const Experiment& of;
  const JudgedTrials& trials;
};

void compare_twins(const JudgedExperiment& base, const JudgedExperiment& control,
                   SameAgainstSame& same) {
  const Plan &a = base.of.plan, &b = control.of.plan;
  for (const auto& [trial, twin] : twins(a.points.front(), b.points.front())) {
    // They are one and the same.
    if (a.trials[trial].digest == b.trials[twin].digest) continue;
    ++same.comparisons;
    same.clear_of_zero +=
        clear_of_zero(base.trials.log_rates(trial), control.trials.log_rates(twin));
  }
}

// Logs of the pipelines' rates in groups that should be equal: a ground's and its controls', round
// by round.
using Groups = std::map<std::pair<Ground, std::uint32_t>, std::vector<double>>;
void add_pipeline(Groups& groups, Ground ground, const Experiment& e, const JudgedTrials& trials) {
  if (const auto pipeline = trial_of(e.plan.points.front(), Mode::pipeline))
    for (const auto& [round, log] : trials.log_rates(*pipeline))
      groups[{ground, round}].push_back(log);
}

SameAgainstSame same_against_same(const FaultRun& faults, const std::vector<FaultCase>& cases) {
  SameAgainstSame same;
  Groups groups;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].fault) continue;
    const Experiment &base = faults.ground_of(i), &control = faults.suspect_of(i);
    const JudgedTrials of_base(base.plan, base.records), of_control(control.plan, control.records);
    compare_twins({base, of_base}, {control, of_control}, same);
    const auto seen = groups.lower_bound({cases[i].ground, 0});
    if (seen == groups.end() || seen->first.first != cases[i].ground)
      add_pipeline(groups, cases[i].ground, base, of_base);
    add_pipeline(groups, cases[i].ground, control, of_control);
  }
  std::vector<std::vector<double>> repeats;
  for (auto& [key, group] : groups) repeats.push_back(std::move(group));
  same.pipelines = repeat_difference(repeats);
  return same;
}

// Trials by status, and the words of those that are not VALID, each once.
void count_trials(const Bench& bench, TrialCounts& counts) {
  for (std::size_t i = 0; i < bench.size(); ++i)
    for (const TrialRecord& record : bench.experiment(i).records) {
      const Judgement judgement = judge(record);
      ++counts.by_status[static_cast<std::size_t>(judgement.status)];
      for (const Reason& reason : judgement.reasons) {
        const std::string rule = reason.rule.empty() ? reason.text : reason.rule;
        auto [at, fresh] = counts.reasons.try_emplace(rule, 0, reason.text);
        ++at->second.first;
      }
    }
}

void calibrate_into(SelftestResult& result, Clock& clock) {
  result.environment = observe_environment();
  calibrate(result.environment);
  const Lateness late = timer_lateness(clock.runtime(), kWaits, std::chrono::milliseconds{1});
  result.lateness = WaitLateness{late.median_ns, late.p99_ns, kWaits};
}

// Returns the seconds that it was priced at.
double run_known_answers(const BenchOptions& bench, Clock& clock, SelftestResult& result) {
  KnownAnswerRun known(bench);
  const double answers = known.bench().seconds() * kKnownRounds;
  const double all = answers + known.observer_bench().seconds() * kObserverRounds;
  clock.expect(all);
  run_rounds(known.bench(), kKnownRounds, "known answers", 0, clock);
  run_rounds(known.observer_bench(), kObserverRounds, "observer", answers, clock);
  result.answers = known.answers();
  result.observer = known.observer_cost();
  count_trials(known.bench(), result.trials);
  return all;
}
}  // namespace

void Judged::count(Outcome outcome) noexcept {
  ++(outcome == Outcome::hit ? hit : outcome == Outcome::missed ? missed : too_noisy);
}

Outcome SelftestResult::outcome_of(const FaultCase& k) const noexcept {
  if (k.hit()) return Outcome::hit;
  return same.pipelines && same.pipelines->value > kNoise ? Outcome::too_noisy : Outcome::missed;
}

Judged SelftestResult::faults() const noexcept {
  Judged judged;
  for (const FaultCase& k : cases) judged.count(outcome_of(k));
  return judged;
}

Judged SelftestResult::known_answers() const noexcept {
  Judged judged;
  for (const KnownAnswer& a : answers) judged.count(a.outcome());
  return judged;
}

Outcome SelftestResult::outcome() const noexcept {
  Judged whole;
  if (observer) whole.count(observer->outcome());
  for (const Judged& part : {faults(), known_answers()}) {
    whole.missed += part.missed;
    whole.too_noisy += part.too_noisy;
  }
  return whole.missed ? Outcome::missed : whole.too_noisy ? Outcome::too_noisy : Outcome::hit;
}

std::string SelftestResult::noise() const {
  std::vector<std::string> told;
  for (const KnownAnswer& a : answers) {
    if (a.outcome() != Outcome::too_noisy) continue;
    told.push_back(a.repeats ? fmt::format("{} was off by {:.3g} %, and two identical trials "
                                           "differed by {:.3g} %: {:.2g} % is allowed",
                                           a.name, 100 * std::abs(a.error), 100 * a.repeats->value,
                                           100 * a.tolerance)
                             : fmt::format("of {} no round has two usable trials", a.name));
  }
  if (observer && observer->outcome() == Outcome::too_noisy)
    told.push_back(
        fmt::format("the observer's cost is {:.2g} to {:.2g} %, on both sides of {:.2g} %",
                    100 * observer->share.low, 100 * observer->share.high, 100 * observer->limit));
  if (faults().too_noisy > 0)
    told.push_back(
        fmt::format("two identical pipelines differ by up to {:.2g} %, more than the {:.2g} % at "
                    "which a fault is named",
                    100 * same.pipelines->value, 100 * kNoise));
  return fmt::format("{}", fmt::join(told, "; "));
}

SelftestResult run_selftest(const SelftestOptions& options,
                            const std::function<void(const SelftestProgress&)>& progress) {
  Clock clock(progress);
  SelftestResult result;
  result.simulated = options.simulated;
  result.rounds = options.rounds;
  if (!options.simulated) calibrate_into(result, clock);
  const BenchOptions bench{.catalog = options.catalog,
                           .environment = result.environment,
                           .simulated = options.simulated,
                           .seed = options.seed,
                           .stop = options.stop};
  FaultRun faults(bench, options.simulated ? kVirtualNoise : 0);
  put_in(faults, options);
  clock.expect(faults.bench().seconds() * options.rounds);
  double done = 0;
  if (!options.simulated && !options.only) done = run_known_answers(bench, clock, result);
  run_rounds(faults.bench(), options.rounds, "faults", done, clock);
  result.cases = faults.results();
  result.confusion = confusion_of(result.cases);
  result.same = same_against_same(faults, result.cases);
  count_trials(faults.bench(), result.trials);
  result.seconds = clock.seconds();
  return result;
}

}  // namespace benchbench::selftest
