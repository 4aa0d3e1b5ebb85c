#include "harness/trial/data_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/record/cold_need.h"
#include "harness/record/resolved_settings.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kLookAgain = std::chrono::microseconds{200};

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string size_of(CacheControl& cache) { return human_bytes(static_cast<double>(cache.bytes())); }

}  // namespace

void stays_as_is(const std::string& why, CacheFacts& facts, std::vector<std::string>& notices) {
  facts.state = {CacheDegree::as_is, why};
  if (facts.asked != "as_is")
    notices.push_back(fmt::format("dataset.cache: {} was requested; {}", facts.asked, why));
}

namespace {

// True if the last look succeeded. If not, nothing is proven, and no share is kept.
bool was_seen(CacheControl& cache, CacheFacts& facts, std::vector<std::string>& notices) {
  const std::string why = cache.why_not();
  if (why.empty()) return true;
  facts.resident_before.reset();
  stays_as_is(why, facts, notices);
  return false;
}

// Reads the data in full where too little of them is in memory.
void warm(CacheControl& cache, const CacheControl::Alive& alive, CacheFacts& facts,
          std::vector<std::string>& notices) {
  facts.resident_before = cache.resident(true, alive);
  if (*facts.resident_before < kMinResidentWarm) {
    cache.warm(alive);
    facts.resident_before = cache.resident(true, alive);
  }
  if (!was_seen(cache, facts, notices)) return;
  facts.state = {CacheDegree::warm, {}};
  if (*facts.resident_before < kMinResidentWarm)
    stays_as_is(fmt::format("{} were read in full, {} stayed in memory", size_of(cache),
                            percent(*facts.resident_before)),
                facts, notices);
}

}  // namespace

bool is_usable(CacheControl* cache, const std::string& absent, CacheFacts& facts,
               std::vector<std::string>& notices) {
  const std::string why = cache ? cache->why_not() : absent;
  if (!why.empty()) stays_as_is(why, facts, notices);
  if (why.empty()) facts.method = cache->method();
  return why.empty();
}

void prepare_uncold(CacheControl& cache, const CacheControl::Alive& alive, CacheFacts& facts,
                    std::vector<std::string>& notices) {
  if (facts.asked == "warm") return warm(cache, alive, facts, notices);
  facts.resident_before = cache.resident(false, alive);
  facts.state = {CacheDegree::as_is, {}};
  was_seen(cache, facts, notices);
}

// Data held in memory of the loader's own is neither cold nor warm in the page cache: what was
// asked of that does not apply, and no rule judges it. A trial that was added to a point to measure
// what storage costs has been given the residency by us: only who asked for both himself is told.
void DataCache::is_not_asked() {
  const std::string why = fmt::format("loader.residency: {} keeps the data in memory of its own",
                                      context_.settings.loader.on_device ? "device" : "host");
  facts_.state = {CacheDegree::as_is, why};
  if (context_.settings.dataset.cache != "as_is" && !context_.trial.ablation)
    notices_.push_back(
        fmt::format("dataset.cache: {} was requested; {}", context_.settings.dataset.cache, why));
}

void DataCache::prepare() {
  if (!parts_.reads_dataset) return;
  if (context_.settings.loader.holds_data) return is_not_asked();
  facts_.asked = context_.settings.dataset.cache;
  const char* const absent = context_.runtime.simulated() ? "virtual time has no page cache"
                                                          : "there is no page cache to query";
  CacheControl* const cache = context_.executor.cache;
  if (!is_usable(cache, absent, facts_, notices_)) return;
  if (facts_.asked == "cold") return start_cold();
  prepare_uncold(*cache, alive(), facts_, notices_);
}

void DataCache::start_cold() {
  const std::uint64_t batches = parts_.supply->stream().batches_per_epoch();
  const std::uint64_t burst = burst_size(context_.settings.loader);
  const std::uint64_t needed = cold_batches_needed(batches_ahead(), parts_.trainer->holds(), burst);
  if (batches < needed) refuse_short_epoch(needed);
  cold_ = true;
  facts_.state = {CacheDegree::cold_data, {}};
  evict_and_prove();
}

void DataCache::refuse_short_epoch(std::uint64_t needed) const {
  const EpochStream& stream = parts_.supply->stream();
  const LoaderSettings& loader = context_.settings.loader;
  const std::uint64_t burst = burst_size(loader);
  throw ScenarioError(
      fmt::format(
          "dataset.cache: cold needs an epoch of at least {} batches, and this one has {} ({} "
          "samples in batches of {}): {} are prefetched before each eviction, held by the "
          "trainer or of the burst begun then, and cannot be counted{}",
          needed, stream.batches_per_epoch(), stream.samples_per_epoch(), loader.batch_size,
          steps_lost(),
          burst > 1
              ? fmt::format(", and {} workers deliver {} at a time", loader.num_workers, burst)
              : ""),
      fmt::format("use at least {} samples, a smaller loader.batch_size, or fewer batches ahead "
                  "(num_workers, prefetch_factor)",
                  needed * loader.batch_size));
}

// Where some pages stay from the start (mapped or locked by somebody), evicting again and again
// would only cost time.
void DataCache::evict_and_prove() {
  CacheControl& cache = *context_.executor.cache;
  parts_.loader->unmap_pages();
  cache.evict(alive());
  const double resident = cache.resident(true, alive());
  ++facts_.evictions;
  if (!cache.why_not().empty()) {
    if (cold_) cold_ = was_seen(cache, facts_, notices_);
    return;
  }
  facts_.resident_before = std::max(facts_.resident_before.value_or(0), resident);
  if (resident <= kMaxResidentCold || !cold_) return;
  cold_ = false;
  stays_as_is(fmt::format(
      "{} of {} stayed in memory after eviction {} (mapped, locked, or read by another process)",
      percent(resident), size_of(cache), facts_.evictions));
}

// How many steps from here on can be taken before anything of the next epoch is read: the get of
// the one after them lets a worker at its first request. At the very end of an epoch, all of the
// next one's.
std::uint64_t DataCache::steps_left_in_epoch() const {
  const std::uint64_t batches = parts_.supply->stream().batches_per_epoch();
  return batches - (parts_.loop->next_step() + batches_ahead()) % batches;
}

// Without workers a request that is issued is not read until it is got, unless the loader keeps
// reads in flight ahead.
std::uint32_t DataCache::batches_ahead() const {
  const SettingsMap& settings = context_.trial.settings;
  const bool reads_ahead =
      settings.has("loader.io_depth") && settings.integer("loader.io_depth") > 0;
  return context_.settings.loader.num_workers > 0 || reads_ahead ? context_.settings.loader.max_jobs
                                                                 : 0;
}

bool DataCache::epoch_is_issued() const {
  return steps_left_in_epoch() == parts_.supply->stream().batches_per_epoch();
}

std::uint64_t DataCache::steps_lost() const {
  return cold_batches_uncounted(batches_ahead(), parts_.trainer->holds(),
                                burst_size(context_.settings.loader));
}

// The trainer's and the loader's work are done when it begins.
void DataCache::evict_quietly() {
  parts_.loop->finish();
  while (!parts_.supply->all_filled()) {
    steps_.check_alive();
    context_.runtime.spend(kLookAgain, Spend::sleep);
  }
  evict_and_prove();
}

// The steps that end it are not counted.
void DataCache::resume() {
  parts_.loop->reported_until(context_.runtime.now());
  steps_.steps_uncounted(steps_lost());
}

}  // namespace benchbench
