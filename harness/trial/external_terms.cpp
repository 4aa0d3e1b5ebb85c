#include "harness/trial/external_terms.h"

namespace benchbench {

ExternalLoaderKeys external_keys(const ResolvedSettings& settings, const SettingsMap& all) {
  const LoaderSettings& loader = settings.loader;
  ExternalLoaderKeys keys;
  keys.num_workers = loader.num_workers;
  keys.batch_size = loader.batch_size;
  keys.in_order = loader.in_order;
  keys.drop_last = loader.drop_last;
  keys.pin_memory = loader.pin_memory;
  if (loader.num_workers > 0 && all.given("loader.prefetch_factor"))
    keys.prefetch_factor = static_cast<std::uint32_t>(all.integer("loader.prefetch_factor"));
  if (loader.access == "random" || loader.access == "sequential") keys.shuffle = loader.access == "random";
  return keys;
}

ExternalTerms external_terms(const TrialContext& context) {
  return {.keys = external_keys(context.settings, context.trial.settings),
          .observer = context.settings.measure.observer,
          .look = [&context] { context.interruption.check(context.runtime.now()); }};
}

}  // namespace benchbench
