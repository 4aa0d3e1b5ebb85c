#include "harness/plan/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/plan/points.h"
#include "harness/dataset/dataset_need.h"

namespace benchbench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
// Where nothing is known yet: seen with configs/resnet.yaml on two cores of a server. A mock's step takes
// what it is told.
constexpr double kStartup = 0.1, kModuleStartup = 0.25, kModuleStep = 0.15, kRealStep = 0.03;
constexpr double kProcessMemory = 64 * kMiB, kModuleMemory = 900 * kMiB;
constexpr std::uint64_t kRowGuess = 64 * 1024;

const PartRow* row_of(const SettingsMap& settings, PartKind kind, std::string_view key,
                      const Catalog& catalog) {
  const Value* name = settings.find(key);
  return name ? catalog.find(kind, name->text()) : nullptr;
}

bool in_module(const Trial& trial, const Catalog& catalog) {
  const PartRow* loader = row_of(trial.settings, PartKind::loader, "loader.use", catalog);
  const PartRow* trainer = row_of(trial.settings, PartKind::trainer, "trainer.use", catalog);
  return (loader && !loader->module.empty()) || (trainer && !trainer->module.empty());
}

double duration_or_zero(const SettingsMap& s, const std::string& key) {
  const Value* v = s.find(key);
  return v && v->type == ParameterType::duration ? to_seconds(s.duration(key)) : 0;
}

// Times that a mock is given, per step.
double told_times(const SettingsMap& s) {
  const double batch = static_cast<double>(s.integer("loader.batch_size"));
  const double workers = std::max(1.0, static_cast<double>(s.integer("loader.num_workers")));
  const double loader =
      duration_or_zero(s, "loader.batch_time") + batch * duration_or_zero(s, "loader.sample_time");
  const double trainer =
      duration_or_zero(s, "trainer.step_time") + batch * duration_or_zero(s, "trainer.sample_time");
  return std::max(loader / workers, trainer);
}

PriceEntry guess(const Trial& trial, const PlanContext& context) {
  const bool module = in_module(trial, context.catalog);
  const PartRow* loader = row_of(trial.settings, PartKind::loader, "loader.use", context.catalog);
  PriceEntry entry;
  entry.startup_seconds = module ? kModuleStartup : kStartup;
  entry.step_seconds = std::max(told_times(trial.settings), module ? kModuleStep
                                                            : loader && !loader->description->mock ? kRealStep
                                                                                                   : 0.0);
  return entry;
}

std::uint64_t integer_or(const SettingsMap& s, const std::string& key, std::uint64_t otherwise) {
  const Value* v = s.find(key);
  return v && std::holds_alternative<std::int64_t>(v->held) ? static_cast<std::uint64_t>(s.integer(key))
                                                            : otherwise;
}

bool says(const SettingsMap& s, const std::string& key, std::string_view text) {
  const Value* v = s.find(key);
  return v && v->text() == text;
}

std::uint64_t row_bytes(const SettingsMap& s, const std::string& loader) {
  if (s.has(loader + "height") && s.has(loader + "width")) {
    const std::uint64_t value = says(s, loader + "dtype", "float32") ? 4 : 1;
    return value * integer_or(s, loader + "height", 1) * integer_or(s, loader + "width", 1) *
               integer_or(s, loader + "channels", 3) +
           8;
  }
  const std::uint64_t centre = integer_or(s, loader + "transform.center_crop", 0);
  const std::uint64_t side = centre ? centre : integer_or(s, loader + "transform.random_resized_crop", 0);
  if (side == 0) return kRowGuess;
  const bool floats = says(s, loader + "transform.normalize_on", "worker") &&
                      !says(s, loader + "transform.normalize", "none");
  return side * side * 3 * (floats ? 4 : 1) + 8;
}

const DatasetNeed* biggest(const std::vector<DatasetNeed>& needs) {
  const auto found = std::max_element(needs.begin(), needs.end(), [](const auto& a, const auto& b) {
    return a.bytes_estimate < b.bytes_estimate;
  });
  return found == needs.end() ? nullptr : &*found;
}

}  // namespace

std::uint64_t batch_bytes_guess(const SettingsMap& settings) {
  const std::string loader = settings.has("prototype.loader.use") ? "prototype.loader." : "loader.";
  return static_cast<std::uint64_t>(settings.integer("loader.batch_size")) * row_bytes(settings, loader);
}

double seconds_of(const Trial& trial, const PlanContext& context, bool& guessed) {
  const auto known = context.prices.find(price_key(trial));
  const bool is_known = known != context.prices.end() && known->second.step_seconds > 0;
  guessed = guessed || !is_known;
  const PriceEntry entry = is_known ? known->second : guess(trial, context);
  const double batches = static_cast<double>(trial.settings.integer("measure.window_batches"));
  const double measured = to_seconds(trial.settings.duration("measure.window"));
  const double window = std::max(measured, batches * entry.step_seconds);
  // Steps on batches made ahead prove nothing (with no workers the first alone is one); after them a quarter
  // of a window, or three steps, shows that it is steady. The cap counts from there, so only the user's cuts
  // this.
  const bool inline_load = trial.settings.integer("loader.num_workers") == 0;
  const auto ahead = static_cast<double>(inline_load ? 1 : trial.settings.integer("loader.max_jobs"));
  double warmup = ahead * entry.step_seconds + std::max(measured / 4, 3 * entry.step_seconds);
  const Value* cap = trial.settings.find("measure.warmup_cap");
  if (cap && !cap->none())
    warmup = std::min(warmup, to_seconds(trial.settings.duration("measure.warmup_cap")));
  if (const auto fixed = parse_duration(trial.settings.text("measure.warmup"))) warmup = to_seconds(*fixed);
  return entry.startup_seconds + warmup + window;
}

std::uint64_t memory_of(const Trial& trial, const PlanContext& context) {
  const auto known = context.prices.find(price_key(trial));
  if (known != context.prices.end() && known->second.memory_bytes > 0) return known->second.memory_bytes;
  const double slots = static_cast<double>(trial.settings.integer("loader.max_jobs")) + 2;
  const double parts = kProcessMemory + (in_module(trial, context.catalog) ? kModuleMemory : 0);
  return static_cast<std::uint64_t>(slots * static_cast<double>(batch_bytes_guess(trial.settings)) + parts);
}

std::vector<DatasetNeed> datasets_of(const std::vector<Trial>& trials, const PlanContext& context) {
  std::map<std::string, std::optional<DatasetNeed>>
      by_settings;  // a user's folder is listed once, not once a trial
  std::set<std::string> paths;
  std::vector<DatasetNeed> needs;
  for (const Trial& trial : trials) {
    if (trial.skip) continue;
    SettingsMap dataset;
    for (const auto& [key, value] : trial.settings.all())
      if (key.starts_with("dataset.")) dataset.set(key, value);
    const auto [found, is_new] = by_settings.try_emplace(canonical_text(dataset));
    if (is_new) found->second = dataset_need(dataset, context.cache_folder, context.catalog);
    if (found->second && paths.insert(found->second->path).second) needs.push_back(*found->second);
  }
  return needs;
}

Price price_of(const Plan& plan, const PlanContext& context) {
  Price price;
  bool guessed = false;
  for (const Trial& trial : plan.trials) {
    if (trial.skip) continue;
    const int runs = trial.index == plan.anchor ? 3 : 1;
    price.seconds_per_round += runs * seconds_of(trial, context, guessed);
  }
  price.seconds = price.seconds_per_round * plan.rounds;
  for (const Trial& trial : plan.trials)
    if (!trial.skip) price.memory_bytes = std::max(price.memory_bytes, memory_of(trial, context));
  for (const DatasetNeed& need : plan.datasets)
    if (!need.ready) price.disk_bytes += need.bytes_estimate;
  price.basis =
      guessed ? "no earlier run of some trials on this machine: guessed" : "earlier runs on this machine";
  return price;
}

void refuse_what_cannot_fit(const Plan& plan, const PlanContext& context) {
  if (plan.price.disk_bytes > context.free_disk_bytes) {
    const DatasetNeed* need = biggest(plan.datasets);
    throw ScenarioError(
        fmt::format("the data sets need {} of disk, but {} are free in {}",
                    human_bytes(static_cast<double>(plan.price.disk_bytes)),
                    human_bytes(static_cast<double>(context.free_disk_bytes)), context.cache_folder),
        fmt::format(
            "the largest is {} with {}: make dataset.synthesize.samples smaller, sweep fewer formats, or set "
            "BENCHBENCH_CACHE to another disk",
            need ? need->format : "", human_bytes(need ? static_cast<double>(need->bytes_estimate) : 0)));
  }
  const std::uint64_t memory = context.environment.memory_bytes;
  for (const Trial& trial : plan.trials) {
    if (trial.skip || memory == 0 || memory_of(trial, context) <= memory) continue;
    throw ScenarioError(fmt::format("point {} needs {} of memory ({} batches of {}), but {} are usable",
                                    plan.points[trial.points.front()].name(),
                                    human_bytes(static_cast<double>(memory_of(trial, context))),
                                    trial.settings.integer("loader.max_jobs") + 2,
                                    human_bytes(static_cast<double>(batch_bytes_guess(trial.settings))),
                                    human_bytes(static_cast<double>(memory))),
                        "make loader.batch_size, num_workers or prefetch_factor smaller");
  }
}

std::string price_key(const Trial& trial) {
  SettingsMap settings;
  for (const auto& [key, value] : trial.settings.all())
    if (!key.starts_with("measure.") && !key.ends_with(".seed")) settings.set(key, value);
  return digest_of(fmt::format("mode={}\n{}", name_of(trial.mode), canonical_text(settings))).text();
}

}  // namespace benchbench
