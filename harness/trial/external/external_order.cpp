#include "harness/trial/external/external_order.h"

#include "harness/record/external_keys.h"
#include "harness/record/keys.h"
#include "harness/record/measure_limits.h"
#include "harness/record/setting_keys.h"
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

}  // namespace benchbench
