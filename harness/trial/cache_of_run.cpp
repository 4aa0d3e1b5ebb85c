// TrialRun's dealings with the page cache: cold, warm, or as it is.
//
// A cold window is made of segments. Before each the data is evicted and that is proven, while every batch
// issued is filled and nobody reads. The batches that were filled ahead of the eviction are not counted, and
// a segment ends before the first request of the next epoch is issued: so each sample counted was read once
// since the eviction, after it. What the warm-up read of an epoch is not read again in the rest of it.
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/record/cold_need.h"
#include "harness/trial/trial_run.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kLookAgain = std::chrono::microseconds{200};

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string size_of(CacheControl& cache) { return human_bytes(static_cast<double>(cache.bytes())); }

}  // namespace

void TrialRun::cache_stays_as_is(const std::string& why) {
  CacheFacts& facts = record_->facts.cache;
  facts.degree = "as_is: " + why;
  if (facts.asked != "as_is")
    record_->facts.notices.push_back(fmt::format("dataset.cache: {} was asked for; {}", facts.asked, why));
}

// Data held in memory of the loader's own is neither cold nor warm in the page cache: what was asked of that does
// not apply, and no rule judges it. A trial that was added to a point to measure what storage costs has been given
// the residency by us: only who asked for both himself is told.
void TrialRun::cache_is_not_asked() {
  const std::string why = "loader.residency: host holds the data in memory of its own";
  record_->facts.cache.degree = "as_is: " + why;
  if (options_.cache != "as_is" && trial_.extra.empty())
    record_->facts.notices.push_back(fmt::format("dataset.cache: {} was asked for; {}", options_.cache, why));
}

void TrialRun::prepare_cache() {
  if (!storage_) return;
  CacheFacts& facts = record_->facts.cache;
  const Value* residency = trial_.settings.find("loader.residency");
  if (residency && residency->text() == "host") return cache_is_not_asked();
  facts.asked = options_.cache;
  if (!context_.cache)
    return cache_stays_as_is(runtime_.simulated() ? "virtual time has no page cache"
                                                  : "there is no page cache to ask");
  CacheControl& cache = *context_.cache;
  if (const std::string why = cache.why_not(); !why.empty()) return cache_stays_as_is(why);
  facts.method = cache.method();
  if (facts.asked == "cold") return start_cold();
  if (facts.asked == "warm") return warm_cache();
  facts.resident_before = cache.resident(false, alive());
  facts.degree = "as_is";
  cache_was_seen();
}

// Whether the last look could be had. If not, nothing is proven, and what was told is no share.
bool TrialRun::cache_was_seen() {
  const std::string why = context_.cache->why_not();
  if (why.empty()) return true;
  cold_ = false;
  record_->facts.cache.resident_before.reset();
  cache_stays_as_is(why);
  return false;
}

CacheControl::Alive TrialRun::alive() {
  return [this] { interruption_.check(runtime_.now()); };
}

void TrialRun::warm_cache() {
  CacheControl& cache = *context_.cache;
  CacheFacts& facts = record_->facts.cache;
  facts.resident_before = cache.resident(true, alive());
  if (*facts.resident_before < kMinResidentWarm) {
    cache.warm(alive());
    facts.resident_before = cache.resident(true, alive());
  }
  if (!cache_was_seen()) return;
  facts.degree = "warm";
  if (*facts.resident_before < kMinResidentWarm)
    cache_stays_as_is(fmt::format("of {} read whole, {} stayed in memory", size_of(cache),
                                  percent(*facts.resident_before)));
}

void TrialRun::start_cold() {
  const std::uint64_t batches = supply_->stream().batches_per_epoch();
  const std::uint64_t needed = cold_batches_needed(batches_ahead(), trainer_->holds());
  if (batches < needed)
    throw ScenarioError(
        fmt::format(
            "dataset.cache: cold needs an epoch of at least {} batches, and this one has {} ({} samples in "
            "batches of {}): {} are made ahead of each eviction or in the trainer's hands and cannot be "
            "counted",
            needed, batches, supply_->stream().samples_per_epoch(), options_.batch_size, needed - 1),
        fmt::format("use at least {} samples, a smaller loader.batch_size, or fewer batches ahead "
                    "(num_workers, prefetch_factor)",
                    needed * options_.batch_size));
  cold_ = true;
  record_->facts.cache.degree = "cold(data)";
  evict_and_prove();
}

// Where some pages stay from the start (mapped or locked by somebody), evicting again and again would only
// cost time.
void TrialRun::evict_and_prove() {
  CacheControl& cache = *context_.cache;
  CacheFacts& facts = record_->facts.cache;
  loader_->unmap_pages();
  cache.evict(alive());
  const double resident = cache.resident(true, alive());
  ++facts.evictions;
  if (!cache.why_not().empty()) {
    if (cold_) cache_was_seen();
    return;
  }
  facts.resident_before = std::max(facts.resident_before.value_or(0), resident);
  if (resident <= kMaxResidentCold || !cold_) return;
  cold_ = false;
  cache_stays_as_is(
      fmt::format("{} of {} stayed in memory after eviction {} (mapped, locked, or read by somebody else)",
                  percent(resident), size_of(cache), facts.evictions));
}

// How many steps from here on can be taken before anything of the next epoch is read: the get of the one
// after them lets a worker at its first request. At the very end of an epoch, all of the next one's.
std::uint64_t TrialRun::steps_left_in_epoch() const {
  const std::uint64_t batches = supply_->stream().batches_per_epoch();
  return batches - (loop_->next_step() + batches_ahead()) % batches;
}

// Without workers a request that is issued is not read until it is got.
std::uint32_t TrialRun::batches_ahead() const { return options_.num_workers > 0 ? options_.max_jobs : 0; }

bool TrialRun::epoch_is_issued() const {
  return steps_left_in_epoch() == supply_->stream().batches_per_epoch();
}

// Nobody's time: the trainer's and the loader's work are done when it begins, and the steps that end it are
// not counted.
void TrialRun::evict_between(bool measuring) {
  loop_->finish();
  while (!supply_->all_filled()) {
    alive()();
    runtime_.spend(kLookAgain, Spend::sleep);
  }
  evict_and_prove();
  if (measuring) read_slowly();
  loop_->reported_until(runtime_.now());
  steps_uncounted(cold_batches_uncounted(batches_ahead(), trainer_->holds()));
}

void TrialRun::steps_uncounted(std::uint64_t count) {
  for (; count > 0; --count) step();
}

// A rest of an epoch that is mostly uncounted is not worth an eviction.
void TrialRun::measure_cold() {
  const std::uint64_t batches = supply_->stream().batches_per_epoch();
  const std::uint64_t lost = cold_batches_uncounted(batches_ahead(), trainer_->holds());
  do {
    if (const auto left = steps_left_in_epoch();
        left < lost + std::max<std::uint64_t>(1, (batches - lost) / 4))
      steps_uncounted(left);
    evict_between(true);
    const Readings begin = begin_segment();
    do window_step();
    while (!window_met() && !epoch_is_issued());
    end_segment(begin);
  } while (!window_met());
}

}  // namespace benchbench
