#include "harness/analysis/summary/page_faults.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace benchbench {
namespace {

constexpr double kCostly = 0.01;
constexpr double kUnlike = 1.1;

double faults_per_step(const Facts& facts) {
  if (facts.window.steps == 0) return 0;
  return static_cast<double>(facts.cpu.page_faults.value_or(0)) / window_steps(facts);
}

double thread_ns(const Facts& facts) { return window_ns(facts) * (1.0 + facts.workers.count); }

std::optional<PageFaults> page_faults_in(const TrialRecord& record) {
  const double each = record.environment.page_fault_ns, time = thread_ns(record.facts);
  if (!record.facts.cpu.page_faults || !(each > 0) || !(time > 0)) return std::nullopt;
  const double all = static_cast<double>(*record.facts.cpu.page_faults);
  return PageFaults{record.planned.trial, faults_per_step(record.facts), each * 1e-6,
                    std::min(1.0, all * each / time)};
}

bool is_above(const Distribution& slow, const Distribution& fast) {
  return fast.n > 0 && slow.p50 > fast.p90;
}

bool windows_differ(const WindowFacts& slow, const WindowFacts& fast) {
  return is_above(slow.step, fast.step) || is_above(slow.get_blocked, fast.get_blocked);
}

// True if the slower run's further page faults take at least a tenth of the time that it lost.
bool page_faults_explain(const TrialRecord& slow, const TrialRecord& fast) {
  const auto a = page_faults_in(slow), b = page_faults_in(fast);
  if (!a || !b) return false;
  const double lost_ms = 1e-6 * (window_ns(slow.facts) / window_steps(slow.facts) -
                                 window_ns(fast.facts) / window_steps(fast.facts));
  return (a->per_step - b->per_step) * a->each_ms > 0.1 * lost_ms;
}

// Equal for trials that are the same, whichever points they belong to.
std::string what_runs(const Trial& trial) {
  std::string text(name_of(trial.mode));
  for (const auto& [key, value] : trial.settings.all()) text += "\n" + key + "=" + value.text();
  return text;
}

std::optional<UnlikeRepeats> compare(const TrialRecord& a, const TrialRecord& b) {
  const auto log_a = log_rate(a.facts), log_b = log_rate(b.facts);
  if (!log_a || !log_b) return std::nullopt;
  const TrialRecord& slow = *log_a < *log_b ? a : b;
  const TrialRecord& fast = *log_a < *log_b ? b : a;
  const double ratio = std::exp(std::abs(*log_a - *log_b));
  if (ratio < kUnlike || !windows_differ(slow.facts.window, fast.facts.window)) return std::nullopt;
  return UnlikeRepeats{.slow = slow.planned,
                       .fast = fast.planned,
                       .ratio = ratio,
                       .page_faults = page_faults_explain(slow, fast)};
}

using Groups = std::map<std::pair<std::uint32_t, std::string>, std::vector<const TrialRecord*>>;

// Groups the usable records by round and by what ran.
Groups group_repeats(const JudgedTrials& trials) {
  std::map<std::uint32_t, std::string> what;  // by trial: it is the same in each round
  Groups groups;
  for (const JudgedRecord& judged : trials.all()) {
    if (!judged.usable()) continue;
    std::string& runs = what[judged.record->planned.trial];
    if (runs.empty()) runs = what_runs(judged.record->trial);
    groups[{judged.record->planned.round, runs}].push_back(judged.record);
  }
  return groups;
}

}  // namespace

std::optional<PageFaults> costly_page_faults(const JudgedTrials& trials) {
  std::optional<PageFaults> worst;
  for (const JudgedRecord& judged : trials.all())
    if (const auto seen = judged.usable() ? page_faults_in(*judged.record) : std::nullopt;
        seen && seen->share > (worst ? worst->share : kCostly))
      worst = seen;
  return worst;
}

std::optional<UnlikeRepeats> unlike_repeats(const JudgedTrials& trials) {
  std::optional<UnlikeRepeats> worst;
  for (const auto& [slot, records] : group_repeats(trials))
    for (std::size_t i = 0; i < records.size(); ++i)
      for (std::size_t k = i + 1; k < records.size(); ++k) {
        const auto found = compare(*records[i], *records[k]);
        if (found && (!worst || found->ratio > worst->ratio)) worst = found;
      }
  return worst;
}

}  // namespace benchbench
