#include "harness/trial/external/external_order.h"

#include "harness/part/cache_control.h"
#include "harness/record/external_keys.h"
#include "harness/record/keys.h"
#include "harness/record/measure_limits.h"
#include "harness/record/setting_keys.h"
#include "harness/trial/data_cache.h"
#include "harness/trial/made_loader.h"
#include "harness/trial/round_seeds.h"

namespace benchbench {
namespace {

std::optional<double> rate_of(const SettingsMap& settings) {
  if (settings.get(keys::loader.use) != "rate_limited" || !settings.given("loader.rate"))
    return std::nullopt;
  return settings.real("loader.rate");
}

}  // namespace

bool reads_in_window(const SettingsMap& settings, ExternalWay way) {
  return way != ExternalWay::replayed &&
         settings.get_if(keys::dataset.format).value_or("none") != "none";
}

OrderOfTrial::OrderOfTrial(const TrialContext& context, ExternalWay way, bool shares) {
  const SettingsMap& all = context.trial.settings;
  const ResolvedSettings& s = context.settings;
  const RoundSeeds seeds = seeds_of(s, context.round);
  const std::string loader = way == ExternalWay::replayed ? kRepeated : "loader.";
  loader_ = std::make_unique<PrefixedSettings>(all, loader);
  if (way != ExternalWay::self_timed)
    trainer_ = std::make_unique<PrefixedSettings>(all, "trainer.");
  order_.loader = loader_.get();
  order_.trainer = trainer_.get();
  order_.way = way;
  order_.keys = external_keys_of(all, loader);
  order_.root = context.executor.dataset.path;
  order_.device = s.trainer.device;
  if (way == ExternalWay::replayed) order_.rate = rate_of(all);
  order_.loader_seed = seeds.loader;
  order_.trainer_seed = seeds.trainer;
  order_.intra_op_threads = s.trainer.intra_op_threads;
  order_.observer = s.measure.observer;
  order_.window = s.measure.window;
  order_.window_batches = s.measure.window_batches;
  order_.warmup = s.measure.warmup;
  order_.warmup_cap = s.measure.warmup_cap;
  order_.slope = slope_limit(reads_in_window(all, way));
  order_.timeout = s.measure.timeout;
  order_.shares = shares;
}

ExternalTerms external_terms(const TrialContext& context) {
  return {.keys = external_keys_of(context.trial.settings),
          .observer = context.settings.measure.observer,
          .images = takes_images(context.executor.catalog, context.settings.trainer.use),
          .intra_op_threads = context.settings.trainer.intra_op_threads,
          .root = context.executor.dataset.path,
          .device = context.settings.trainer.device,
          .in_flight = context.settings.trainer.upload.in_flight,
          .look = [&context] { context.interruption.check(context.runtime.now()); }};
}

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
