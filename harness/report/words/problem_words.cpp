#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/rules/rules.h"
#include "harness/report/text/display_text.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/alarm_words.h"
#include "harness/report/words/goal_words.h"
#include "harness/report/words/surroundings.h"

namespace benchbench {
namespace {

constexpr std::size_t kTrialsNamed = 3;

std::string first_point(const Plan& plan, const Trial& trial) {
  const bool known = !trial.points.empty() && trial.points.front() < plan.points.size();
  return known ? plan.points[trial.points.front()].name() : "trial";
}

// Of a wrapped script: "F", "L with num_workers=4".
std::string stretch_name(const Plan& plan, const Trial& trial) {
  constexpr std::string_view letters[] = {"L", "T", "F"};
  const std::string letter(letters[static_cast<std::size_t>(trial.mode)]);
  const bool own = trial.points.empty() || trial.points.front() == 0;
  return own ? letter : fmt::format("{} with {}", letter, first_point(plan, trial));
}

// "base pipeline", "num_workers=4 and 2 more points trainer".
std::string name_with_mode(const Plan& plan, std::uint32_t index) {
  const Trial& trial = plan.trials[index];
  if (wraps_script(plan)) return stretch_name(plan, trial);
  std::string name = first_point(plan, trial);
  if (trial.mode == Mode::trainer && trial.points.size() > 1)
    name += fmt::format(" and {}", counted(trial.points.size() - 1, "more point"));
  return fmt::format("{} {}", name, name_of(trial.mode));
}

// "base pipeline round 1 (why), num_workers=4 loader rounds 1, 3, 2 more".
std::string mentions_text(const Problem& problem, const Plan& plan, bool with_text) {
  std::map<std::string, std::pair<std::set<std::uint32_t>, std::string>> by_trial;
  std::vector<std::string> order;
  for (const Problem::Mention& m : problem.mentions) {
    const std::string name = name_with_mode(plan, m.trial);
    auto [at, fresh] = by_trial.try_emplace(name);
    if (fresh) order.push_back(name), at->second.second = headline_of(m.text);
    at->second.first.insert(m.round + 1);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kTrialsNamed); ++i) {
    const auto& [rounds, why] = by_trial[order[i]];
    text += fmt::format("{}{} {} {}", i ? "; " : "", order[i],
                        rounds.size() > 1 ? "rounds" : "round", fmt::join(rounds, ", "));
    if (with_text) text += fmt::format(" ({})", why);
  }
  if (order.size() > kTrialsNamed) text += fmt::format("; {} more", order.size() - kTrialsNamed);
  return text;
}

// "NOISY R06 (steady)"; without rules "NOISY".
std::string name_problem(const Problem& problem, bool with_rule) {
  std::string head{name_of(problem.status)};
  if (!with_rule) return head;
  if (const Rule* known = find_rule(problem.rule))
    head += fmt::format(" {} ({})", problem.rule, known->name);
  else if (!problem.rule.empty())
    head += ' ' + problem.rule;
  return head;
}

// True if each of its trials has the same reason, to the digit.
bool is_alike(const Problem& problem) {
  const std::string why = headline_of(problem.mentions.front().text);
  return std::ranges::all_of(problem.mentions,
                             [&](const auto& m) { return headline_of(m.text) == why; });
}

// "NOISY R06 (steady): WHY: base pipeline round 1; 2 more", where WHY is the first trial's reason.
std::string write_briefly(const Problem& problem, const Plan& plan, bool with_rule) {
  const Problem::Mention& first = problem.mentions.front();
  const std::size_t others = problem.mentions.size() - 1;
  return fmt::format("{}: {}: {} round {}{}", name_problem(problem, with_rule),
                     headline_of(first.text), name_with_mode(plan, first.trial), first.round + 1,
                     others > 0 ? fmt::format("; {} more", others) : "");
}

std::string problem_line(const Problem& problem, const Plan& plan, std::size_t recorded,
                         bool with_rule) {
  const std::string head = name_problem(problem, with_rule);
  const std::string why = headline_of(problem.mentions.front().text);
  if (!is_alike(problem)) return fmt::format("{}: {}", head, mentions_text(problem, plan, true));
  if (problem.mentions.size() > kTrialsNamed && problem.mentions.size() == recorded)
    return fmt::format("{}: {} (all {})", head, why, counted_trials(plan, recorded));
  return fmt::format("{}: {}: {}", head, why, mentions_text(problem, plan, false));
}

// A loader that does not say which samples it delivers never does.
bool is_of_every_run(std::string_view warning) {
  return warning.starts_with("conservation (R01) was not measured: ");
}

}  // namespace

std::vector<std::string> texts_of(const std::vector<Note>& notes) {
  std::vector<std::string> texts;
  for (const Note& note : notes) texts.push_back(note.text);
  return texts;
}

std::string headline_of(const std::string& reason) { return reason.substr(0, reason.find('\n')); }

std::vector<std::string> without_middle(const std::vector<std::string>& lines, std::size_t most) {
  most = std::max<std::size_t>(3, most);
  if (lines.size() <= most) return lines;
  const std::size_t first = (most - 1) / 3, last = most - 1 - first;
  std::vector<std::string> kept(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first));
  kept.push_back(
      fmt::format("... {}: --detail ...", counted(lines.size() - first - last, "more line")));
  kept.insert(kept.end(), lines.end() - static_cast<std::ptrdiff_t>(last), lines.end());
  return kept;
}

std::string counted_trials(const Plan& plan, std::size_t count) {
  return wraps_script(plan) ? fmt::format("{} {}", count, count == 1 ? "stretch" : "stretches")
                            : counted(count, "trial");
}

std::string trial_name(const Plan& plan, const Trial& trial) {
  if (wraps_script(plan)) return stretch_name(plan, trial);
  return fmt::format("{} {}", first_point(plan, trial),
                     trial.ablation ? trial.ablation.text() : std::string(name_of(trial.mode)));
}

std::vector<std::string> details_of(const Problem& p) {
  std::vector<std::string> lines = split_lines(p.details);
  while (!lines.empty() && lines.back().find_first_not_of(" \t\r") == std::string::npos)
    lines.pop_back();
  return lines;
}

namespace {

Note note_problem(const Problem& p, const Findings& f, const Plan& plan, bool with_rule) {
  return {p.status == Status::failed || p.status == Status::invalid,
          problem_line(p, plan, f.trials_recorded, with_rule),
          details_of(p),
          false,
          p.rule,
          is_alike(p) ? "" : write_briefly(p, plan, with_rule)};
}

void add_what_did_not_run(const Findings& f, const Plan& plan, std::vector<Note>& lines) {
  for (const PlannedSkip& skip : f.skips) {
    std::vector<std::string> names;
    for (const auto point : skip.points) names.push_back(plan.points[point].name());
    for (const auto trial : skip.trials) names.push_back(name_with_mode(plan, trial));
    lines.push_back(
        {false, fmt::format("SKIPPED: {}: {}", headline_of(skip.why), fmt::join(names, ", ")), {}});
  }
  if (f.trials_missing > 0)
    lines.push_back(
        {false,
         fmt::format("NOT RUN: {} of {} {} no record", f.trials_missing,
                     wraps_script(plan) ? "the planned " + counted_trials(plan, plan.order.size())
                                        : counted(plan.order.size(), "planned trial"),
                     f.trials_missing == 1 ? "has" : "have"),
         {}});
}

// Returns why the first stretch is NOISY, without the limits of its rule.
std::string why_noisy(const Findings& f) {
  const auto first = std::ranges::find(f.problems, Status::noisy, &Problem::status);
  if (first == f.problems.end()) return "";
  const std::string why = headline_of(first->mentions.front().text);
  return ": " + why.substr(0, std::min(why.find(" ("), why.find("; ")));
}

// The notes on a wrapped script's stretches for its main page: those that nothing may use, and that
// noise may decide the answer.
std::vector<Note> plain_problem_lines(const Findings& f, const Plan& plan) {
  std::vector<Note> lines;
  for (const Problem& p : f.problems)
    if (p.status == Status::failed || p.status == Status::invalid)
      lines.push_back(note_problem(p, f, plan, false));
  add_what_did_not_run(f, plan, lines);
  if (std::string noise = noise_line(f); !noise.empty()) lines.push_back({false, std::move(noise)});
  return lines;
}

}  // namespace

std::string noise_line(const Findings& f) {
  constexpr std::string_view kCouldBe[] = {"", "another side may be named",
                                           "other settings may be shown to be faster",
                                           "another advice may come first"};
  const OpenPart open = part_open_by_noise(f);
  if (open == OpenPart::none) return "";
  return fmt::format("NOISY: on a quiet machine {}{}", kCouldBe[static_cast<std::size_t>(open)],
                     why_noisy(f));
}

std::vector<Note> problem_lines(const Findings& f, const Plan& plan) {
  std::vector<Note> lines;
  for (const Problem& p : f.problems) lines.push_back(note_problem(p, f, plan, true));
  add_what_did_not_run(f, plan, lines);
  return lines;
}

std::vector<Note> notes_of(const Findings& findings, const Plan& plan, bool detail) {
  std::vector<Note> notes = goal_lines(findings, plan);
  for (const std::string& w : warning_lines(findings, plan))
    notes.push_back({false, "warning: " + w, {}, is_of_every_run(w)});
  for (std::string& alarm : raised_alarms(findings, plan))
    notes.push_back({false, "alarm: " + std::move(alarm), {}});
  for (Note& problem : detail || !wraps_script(plan) ? problem_lines(findings, plan)
                                                     : plain_problem_lines(findings, plan))
    notes.push_back(std::move(problem));
  if (findings.faulty_samples > 0) notes.push_back({true, faults_line(findings), {}});
  return notes;
}

}  // namespace benchbench
