#include "harness/report/words/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/depth_to_try.h"
#include "harness/report/external/external_lines.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/alarm_words.h"
#include "harness/report/words/beside_lines.h"
#include "harness/report/words/depth_words.h"

namespace benchbench {
namespace {

constexpr std::size_t kFaultsNamed = 3;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// "under 0.1 %" is a bound by itself.
std::string up_to(double share) {
  return (is_told_as_bound(share) ? "" : "up to ") + difference_text(share);
}

// "trainer, mlp: 185 a step at 0.6 us each take 5.2 % of the time of its threads"
std::string page_faults_line(const PageFaults& faults, const Plan& plan) {
  return fmt::format("{}: {} a step at {} each take {} of the time of its threads",
                     trial_name(plan, plan.trials[faults.trial]), human_count(faults.per_step),
                     human_duration(from_seconds(faults.each_ms * 1e-3)), share_text(faults.share));
}

std::string noise_line(const Findings& f, const Plan& plan) {
  std::string text;
  if (f.aa_floor && !(f.aa_floor->value > 0))
    text = fmt::format("identical trials of a round ({}) did not differ ({})",
                       trial_name(plan, plan.trials[plan.anchor]), counted(f.aa_floor->n, "pair"));
  else if (f.aa_floor && f.rounds < kNoiseRounds)
    text = fmt::format(
        "identical trials of a round ({}) differed by {} (median {}, {} in {}); from so few it is "
        "estimated that 95 of 100 differ by less than {}; "
        "smaller differences of its rate are not significant",
        trial_name(plan, plan.trials[plan.anchor]), up_to(f.aa_floor->high),
        difference_text(f.aa_floor->low), counted(f.aa_floor->n, "pair"),
        counted(f.rounds, "round"), difference_text(f.aa_floor->value));
  else if (f.aa_floor)
    text = fmt::format(
        "identical trials of a round ({}) differ by {} (95 of 100; seen: median {}, largest {}, "
        "{}); smaller differences of its rate are not significant",
        trial_name(plan, plan.trials[plan.anchor]), up_to(f.aa_floor->value),
        difference_text(f.aa_floor->low), difference_text(f.aa_floor->high),
        counted(f.aa_floor->n, "pair"));
  else
    text = wraps_script(plan) ? "what identical stretches of a round differ by was not measured"
                              : "not measured: no trial ran twice in one round";
  const std::string cost = cost_of_measuring(f);
  return cost.empty() ? text : text + cost + " at most";
}

}  // namespace

std::string cost_of_measuring(const Findings& f) {
  const bool usable = f.count(Status::valid) + f.count(Status::noisy) > 0;
  return usable ? fmt::format("; measuring cost {}", share_text(f.overhead_share)) : "";
}

std::string counts_text(const Findings& f, std::initializer_list<Status> statuses) {
  std::string counts;
  for (const Status s : statuses)
    if (f.count(s) > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", f.count(s),
                            kStatusWords[static_cast<std::size_t>(s)]);
  return counts;
}

namespace {

std::string run_counts(const Findings& f, const Plan& plan, bool detail) {
  const bool whole = detail || !hides_noise(f, plan);
  std::string counts = whole ? counts_text(f, {Status::valid, Status::noisy}) : "";
  const std::string bad = counts_text(f, {Status::invalid, Status::failed, Status::aborted});
  if (!bad.empty()) counts += (counts.empty() ? "" : ", ") + bad;
  if (f.trials_missing > 0)
    counts += fmt::format("{}{} not run", counts.empty() ? "" : ", ", f.trials_missing);
  return counts;
}

std::string rounds_text(const Findings& f, const Plan& plan) {
  return is_without_stretch(f, plan) ? "no round" : counted(f.rounds, "round");
}

}  // namespace

std::string run_line(const Findings& f, const Plan& plan, bool detail) {
  // As plan and progress count: what was SKIPPED ran in no round and is no part of it.
  const std::size_t all =
      std::accumulate(f.trials.begin(), f.trials.end(), std::size_t{f.trials_missing}) -
      f.count(Status::skipped);
  const std::string counts = run_counts(f, plan, detail);
  std::vector<std::string> parts{
      f.source == "-" ? "standard input" : f.source,
      wraps_script(plan) ? "" : counted(f.points.size(), "point"), rounds_text(f, plan),
      all == 0 ? "no trial"
      : is_without_stretch(f, plan)
          ? ""
          : counted_trials(plan, all) + (counts.empty() ? "" : ": ") + counts};
  if (f.count(Status::skipped) > 0)
    parts.push_back(fmt::format("{} more SKIPPED", f.count(Status::skipped)));
  if (f.simulated) parts.insert(parts.begin() + 1, "simulated clock");
  for (const auto& [key, value] : plan.labels) parts.push_back(fmt::format("{}={}", key, value));
  return joined(parts);
}

std::string faults_line(const Findings& f) {
  std::string text = counted(f.faulty_samples, "faulty sample") + " named by the decoders: ";
  const std::size_t shown =
      std::min({f.faults.size(), kFaultsNamed, static_cast<std::size_t>(f.faulty_samples)});
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}{} ({})", i ? ", " : "", f.faults[i].where, f.faults[i].what);
  if (f.faulty_samples > shown) text += fmt::format(", {} more", f.faulty_samples - shown);
  return text;
}

namespace {

std::string depth_of_point(const Findings& f, const DepthForetold& depth) {
  if (f.points.size() < 2) return depth_line(depth);
  return fmt::format("{}: {}", depth.point ? f.points[depth.point].name : "base",
                     depth_line(depth));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> surroundings_of(const Findings& f,
                                                                 const Plan& plan,
                                                                 const std::string& run_folder) {
  std::vector<std::pair<std::string, std::string>> lines;
  const bool ran = f.count(Status::valid) + f.count(Status::noisy) + f.count(Status::invalid) > 0;
  if (ran)
    for (auto& line : beside_lines(f)) lines.push_back(std::move(line));
  if (f.page_faults) lines.emplace_back("page faults", page_faults_line(*f.page_faults, plan));
  if (ran) lines.emplace_back("alarms", alarms_line(f, plan));
  for (auto& line : external_lines(f, plan)) lines.push_back(std::move(line));
  if (const DepthForetold* depth = depth_to_tell(f))
    lines.emplace_back("depth", depth_of_point(f, *depth));
  if (ran) lines.emplace_back("noise", noise_line(f, plan));
  if (!f.loader_notes.empty())
    lines.emplace_back("loader", fmt::format("{}", fmt::join(f.loader_notes, "; ")));
  if (!f.environment.cpu_model.empty() || f.environment.cpus_online > 0) {
    lines.emplace_back("machine", environment_line(f.environment, EnvironmentLine::machine));
    lines.emplace_back("software", environment_line(f.environment, EnvironmentLine::software));
  }
  if (!plan.scenario.decisions.empty())
    lines.emplace_back("decided", fmt::format("{}", fmt::join(plan.scenario.decisions, "; ")));
  if (!run_folder.empty()) lines.emplace_back("results", run_folder);
  return lines;
}

}  // namespace benchbench
