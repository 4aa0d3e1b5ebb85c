#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "harness/core/spelling.h"
#include "harness/record/setting_keys.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/budget_words.h"

namespace benchbench {
namespace {

constexpr std::size_t kNoticesTold = 8;

std::string storage_text(const Warnings::Storage& s) {
  const std::string swept =
      fmt::format("{} {} swept", listed(s.axes), s.axes.size() == 1 ? "is" : "are");
  if (!s.from_cache)
    return swept +
           ", but the source of the data was not measured: possibly not a storage comparison";
  return fmt::format(
      "not a storage comparison: {:.0f} % from the page cache ({}, but the data stayed in memory)",
      std::floor(100 * *s.from_cache), swept);
}

std::string notice_text(const Warnings::Notice& notice, const Plan& plan) {
  if (notice.all) return notice.text + (wraps_script(plan) ? "" : " (all trials)");
  std::set<std::string> names;
  for (const auto trial : notice.trials) names.insert(trial_name(plan, plan.trials[trial]));
  return fmt::format("{} ({}{})", notice.text, *names.begin(),
                     names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "");
}

// Nothing had to be left out for want of time, whatever was estimated.
bool all_ran(const Findings& f) {
  return f.trials_recorded > 0 && f.trials_missing == 0 && f.count(Status::aborted) == 0;
}

std::string_view in_words(std::optional<StallCause> cause) {
  constexpr std::string_view words[] = {"the wait for a batch", "the step itself",
                                        "post-processing", "a checkpoint", "the wait for a core"};
  static_assert(std::size(words) == kWordsOf<StallCause>.size());
  return cause ? words[static_cast<std::size_t>(*cause)] : "something";
}

// "25 steps", "2.5 steps": a period is a mean.
std::string period_text(double steps) {
  const double whole = std::round(steps);
  return std::abs(steps - whole) < 0.05 && whole >= 0
             ? counted(static_cast<std::uint64_t>(whole), "step")
             : human_count(steps) + " steps";
}

// Of a wrapped script's own step no stall is known from what it does that often on purpose.
std::string long_step_text(const StallFindings& stalls) {
  return fmt::format(
      "every {} a step takes longer, up to {}, and {:.1f} % of the time in all: so it is with an "
      "optimizer's step that is made that often, a log or the like",
      period_text(stalls.period_steps), human_duration(from_seconds(stalls.longest_ms * 1e-3)),
      100 * stalls.share);
}

std::string stall_text(const Warnings::PeriodicStalls& stalls, const Findings& f,
                       const Plan& plan) {
  const PointFindings& p = f.points[stalls.point];
  if (wraps_script(plan) && p.stalls->cause == StallCause::step) return long_step_text(*p.stalls);
  return fmt::format(
      "every {} {} stalls training, up to {} each and {:.1f} % of the time ({}{})",
      period_text(p.stalls->period_steps), in_words(p.stalls->cause),
      human_duration(from_seconds(p.stalls->longest_ms * 1e-3)), 100 * p.stalls->share, p.name,
      stalls.points > 1 ? fmt::format("; also {}", counted(stalls.points - 1, "more point")) : "");
}

std::string late_text(const Warnings::LateMock& late, const Plan& plan) {
  const Trial& trial = plan.trials[late.trial];
  const Value* use = trial.settings.find(late.trainer ? keys::trainer.use : keys::loader.use);
  const auto time = [](double ms) { return human_duration(from_seconds(ms * 1e-3)); };
  return fmt::format(
      "mock {} {} was set to {} per {} and took {} (+{:.3g} %): "
      "its rate is not the configured one ({}{})",
      late.trainer ? "trainer" : "loader", use ? use->text() : "", time(late.asked_ms),
      late.trainer ? "step" : "batch", time(late.taken_ms),
      100 * (late.taken_ms / late.asked_ms - 1), trial_name(plan, trial),
      late.trials > 1 ? fmt::format("; over 1 % in {} more trial{}", late.trials - 1,
                                    late.trials > 2 ? "s" : "")
                      : "");
}

// "base trainer, runs 1 and 3" or, of two points, "base trainer, num_workers=0 #2 trainer".
std::string both_names(const UnlikeRepeats& unlike, const Plan& plan) {
  const std::string slow = trial_name(plan, plan.trials[unlike.slow.trial]);
  return unlike.slow.trial == unlike.fast.trial
             ? fmt::format("{}, runs {} and {}", slow, unlike.slow.repeat + 1,
                           unlike.fast.repeat + 1)
             : fmt::format("{}, {}", slow, trial_name(plan, plan.trials[unlike.fast.trial]));
}

// The names come last: a narrow terminal cuts them first.
std::string unlike_text(const UnlikeRepeats& unlike, const Plan& plan) {
  return fmt::format(
      "the same trial differs by {:.2f}x in round {}, {}: {}", unlike.ratio, unlike.slow.round + 1,
      unlike.page_faults ? "by page faults" : "by an unknown cause", both_names(unlike, plan));
}

std::string shared_process_text(const Warnings::SharedProcess& shared, const Plan& plan) {
  return fmt::format(
      "rates in the shared process differ from those in a fresh one by {:+.1f} %; `--isolation "
      "trial` gives each trial its own ({})",
      100 * shared.gap, trial_name(plan, plan.trials[shared.trial]));
}

}  // namespace

// The trials of a sweep of run.cpus may use unlike numbers of cores: their mean.
std::string other_programs_text(const CoresUsed& used) {
  std::string text = fmt::format("other programs used {:.1f} of {:g} cores", used.others,
                                 std::round(10 * used.cpus) / 10);
  if (used.most > 1.5 * used.others) text += fmt::format(", {:.1f} in one trial", used.most);
  return text;
}

std::vector<std::string> warning_lines(const Findings& f, const Plan& plan) {
  const Warnings& w = f.warnings;
  std::vector<std::string> lines;
  if (w.storage) lines.push_back(storage_text(*w.storage));
  std::ranges::copy(budget_lines(plan, all_ran(f)), std::back_inserter(lines));
  for (std::size_t i = 0; i < std::min(w.notices.size(), kNoticesTold); ++i)
    lines.push_back(notice_text(w.notices[i], plan));
  if (w.notices.size() > kNoticesTold)
    lines.push_back(
        fmt::format("in the journal: {}", counted(w.notices.size() - kNoticesTold, "more notice")));
  if (w.stalls) lines.push_back(stall_text(*w.stalls, f, plan));
  for (const Warnings::LateMock& late : w.late_mocks) lines.push_back(late_text(late, plan));
  if (w.unlike_repeats) lines.push_back(unlike_text(*w.unlike_repeats, plan));
  if (w.shared_process) lines.push_back(shared_process_text(*w.shared_process, plan));
  if (w.shared_unchecked)
    lines.push_back(
        "trials shared a process, and none was measured in a fresh one, too: what that changes is "
        "not known; `--isolation trial` gives each its own");
  if (w.other_programs) lines.push_back(other_programs_text(*w.other_programs));
  if (w.foreign > 0)
    lines.push_back(fmt::format("ignored: {} of a different plan", counted(w.foreign, "record")));
  return lines;
}

}  // namespace benchbench
