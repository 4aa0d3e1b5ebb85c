#include "harness/analysis/external/job_time.h"
#include "harness/analysis/statistics/thresholds.h"

#include <algorithm>
#include <cmath>

namespace benchbench {
namespace {

// A part that came once may never come again.
constexpr std::uint64_t kOften = 2;

double seconds_from(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

bool begins_epoch(const ExternalSpent& s) { return s.trains && is_at_edge(s); }

// True if epochs began about as often as there were some: not so of an iterator for each step, nor
// of another loader, whose epochs have another length.
bool are_epochs_seen_in_parts(std::uint64_t begun, double epochs) {
  return std::abs(static_cast<double>(begun) - epochs) <= 2;
}

// Returns the time that comes again and again. The part before the training's first step stands for
// one of those that follow, where some do, and takes no longer than they. `epochs`: as many as
// there should be.
double recurring_seconds(const ExternalSpent& s, const std::optional<double>& epochs) {
  const double later = seconds_from(s.ns - s.before_ns);
  if (s.count <= s.before) return later;
  const double each = later / static_cast<double>(s.count - s.before);
  if (epochs && begins_epoch(s) && are_epochs_seen_in_parts(s.count - s.before, *epochs))
    return each * *epochs;
  return later + std::min(seconds_from(s.before_ns), each * static_cast<double>(s.before));
}

bool is_inside(const ExternalSpent& s) {
  return s.trains && (s.state == "step" || s.state == "wait");
}

std::uint64_t times_since_first_step(const ExternalSpent& s) {
  return s.count - std::min(s.count, s.before);
}

// Passes over a loader; of what is in no loop over one, epochs of the training.
std::uint64_t count_passes(const ExternalLedger& ledger, const ExternalSpent& of) {
  std::uint64_t passes = 0;
  for (const ExternalSpent& s : ledger.rows)
    if (s.state == "iter" &&
        (of.state == "other" ? s.trains : s.made == of.made && s.loader == of.loader))
      passes = std::max(passes, times_since_first_step(s));
  return passes;
}

// The length of the training's epochs says how often they come.
bool comes_again(const ExternalLedger& ledger, const ExternalSpent& s,
                 const std::optional<double>& epochs) {
  const bool is_by_pass = s.state == "other" || (!s.trains && !s.made.empty());
  return ledger.whole || (epochs && begins_epoch(s) && times_since_first_step(s) > 0) ||
         (is_by_pass ? count_passes(ledger, s) : times_since_first_step(s)) >= kOften;
}

void add(const ExternalSpent& s, const std::optional<double>& epochs, bool again, JobTime& job) {
  const double seconds = recurring_seconds(s, epochs);
  job.seconds += seconds;
  job.once_seconds += seconds_from(s.ns) - recurring_seconds(s, {});
  if (s.state == "step" && s.trains)
    job.step_share += seconds;
  else if (is_inside(s))
    job.wait_share += seconds;
  else if (seconds > 0)
    job.outside.push_back({s, seconds, 0, again});
}

// Makes shares of what were seconds until now.
void make_shares(JobTime& job) {
  job.step_share /= job.seconds;
  job.wait_share /= job.seconds;
  for (JobPart& part : job.outside) {
    part.share = part.seconds / job.seconds;
    job.outside_share += part.share;
  }
  std::ranges::stable_sort(job.outside, std::ranges::greater{}, &JobPart::share);
}

bool counts_as_outside(const JobPart& part) { return part.comes_again && !begins_epoch(part); }

void add_to_loop(const JobPart& part, std::vector<JobPart>& loops) {
  const auto at = std::ranges::find_if(loops, [&](const JobPart& loop) {
    return loop.loader == part.loader && loop.where == part.where;
  });
  if (at == loops.end()) return loops.push_back(part);
  at->share += part.share;
  at->seconds += part.seconds;
  at->count = std::max(at->count, part.count);
}

}  // namespace

bool is_at_edge(const ExternalSpent& s) {
  return s.state == "iter" || s.state == "first" || s.state == "shutdown";
}

std::optional<JobTime> divide_job(const ExternalLedger& ledger, double samples_a_batch,
                                  std::optional<double> batches_an_epoch) {
  JobTime job;
  job.all = ledger.rows;
  std::optional<double> epochs;
  if (!ledger.whole && batches_an_epoch && *batches_an_epoch > 0)
    epochs = static_cast<double>(ledger.batches) / *batches_an_epoch;
  for (const ExternalSpent& spent : ledger.rows)
    add(spent, epochs, comes_again(ledger, spent, epochs), job);
  if (ledger.batches == 0 || !(job.seconds > 0)) return std::nullopt;
  make_shares(job);
  const double samples = static_cast<double>(ledger.batches) * samples_a_batch;
  job.rate = samples / job.seconds;
  job.rate_with_start = samples / (job.seconds + job.once_seconds);
  job.seconds_a_sample = job.outside_share * job.seconds / samples;
  const double inside = (job.step_share + job.wait_share) * job.seconds;
  if (inside > 0) job.rate_of_steps = samples / inside;
  return job;
}

double share_again(const JobTime& job) {
  double share = 0;
  for (const JobPart& part : job.outside)
    if (part.comes_again) share += part.share;
  return share;
}

bool loses_outside(const JobTime& job) {
  const double again = share_again(job);
  return again >= kFairPart && again > job.wait_share;
}

double share_beside_epochs(const JobTime& job) {
  double share = 0;
  for (const JobPart& part : job.outside)
    if (counts_as_outside(part)) share += part.share;
  return share;
}

const JobPart& largest_beside_epochs(const JobTime& job) {
  return *std::ranges::find_if(job.outside, counts_as_outside);
}

std::optional<JobPart> find_started_workers(const JobTime& job) {
  std::vector<JobPart> loops;
  double most_else = 0;
  for (const JobPart& part : job.outside)
    if (part.trains || part.workers == 0 || !is_at_edge(part))
      most_else = std::max(most_else, part.share);
    else if (part.comes_again)
      add_to_loop(part, loops);
  const auto most = std::ranges::max_element(loops, {}, &JobPart::share);
  if (most == loops.end() || most->count < 2 || most->share < most_else) return std::nullopt;
  return *most;
}

}  // namespace benchbench
