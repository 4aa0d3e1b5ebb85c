#include "harness/trial/external/external_cache.h"

#include <fmt/format.h>

#include "harness/part/cache_control.h"
#include "harness/record/cold_need.h"
#include "harness/trial/external/external_order.h"

namespace benchbench {
namespace {

class CachePreparation {
 public:
  CachePreparation(const TrialContext& context, CacheFacts& facts,
                   std::vector<std::string>& notices)
      : context_(context), facts_(facts), notices_(notices) {}

  void run() {
    facts_.asked = context_.settings.dataset.cache;
    facts_.state = {CacheDegree::as_is, {}};
    if (facts_.asked == "cold")
      return stays(
          "a loader in a process of its own reads ahead, which cannot be held while the data are "
          "evicted");
    CacheControl* const cache = context_.executor.cache;
    if (!cache) return stays("there is no page cache to query");
    if (const std::string why = cache->why_not(); !why.empty()) return stays(why);
    facts_.method = cache->method();
    facts_.resident_before = cache->resident(facts_.asked == "warm", alive());
    if (facts_.asked == "warm") warm(*cache);
    if (const std::string why = cache->why_not(); !why.empty()) was_not_seen(why);
  }

 private:
  CacheControl::Alive alive() {
    return [this] { context_.interruption.check(context_.runtime.now()); };
  }
  void stays(const std::string& why) {
    facts_.state = {CacheDegree::as_is, why};
    if (facts_.asked != "as_is")
      notices_.push_back(fmt::format("dataset.cache: {} was requested; {}", facts_.asked, why));
  }
  void was_not_seen(const std::string& why) {
    facts_.resident_before.reset();
    stays(why);
  }
  void warm(CacheControl& cache) {
    if (*facts_.resident_before < kMinResidentWarm) {
      cache.warm(alive());
      facts_.resident_before = cache.resident(true, alive());
    }
    facts_.state = {CacheDegree::warm, {}};
    if (*facts_.resident_before < kMinResidentWarm)
      stays(fmt::format("{} were read in full, {:.3g} % stayed in memory",
                        human_bytes(static_cast<double>(cache.bytes())),
                        100 * *facts_.resident_before));
  }

  const TrialContext& context_;
  CacheFacts& facts_;
  std::vector<std::string>& notices_;
};

}  // namespace

void prepare_cache(const TrialContext& context, ExternalWay way, CacheFacts& facts,
                   std::vector<std::string>& notices) {
  if (reads_in_window(context.trial.settings, way)) CachePreparation(context, facts, notices).run();
}

}  // namespace benchbench
