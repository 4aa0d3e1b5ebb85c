#include "harness/report/external/job_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/analysis/conclusion/step_parts.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

constexpr std::size_t kPartsSaid = 3, kPartsInBrief = 1;

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

// "valid", "a loader".
std::string loader_name(const JobPart& part) {
  return part.loader.empty() ? "a loader" : part.loader;
}

std::string what_takes(const JobPart& part) {
  const std::string loader = loader_name(part);
  if (part.state == "iter")
    return part.workers > 0
               ? fmt::format("starting {} of {}", counted(part.workers, "worker"), loader)
               : fmt::format("iter() of {}", loader);
  if (part.state == "first") return fmt::format("first batches of {}", loader);
  if (part.state == "shutdown") return fmt::format("ending workers of {}", loader);
  if (part.state == "wait") return fmt::format("waits for batches of {}", loader);
  if (part.state == "step") return fmt::format("work with batches of {}", loader);
  if (part.state == "save") return part.saver;
  if (part.state == "after step") return "what follows some of the steps";
  return "what is in no loop over a loader";
}

}  // namespace

std::string part_words(const JobPart& part) {
  return fmt::format("{} in {}{}", percent(part.share), what_takes(part),
                     part.where.empty() ? "" : fmt::format(" ({})", part.where));
}

std::string outside_words(const JobTime& job, std::size_t most) {
  std::string text;
  std::size_t named = 0;
  for (const JobPart& part : job.outside)
    if (part.comes_again && part.share >= kNextToNothing && named++ < most)
      text += (text.empty() ? "" : ", ") + part_words(part);
  return text;
}

std::string lost_outside_words(const JobTime& job, int brief) {
  if (!loses_outside(job)) return "";
  const double again = share_again(job);
  const std::string parts = outside_words(job, brief > 0 ? kPartsInBrief : kPartsSaid);
  std::string text = fmt::format("{} of the job's time passes outside of its training steps{}{}.",
                                 percent(again), parts.empty() ? "" : ": ", parts);
  // The rate has what came once, too.
  if (job.rate_of_steps > 0 && job.outside_share - again < kNextToNothing)
    text += fmt::format(" The job makes {} where its steps alone make {}.",
                        per_second_text(job.rate), per_second_text(job.rate_of_steps));
  return text;
}

std::string steps_words(std::uint64_t steps, double before_ns, double backward_ns, double rest_ns) {
  const double all = before_ns + backward_ns + rest_ns;
  return fmt::format(
      "{:.3g} steps/s ({} each, over {}): {} of that passes before the backward, which is the "
      "batch "
      "and the forward, {} in the backward, {} after it, which is the optimizer",
      1e9 * static_cast<double>(steps) / all,
      human_duration(from_seconds(1e-9 * all / static_cast<double>(steps))), counted(steps, "step"),
      percent(before_ns / all), percent(backward_ns / all), percent(rest_ns / all));
}

namespace {

std::string divided_words(const JobTime& job) {
  return fmt::format("{} over {}{}: steps {}, waits for their batches {}, outside of them {}",
                     per_second_text(job.rate), human_duration(from_seconds(job.seconds)),
                     job.rate_of_steps > 0
                         ? fmt::format(", its steps alone {}", per_second_text(job.rate_of_steps))
                         : "",
                     percent(job.step_share), percent(job.wait_share), percent(job.outside_share));
}

const ExternalNoticed* find_noticed(const ExternalPoint& seen, std::string_view kind) {
  const auto at = std::ranges::find(seen.facts.noticed, kind, &ExternalNoticed::kind);
  return at == seen.facts.noticed.end() ? nullptr : &*at;
}

double number_in(const ExternalNoticed& seen, std::string_view name) {
  for (const auto& [known, value] : seen.numbers)
    if (known == name) return static_cast<double>(value);
  return 0;
}

}  // namespace

std::string words_without_stretch(const ExternalPoint& seen) {
  std::string text;
  if (const ExternalNoticed* hang = find_noticed(seen, kHang))
    text += fmt::format("The script hung{}.", hang->where.empty() ? "" : " at " + hang->where);
  if (const ExternalNoticed* s = find_noticed(seen, kStepsAlone))
    text += fmt::format("{}The steps get their batches without a DataLoader: {}.",
                        text.empty() ? "" : " ",
                        steps_words(s->count, number_in(*s, "before_ns"),
                                    number_in(*s, "backward_ns"), number_in(*s, "rest_ns")));
  if (seen.job)
    text += fmt::format("{}The job made {}.", text.empty() ? "" : " ", divided_words(*seen.job));
  return text;
}

std::vector<std::pair<std::string, std::string>> job_lines(const JobTime& job) {
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("job", divided_words(job));
  if (job.once_seconds > 0)
    lines.emplace_back("once", fmt::format("before the training's first step {}",
                                           human_duration(from_seconds(job.once_seconds))));
  for (const JobPart& part : job.outside)
    if (part.share >= kNextToNothing) lines.emplace_back("outside", part_words(part));
  return lines;
}

std::vector<std::pair<std::string, double>> step_rows(const PointFindings& p,
                                                      const ExternalPoint* seen,
                                                      const std::string& name) {
  const auto own = own_step_ms(p);
  if (!own) return {};
  double wait = std::min(p.exposed_wait_ms->value, p.step_ms->value);
  std::vector<std::pair<std::string, double>> rows{{"the step itself", *own}};
  std::vector<std::pair<std::string, double>> others;
  if (seen)
    for (const auto& [partner, ms] : seen->partners) {
      others.emplace_back("waits for " + (partner.empty() ? "another" : partner), ms);
      wait = std::max(0.0, wait - ms);
    }
  rows.emplace_back("waits for " + (name.empty() ? "its batch" : name), wait);
  std::ranges::move(others, std::back_inserter(rows));
  rows.emplace_back("unexplained", *unexplained_ms(p));
  return rows;
}

}  // namespace benchbench
