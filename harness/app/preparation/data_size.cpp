#include "harness/app/preparation/data_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/app/preparation/trial_runner.h"
#include "harness/core/error.h"
#include "harness/dataset/dataset.h"
#include "harness/record/measure_limits.h"
#include "harness/record/named_parts.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr double kWarmUpShare = 1.25;  // a window and what comes before it, on other samples

const Trial* base_trial(const Plan& plan, Mode mode) {
  for (const auto& [m, trial] : plan.points.front().trials)
    if (m == mode && !plan.trials[trial].skip) return &plan.trials[trial];
  return nullptr;
}

// The fastest of the base's that reads the data.
const Trial* reader(const Plan& plan) {
  const Trial* loader = base_trial(plan, Mode::loader);
  return loader ? loader : base_trial(plan, Mode::pipeline);
}

}  // namespace

std::optional<std::uint64_t> samples_known(const SettingsMap& settings,
                                           const std::string& cache_folder) {
  if (settings.has("dataset.synthesize.samples"))
    return count_kept(settings,
                      static_cast<std::uint64_t>(settings.integer("dataset.synthesize.samples")));
  const auto need = dataset_of(settings, cache_folder);
  if (!need || !need->ready || manifest_path(*need).empty()) return std::nullopt;
  const auto manifest = read_manifest(*need);
  return manifest ? std::optional(count_kept(settings, manifest->digests.size())) : std::nullopt;
}

void refuse_less_than_a_batch(const Plan& plan, const std::string& cache_folder) {
  const Trial* trial = reader(plan);
  if (!trial || external_loader(trial->settings, built_in_catalog()) ||
      !trial->settings.has(keys::dataset.path) || !trial->settings.get(keys::loader.drop_last))
    return;
  const auto samples = samples_known(trial->settings, cache_folder);
  const auto batch = static_cast<std::uint64_t>(trial->settings.get(keys::loader.batch_size));
  if (!samples || *samples >= batch) return;
  throw ScenarioError(
      fmt::format("{} has {} samples, less than one batch of {}, and loader.drop_last is "
                  "true: there would be no batch",
                  trial->settings.get(keys::dataset.path), *samples, batch),
      "use more samples, a smaller loader.batch_size, or loader.drop_last: false");
}

std::string cold_data_text(const PreparedPlan& p) {
  const Trial* trial = reader(p.plan);
  const Value* cache = trial ? trial->settings.find(keys::dataset.cache) : nullptr;
  if (!cache || cache->text() != "cold") return {};
  const auto known = p.context.prices.find(price_key(*trial));
  if (known == p.context.prices.end() || known->second.step_seconds <= 0)
    return "the number of samples a window needs is unknown: "
           "no earlier run has measured the loader's rate";
  const double batch = static_cast<double>(trial->settings.get(keys::loader.batch_size));
  const double steps =
      std::max(to_seconds(trial->settings.get(keys::measure.window)) / known->second.step_seconds,
               static_cast<double>(whole_bursts(trial->settings.get(keys::measure.window_batches),
                                                burst_size(trial->settings))));
  const double batches = std::ceil(kWarmUpShare * steps) +
                         static_cast<double>(trial->settings.get(keys::loader.max_jobs));
  const double needed = batches * batch;
  std::string text = fmt::format(
      "at least {:.0f} samples are needed to keep a window of {} and its warm-up within one "
      "epoch, at {:.0f} samples/s",
      needed, trial->settings.text(keys::measure.window), batch / known->second.step_seconds);
  const auto samples = samples_known(trial->settings, p.cache_folder);
  if (!samples) return text;
  return text +
         (static_cast<double>(*samples) >= needed
              ? fmt::format("; the dataset has {}", *samples)
              : fmt::format("; the dataset has {}: epochs repeat, with an eviction before each",
                            *samples));
}

}  // namespace benchbench
