// A trial's dealings with the page cache of its data: cold, warm, or as it is.
//
// A cold window is made of segments. Before each the data is evicted and that is proven, while
// every batch issued is filled and nobody reads. The batches that were filled ahead of the eviction
// are not counted, and a segment ends before the first request of the next epoch is issued: so each
// sample counted was read once since the eviction, after it. What the warm-up read of an epoch is
// not read again in the rest of it.
#pragma once
#include "harness/part/cache_control.h"
#include "harness/trial/watched_steps.h"

namespace benchbench {

// Leaves the data as they are, and adds a notice where something else was asked for.
void stays_as_is(const std::string& why, CacheFacts& facts, std::vector<std::string>& notices);
// True if the cache can be looked at. If not, why is noted; null is `absent`.
bool is_usable(CacheControl* cache, const std::string& absent, CacheFacts& facts,
               std::vector<std::string>& notices);
// Warms the data where that was asked for, and looks how much of them is in memory. Not where they
// are to be cold.
void prepare_uncold(CacheControl& cache, const CacheControl::Alive& alive, CacheFacts& facts,
                    std::vector<std::string>& notices);

// The trainer's thread's.
class DataCache {
 public:
  // `facts` and `notices` are filled as things happen.
  DataCache(const TrialContext& context, TrialParts& parts, WatchedSteps& steps, CacheFacts& facts,
            std::vector<std::string>& notices) noexcept
      : context_(context), parts_(parts), steps_(steps), facts_(facts), notices_(notices) {}

  // Before the first request: brings the data into the state that dataset.cache asks for, as far as
  // it can. Throws ScenarioError where an epoch is too short to measure anything cold.
  void prepare();
  // Proven to be cold so far: the window is to be made of segments, with an eviction before each.
  bool cold() const noexcept { return cold_; }
  // Every request of the present epoch has been issued: one step more, and the next one's data are
  // read.
  bool epoch_is_issued() const;
  // How many steps from here on can be taken before anything of the next epoch is read.
  std::uint64_t steps_left_in_epoch() const;
  // Steps after an eviction that cannot be counted.
  std::uint64_t steps_lost() const;
  // Waits until nobody reads and evicts; before it goes on with steps that nobody counts,
  // `after_eviction` is called. Nobody's time.
  template <class After>
  void evict_between(After&& after_eviction) {
    evict_quietly();
    after_eviction();
    resume();
  }

 private:
  void stays_as_is(const std::string& why) { benchbench::stays_as_is(why, facts_, notices_); }
  void is_not_asked();
  CacheControl::Alive alive() {
    return [this] { steps_.check_alive(); };
  }
  void start_cold();
  [[noreturn]] void refuse_short_epoch(std::uint64_t needed) const;
  void evict_and_prove();
  void evict_quietly();
  void resume();
  std::uint32_t batches_ahead() const;

  const TrialContext& context_;
  TrialParts& parts_;
  WatchedSteps& steps_;
  CacheFacts& facts_;
  std::vector<std::string>& notices_;
  bool cold_ = false;
};

}  // namespace benchbench
