#include "harness/analysis/components/recovered.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/statistics/difference.h"
#include "harness/analysis/statistics/severity.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

using Shares = ByRound;  // of the step

// One round's steps of the modes, in units of the pipeline's own.
struct ModeSteps {
  std::optional<double> loader, trainer, cores;
  double longest() const {
    return std::max({loader.value_or(0), trainer.value_or(0), cores.value_or(0)});
  }
};

class SubstitutionAnalysis {
 public:
  SubstitutionAnalysis(const Point& point, const JudgedTrials& trials)
      : point_(point), trials_(trials), rates_(usable_rates(point, trials)) {}

  bool possible() const {
    const auto takes_apart = [](const auto& a) {
      return a.first.kind != AblationKind::interference &&
             a.first.kind != AblationKind::batch_on_device;
    };
    return !rates_.pipeline.empty() && std::ranges::any_of(point_.ablations, takes_apart);
  }
  const PointRates& rates() const { return rates_; }
  bool derived(Component c) const {
    if (c == Component::contention) return true;
    if (c != Component::compute && c != Component::lock) return false;
    return !has(free_of(c));
  }

  // Something of the plan tells it, whether or not it ran.
  bool planned(Component c) const {
    if (c == Component::contention || c == Component::compute) return true;
    return has(free_of(c)) ||
           (c == Component::tiny_batch && has({AblationKind::four_times_batch, {}})) ||
           (c == Component::lock && has({AblationKind::one_worker, {}}));
  }

  std::array<Shares, kComponents> all() {
    std::array<Shares, kComponents> shares;
    for (const auto& [ablation, trial] : point_.ablations) {
      const ByRound& rates = trials_.log_rates(trial);
      if (ablation.kind == AblationKind::free)
        shares[index(ablation.component)] = recovered_against(rates);
      if (ablation.kind == AblationKind::four_times_batch)
        shares[index(Component::tiny_batch)] = recovered_against(rates);
      if (ablation.kind == AblationKind::one_worker)
        shares[index(Component::lock)] = lost_by_workers(rates);
    }
    Shares& compute = shares[index(Component::compute)];
    if (!has(free_of(Component::compute))) compute = computing(shares);
    shares[index(Component::contention)] = contention();
    return shares;
  }

  Shares recovered_against(const ByRound& log_rates) const {
    Shares shares;
    for (const auto& [round, pipeline] : rates_.pipeline)
      if (const double* other = find_value(log_rates, round))
        shares[round] = 1 - std::exp(pipeline - *other);
    return shares;
  }

  ModeSteps steps_of(std::uint32_t round) const {
    return {relative(rates_.loader, round), relative(rates_.trainer, round),
            relative(rates_.cpu, round)};
  }

 private:
  bool has(const Ablation& wanted) const {
    return contains(point_.ablations | std::views::keys, wanted);
  }
  static std::size_t index(Component c) { return static_cast<std::size_t>(c); }

  std::optional<double> relative(const ByRound& log_rates, std::uint32_t round) const {
    const double* at = find_value(log_rates, round);
    return at ? std::optional(std::exp(rates_.pipeline.at(round) - *at)) : std::nullopt;
  }

  Shares computing(const std::array<Shares, kComponents>& shares) const {
    Shares result;
    for (const auto& [round, pipeline] : rates_.pipeline) {
      const ModeSteps steps = steps_of(round);
      if (!steps.loader) continue;
      double others = 0;
      for (std::size_t c = 0; c < kComponents; ++c)
        if (side_of(static_cast<Component>(c)) == Side::trainer)
          if (const double* share = find_value(shares[c], round)) others += std::max(0.0, *share);
      result[round] =
          1 - (rates_.overlaps ? std::max(*steps.loader, others) : *steps.loader + others);
    }
    return result;
  }

  // The trainer's share of the step: by its own rate, else what its waits leave of the step. A
  // device works on while its host waits, so that these waits say nothing of its steps.
  std::optional<double> trainer_share(std::uint32_t round) const {
    if (const auto alone = relative(rates_.trainer, round)) return alone;
    const double* waited = find_value(rates_.waited, round);
    if (!waited || steps_elsewhere(point_, trials_)) return std::nullopt;
    return 1 - *waited;
  }

  Shares lost_by_workers(const ByRound& one_worker) const {
    const double workers =
        static_cast<double>(point_.settings.get_if(keys::loader.num_workers).value_or(1));
    Shares result;
    for (const auto& [round, pipeline] : rates_.pipeline) {
      const auto alone = relative(one_worker, round);
      const auto trainer = trainer_share(round), cores = relative(rates_.cpu, round);
      if (!alone || !trainer) continue;
      result[round] = 1 - std::max({*alone / workers, *trainer, cores.value_or(0)});
    }
    return result;
  }

  // Without workers nothing overlaps, by choice: both sides' time is no contention.
  Shares contention() const {
    Shares result;
    for (const auto& [round, pipeline] : rates_.pipeline) {
      const ModeSteps steps = steps_of(round);
      if (!steps.loader || !steps.trainer) continue;
      result[round] =
          1 - (rates_.overlaps ? steps.longest()
                               : std::max(*steps.loader + *steps.trainer, steps.cores.value_or(0)));
    }
    return result;
  }

  const Point& point_;
  const JudgedTrials& trials_;
  PointRates rates_;
};

Measured in_ms(const Shares& shares, double step_ms) {
  const Measured e = estimate_mean(values_in(shares));
  return e ? Measured(scaled(*e, step_ms)) : e;
}

// Whether with it free the step is, on the mean of the rounds, no longer than the other side's.
bool is_bounded(Component c, const Shares& shares, const SubstitutionAnalysis& taking) {
  const Side side = side_of(c);
  if (side != Side::loader && side != Side::trainer) return false;
  double rest = 0, rounds = 0;
  for (const auto& [round, share] : shares) {
    const ModeSteps steps = taking.steps_of(round);
    const auto& other = side == Side::loader ? steps.trainer : steps.loader;
    if (!other) continue;
    rest += 1 - share - *other;
    ++rounds;
  }
  return rounds > 0 && rest / rounds < kWorth;
}

Recovered recovered_of(Component c, const Shares& shares, const SubstitutionAnalysis& taking,
                       const Substitutions& whole) {
  const double step_ms = whole.step_ms->value;
  Recovered r;
  r.component = c;
  r.planned = taking.planned(c);
  r.ms = in_ms(shares, step_ms);
  for (const auto& [round, share] : shares)
    r.ms_by_round[round] = share * whole.step_ms_by_round.at(round);
  if (!r.ms) return r;
  r.share = r.ms->value / step_ms;
  if (is_clear(*r.ms)) r.severity = severity_of(r.share);
  r.bounded = is_bounded(c, shares, taking);
  r.derived = taking.derived(c);
  return r;
}

void sort_by_ms(std::vector<Recovered>& components) {
  std::ranges::stable_sort(components, [](const Recovered& a, const Recovered& b) {
    if (a.ms.has_value() != b.ms.has_value()) return a.ms.has_value();
    return a.ms && a.ms->value > b.ms->value;
  });
}

bool overlap(const Estimate& a, const Estimate& b) { return a.low <= b.high && b.low <= a.high; }

bool is_able(const Recovered& r) {
  return r.ms && decide(*r.ms, r.share, min_share(r.ms->n)) == Difference::faster;
}

// What is done while a lock is held comes free with what is freed, and the lock is why workers do
// not share it: where they are seen to wait for it, it is the one.
bool is_locked(const Substitutions& s) {
  return s.lock_wait_ms && *s.lock_wait_ms >= min_share(s.step_ms->n) * s.step_ms->value;
}

bool is_tiny(const Recovered* r) { return r->component == Component::tiny_batch; }

// Four times the batch thins out whatever is done once a batch: where a component of its own
// explains as much, that is meant.
bool explained(const Recovered& tiny, const std::vector<const Recovered*>& able) {
  return std::ranges::any_of(able, [&](const Recovered* r) {
    return !is_tiny(r) && (r->ms->value >= tiny.ms->value || overlap(*r->ms, *tiny.ms));
  });
}

// Those that recover enough, the largest first.
std::vector<const Recovered*> candidates(const Substitutions& s) {
  std::vector<const Recovered*> able;
  for (const Recovered& r : s.components) {
    if (!is_able(r)) continue;
    if (r.component == Component::lock && is_locked(s)) return {&r};
    able.push_back(&r);
  }
  const auto tiny = std::ranges::find_if(able, is_tiny);
  if (tiny != able.end() && explained(**tiny, able)) able.erase(tiny);
  return able;
}

// What a table of the components has on top, as far as its interval allows.
void name_binding(Substitutions& out) {
  // Measured components come first.
  out.binding = out.components.front().ms ? Naming::none : Naming::not_measured;
  const auto able = candidates(out);
  if (able.empty()) return;
  out.bound_by = {able[0]->component};
  out.rounds = able[0]->ms->n;
  out.binding = Naming::one;
  if (able.size() < 2 || !overlap(*able[0]->ms, *able[1]->ms)) return;
  out.bound_by.push_back(able[1]->component);
  out.binding = Naming::tie;
}

}  // namespace

Side side_of(Component component) noexcept {
  switch (component) {
    case Component::storage:
    case Component::parse:
    case Component::decode:
    case Component::transform:
    case Component::collate:
    case Component::order:
    case Component::lock:
    case Component::straggler:
    case Component::tail:
      return Side::loader;
    case Component::copy:
    case Component::compute:
    case Component::launch:
    case Component::sync:
    case Component::postprocess:
    case Component::checkpoint:
      return Side::trainer;
    case Component::rank_skew:
    case Component::contention:
    case Component::tiny_batch:
      return Side::unknown;
  }
  return Side::unknown;
}

std::optional<Substitutions> substitutions_of(const Point& point, const JudgedTrials& trials) {
  SubstitutionAnalysis taking(point, trials);
  if (!taking.possible()) return std::nullopt;
  Substitutions out;
  out.point = point.index;
  out.batch = taking.rates().batch;
  std::vector<double> steps;
  for (const auto& [round, log] : taking.rates().pipeline)
    steps.push_back(out.step_ms_by_round[round] = 1e3 * out.batch / std::exp(log));
  out.step_ms = estimate_mean(steps);
  const double step_ms = out.step_ms->value;
  const auto shares = taking.all();
  for (std::size_t c = 0; c < kComponents; ++c)
    out.components.push_back(recovered_of(static_cast<Component>(c), shares[c], taking, out));
  out.loader_ms = in_ms(taking.recovered_against(taking.rates().trainer), step_ms);
  out.trainer_ms = in_ms(taking.recovered_against(taking.rates().loader), step_ms);
  sort_by_ms(out.components);
  out.lock_wait_ms = lock_wait_ms(point, trials);
  name_binding(out);
  return out;
}

}  // namespace benchbench
