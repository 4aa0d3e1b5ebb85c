#include "harness/report/external/job_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/cells.h"

namespace benchbench {
namespace {

// Each epoch has a beginning, and jobs save: less than this is as usual.
constexpr double kSaidShare = 0.05, kNamedShare = 0.01;
constexpr std::size_t kPartsSaid = 3, kPartsInBrief = 1;

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string per_second(double rate) { return human_count(rate) + " samples/s"; }

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
  for (std::size_t i = 0; i < std::min(most, job.outside.size()); ++i)
    if (job.outside[i].share >= kNamedShare)
      text += (text.empty() ? "" : ", ") + part_words(job.outside[i]);
  return text;
}

std::string lost_outside_words(const JobTime& job, int brief) {
  if (job.outside_share < kSaidShare || job.outside_share <= job.wait_share) return "";
  const std::string parts = outside_words(job, brief > 0 ? kPartsInBrief : kPartsSaid);
  std::string text = fmt::format("{} of the job's time passes outside of its training steps{}{}.",
                                 percent(job.outside_share), parts.empty() ? "" : ": ", parts);
  if (job.rate_of_steps > 0)
    text += fmt::format(" The job makes {} where its steps alone make {}.", per_second(job.rate),
                        per_second(job.rate_of_steps));
  return text;
}

std::vector<std::pair<std::string, std::string>> job_lines(const JobTime& job) {
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back(
      "job",
      fmt::format("{} over {}{}: steps {}, waits for their batches {}, outside of them {}",
                  per_second(job.rate), human_duration(from_seconds(job.seconds)),
                  job.rate_of_steps > 0
                      ? fmt::format(", its steps alone {}", per_second(job.rate_of_steps))
                      : "",
                  percent(job.step_share), percent(job.wait_share), percent(job.outside_share)));
  if (job.once_seconds > 0)
    lines.emplace_back("once", fmt::format("before the training's first step {}",
                                           human_duration(from_seconds(job.once_seconds))));
  for (const JobPart& part : job.outside)
    if (part.share >= kNamedShare) lines.emplace_back("outside", part_words(part));
  return lines;
}

std::optional<double> unexplained_ms(const PointFindings& p) {
  if (!p.step_ms || !p.exposed_wait_ms || !p.pipeline_rate || !p.trainer_rate ||
      !(p.trainer_rate->value > 0))
    return std::nullopt;
  const double own = p.step_ms->value * p.pipeline_rate->value / p.trainer_rate->value;
  return std::max(0.0, p.step_ms->value - p.exposed_wait_ms->value - own);
}

std::string step_parts_line(const PointFindings& p) {
  const auto unexplained = unexplained_ms(p);
  if (!unexplained) return "";
  const double own = std::max(0.0, p.step_ms->value - p.exposed_wait_ms->value - *unexplained);
  return fmt::format("{}: the step itself {}, waits for batches {}, unexplained {}",
                     ms_text(p.step_ms->value), ms_text(own), ms_text(p.exposed_wait_ms->value),
                     ms_text(*unexplained));
}

}  // namespace benchbench
