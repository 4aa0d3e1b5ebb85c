#include "harness/trial/external/external_cache.h"

#include <fmt/format.h>

#include "harness/part/cache_control.h"
#include "harness/trial/data_cache.h"
#include "harness/trial/external/external_order.h"

namespace benchbench {

void prepare_cache(const TrialContext& context, ExternalWay way, CacheFacts& facts,
                   std::vector<std::string>& notices) {
  if (!reads_in_window(context.trial.settings, way)) return;
  facts.asked = context.settings.dataset.cache;
  if (facts.asked == "cold")
    return stays_as_is(
        "a loader in a process of its own reads ahead, which cannot be held while the data are "
        "evicted",
        facts, notices);
  CacheControl* const cache = context.executor.cache;
  if (!is_usable(cache, "there is no page cache to query", facts, notices)) return;
  prepare_uncold(
      *cache, [&] { context.interruption.check(context.runtime.now()); }, facts, notices);
}

}  // namespace benchbench
