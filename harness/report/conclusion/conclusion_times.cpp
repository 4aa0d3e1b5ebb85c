// How long an epoch and a job take.
#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/point_summary.h"
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

// Returns the share of the job's time that the iterators take which its steps make; 0 where they
// are not most of what is outside of these.
double share_of_iterators(const Telling& t, const JobTime& job) {
  double share = 0;
  for (const JobPart& part : job.outside)
    if (part.trains && part.is_at_edge()) share += part.share;
  const bool is_most = 2 * share > job.outside_share;
  return is_most && has_fault(t, ExternalFault::iterator_each_step) ? share : 0;
}

// Says how much of an epoch is not in its steps: its beginning, or where that was seen all that a
// wrapped script does outside of them. Iterators that the steps make are within, and named alone.
std::string beside_steps_words(const Telling& t, double epoch_seconds) {
  const double gap = t.f.points.front().epoch_gap_ms.value_or(0) * 1e-3;
  const ExternalPoint* seen = t.f.external.at(0);
  const double outside =
      seen && seen->job ? seen->job->seconds_a_sample * static_cast<double>(*t.f.epoch_samples) : 0;
  if (std::max(gap, outside) < kWorth * epoch_seconds) return "";
  if (const double share = outside > 0 ? share_of_iterators(t, *seen->job) : 0; share > 0)
    return fmt::format(", {} of it in the iterators that its steps make",
                       seconds_words(outside * share / seen->job->outside_share));
  return outside > gap ? fmt::format(", {} of it outside of its steps", seconds_words(outside))
                       : fmt::format(", {} of it for its beginning", seconds_words(gap));
}

// " at the job's 148 samples/s": a wrapped script's epochs go by what its whole job makes, not by
// F.
std::string job_rate_words(const Telling& t) {
  const ExternalPoint* seen = t.f.external.at(0);
  if (!seen || !seen->job || !(seen->job->rate > 0)) return "";
  return fmt::format(" at the job's {} samples/s", human_count(seen->job->rate));
}

}  // namespace

bool takes_turns(const Telling& t, std::uint32_t point) {
  const auto workers = t.plan.points[point].settings.get_if(keys::loader.num_workers);
  const PointFindings& p = t.f.points[point];
  return p.own_workers ? p.own_in_turn : workers == 0u && !p.steps_elsewhere;
}

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
