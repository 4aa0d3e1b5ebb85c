// How long an epoch and a job take.
#include <fmt/format.h>

#include <array>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/step_parts.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/record/setting_keys.h"
#include "harness/report/conclusion/conclusion_part_words.h"

namespace benchbench {
namespace {

std::string seconds_words(double seconds) { return human_duration(from_seconds(seconds)); }

std::string hours_words(double hours) {
  constexpr double kShort = 0.1;  // below, minutes say more
  if (hours < kShort) return seconds_words(hours * 3600);
  const std::string count = human_count(hours);
  return count + (count == "1" ? " hour" : " hours");
}

std::string money_words(double sum) {
  return sum < 999.5 ? fmt::format("{:.2f}", sum) : human_count(sum);
}

// Says how much of an epoch is not in its steps.
std::string beside_steps_words(const Telling& t, double epoch_seconds) {
  constexpr std::array kWhere{"for its beginning", "outside of its steps",
                              "in the iterators that its steps make"};
  const auto rest = rest_of_epoch(t.f, epoch_seconds);
  return rest ? fmt::format(", {} of it {}", seconds_words(rest->seconds),
                            kWhere[static_cast<std::size_t>(rest->in)])
              : "";
}

// " at the job's 148 samples/s": a wrapped script's epochs go by what its whole job makes, not by
// F.
std::string job_rate_words(const Telling& t) {
  const ExternalPoint* seen = t.f.external.at(0);
  if (!seen || !seen->job || !(seen->job->rate > 0)) return "";
  return fmt::format(" at the job's {} samples/s", human_count(seen->job->rate));
}

}  // namespace

std::string Telling::does(std::string_view verb) const {
  if (!would()) return std::string(verb);
  return "would " + std::string(verb.substr(0, verb.size() - 1));
}

std::string epoch_words(const Telling& t) {
  const Conclusion& c = t.c();
  if (!c.epoch_seconds || !t.f.epoch_samples) return "";
  std::string text = fmt::format(
      "an epoch of {} {} about {}",
      *t.f.epoch_samples == 1 ? "1 sample"
                              : human_count(static_cast<double>(*t.f.epoch_samples)) + " samples",
      t.does("takes"), seconds_words(*c.epoch_seconds));
  text += job_rate_words(t);
  if (t.brief < 2) text += beside_steps_words(t, *c.epoch_seconds);
  if (const auto other = other_point_to_use(t.f); other && c.epoch_seconds_after)
    text += fmt::format(", {} with {}", seconds_words(*c.epoch_seconds_after),
                        point_words_again(t, *other));
  return as_sentence(std::move(text));
}

std::string job_words(const Telling& t) {
  const auto& job = t.c().job;
  if (!job) return "";
  if (!job->hours)
    return job->unit == JobUnit::epochs && !t.f.epoch_samples
               ? "The job's hours are not known: how many samples an epoch has was not measured."
               : "The job's hours are not known: the pipeline of the base has no usable rate.";
  std::string text = fmt::format("the job {} {}", t.does("takes"), hours_words(*job->hours));
  const auto other = other_point_to_use(t.f);
  const bool after = job->hours_after && other;
  if (after)
    text += fmt::format(" now and {}{} with {}", t.would() ? "would take " : "",
                        hours_words(*job->hours_after), point_words_again(t, *other));
  if (job->price) {
    text += fmt::format("; at {} an hour that {} {}", money_words(*job->price), t.is(),
                        money_words(*job->hours * *job->price));
    if (after) text += fmt::format(" and {}", money_words(*job->hours_after * *job->price));
  }
  return as_sentence(std::move(text));
}

}  // namespace benchbench
