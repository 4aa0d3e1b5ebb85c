#include "harness/plan/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "harness/core/contains.h"
#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/dataset/dataset_need.h"
#include "harness/plan/order.h"
#include "harness/plan/points.h"
#include "harness/record/measure_limits.h"
#include "harness/record/named_parts.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"

namespace benchbench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
// A process of the user's interpreter that imports torch and starts workers takes some seconds.
constexpr double kExternalStartup = 3;
// Where nothing is known yet: seen with configs/resnet.yaml on two cores of a server. A mock's step
// takes what its settings say.
constexpr double kStartup = 0.1, kModuleStartup = 0.25, kModuleStep = 0.15, kRealStep = 0.03;
// A trial in virtual time, and each of its steps: seen on the same machine.
constexpr double kSimulatedTrial = 0.01, kSimulatedStep = 4e-6;
// Bytes a second of making data on two cores, likewise.
constexpr double kSynthesisRate = 40e6, kPreparingRate = 10e6, kCopyRate = 200e6;
constexpr double kProcessMemory = 64 * kMiB, kReadingMemory = 26 * kMiB, kModuleMemory = 900 * kMiB;
constexpr std::uint64_t kRowGuess = 64 * 1024;
constexpr double kMostSteps = 1e12;  // of a window: a burst more is nothing to them

bool in_module(const Trial& trial, const Catalog& catalog) {
  const auto is_there = [](const PartRow* row) { return row && !row->module.empty(); };
  return is_there(find_loader(trial.settings, catalog)) ||
         is_there(find_trainer(trial.settings, catalog));
}

bool is_external(const Trial& trial, const Catalog& catalog) {
  return external_loader(trial.settings, catalog) || external_trainer(trial.settings, catalog) ||
         external_loader(trial.settings, catalog, kRepeated);
}

// Times that a mock is given, per step.
double told_times(const SettingsMap& s) {
  const double batch = s.get(keys::loader.batch_size);
  const double workers = std::max<double>(1, s.get(keys::loader.num_workers));
  const double loader =
      s.seconds_or_zero("loader.batch_time") + batch * s.seconds_or_zero("loader.sample_time");
  const double trainer =
      s.seconds_or_zero("trainer.step_time") + batch * s.seconds_or_zero("trainer.sample_time");
  return std::max(loader / workers, trainer);
}

// A batch's time where each sample is a read of its own from emulated storage, as many of them at
// once as there are workers, or reads started ahead.
double read_seconds(const SettingsMap& s) {
  const auto store = emulated_figures(s);
  if (!store || s.text_or("loader.residency", "storage") != "storage") return 0;
  const auto number = [&](std::string_view key) {
    return static_cast<double>(s.integer_or(key, 0));
  };
  double at_once = std::max({1.0, number(keys::loader.num_workers), number("loader.io_depth")});
  if (store->connections > 0) at_once = std::min<double>(at_once, store->connections);
  return number(keys::loader.batch_size) * to_seconds(store->latency + store->seek) / at_once;
}

PriceEntry guess(const Trial& trial, const PlanContext& context) {
  const bool module = in_module(trial, context.catalog);
  const PartRow* loader = find_loader(trial.settings, context.catalog);
  PriceEntry entry;
  const bool external = is_external(trial, context.catalog);
  entry.startup_seconds = external ? kExternalStartup : module ? kModuleStartup : kStartup;
  entry.step_seconds = std::max({told_times(trial.settings), read_seconds(trial.settings),
                                 module                                               ? kModuleStep
                                 : external || (loader && !loader->description->mock) ? kRealStep
                                                                                      : 0.0});
  return entry;
}

// Returns the section of the loader that makes the rows, which is not the one that repeats them.
std::string loader_prefix(const SettingsMap& s) {
  return s.has(kRepeatedUse) ? kRepeated : "loader.";
}

constexpr std::uint64_t kTouchedRow = 24;  // of loader.payload: raw_bytes: length, sum, label

// Stored bytes of one made sample; 0 where nothing is made, or it is small.
std::uint64_t made_sample_bytes(const SettingsMap& s) {
  if (!s.has("dataset.synthesize.volume.depth")) return 0;
  const std::string dtype = s.text_or("dataset.synthesize.volume.dtype");
  const std::uint64_t element = dtype == "uint8" ? 1 : dtype == "float32" ? 4 : 2;
  return element * s.integer_or("dataset.synthesize.volume.depth", 1) *
         s.integer_or("dataset.synthesize.volume.height", 1) *
         s.integer_or("dataset.synthesize.volume.width", 1);
}

constexpr std::uint64_t kLabel = 8;  // bytes

// Returns the bytes of an image, by its crop.
std::uint64_t cropped_bytes(const SettingsMap& s, const std::string& loader) {
  const std::uint64_t centre = s.integer_or(loader + "transform.center_crop", 0);
  const std::uint64_t side =
      centre ? centre : s.integer_or(loader + "transform.random_resized_crop", 0);
  if (side == 0) return kRowGuess;
  const bool floats = s.text_or(loader + "transform.normalize_on") == "worker" &&
                      s.text_or(loader + "transform.normalize") != "none";
  return side * side * 3 * (floats ? 4 : 1) + kLabel;
}

std::uint64_t volume_bytes(const SettingsMap& s, const std::string& loader) {
  constexpr auto kWhole = std::numeric_limits<std::int64_t>::max();
  const std::int64_t patch = s.integer_or(loader + "transform.random_patch", kWhole);
  std::int64_t elements = 1;
  for (const char* side : {"depth", "height", "width"})
    elements *= std::min(s.integer_or(std::string("dataset.synthesize.volume.") + side, 1), patch);
  return 4 * static_cast<std::uint64_t>(elements) + kLabel;
}

std::uint64_t row_bytes(const SettingsMap& s, const std::string& loader) {
  if (s.text_or(loader + "payload") == "raw_bytes") return kTouchedRow;
  if (made_sample_bytes(s) > 0) return volume_bytes(s, loader);
  if (!s.has(loader + "height") || !s.has(loader + "width")) return cropped_bytes(s, loader);
  const std::uint64_t value = s.text_or(loader + "dtype") == "float32" ? 4 : 1;
  return value * s.integer_or(loader + "height", 1) * s.integer_or(loader + "width", 1) *
             s.integer_or(loader + "channels", 3) +
         kLabel;
}

// A process of the user's own counts whole bursts by itself, and is priced by its steps.
std::uint64_t priced_burst(const SettingsMap& settings) {
  return settings.has("loader.call") ? 1 : burst_size(settings);
}

std::uint64_t bytes_to_write(const std::vector<DatasetNeed>& needs) {
  std::uint64_t bytes = 0;
  for (const DatasetNeed& need : needs)
    if (!need.ready) bytes += need.bytes_estimate;
  return bytes;
}

}  // namespace

std::uint64_t batch_bytes_guess(const SettingsMap& settings) {
  return settings.get(keys::loader.batch_size) * row_bytes(settings, loader_prefix(settings));
}

// Steps on batches made ahead prove nothing (with no workers the first alone is one); after them a
// quarter of a window, or three bursts, shows that it is steady. The cap counts from there, so only
// the user's cuts this.
double shortest_warm_up(const SettingsMap& settings, double step_seconds) {
  if (const auto fixed = parse_duration(settings.get(keys::measure.warmup)))
    return to_seconds(*fixed);
  const std::uint32_t workers = settings.get(keys::loader.num_workers);
  double ahead = workers == 0 ? 1 : settings.get(keys::loader.max_jobs);
  // One more for each worker: those that it works on while the others wait to be taken.
  if (settings.has("loader.call")) ahead += workers;
  const double bursts = 3 * static_cast<double>(priced_burst(settings)) * step_seconds;
  const double block = std::max(to_seconds(settings.get(keys::measure.window)) / 4, bursts);
  return ahead * step_seconds + block;
}

namespace {

double warm_up_seconds(const SettingsMap& settings, const PriceEntry& entry) {
  const double seconds = shortest_warm_up(settings, entry.step_seconds);
  if (parse_duration(settings.get(keys::measure.warmup))) return seconds;
  const double whole = seconds * entry.warm_up_factor;
  const auto cap = settings.get_if(keys::measure.warmup_cap);
  return cap ? std::min(whole, to_seconds(*cap)) : whole;
}

// Windows that are made of segments hold whole bursts alone (window.h).
bool holds_periods(const SettingsMap& settings) {
  return !settings.has("loader.call") && settings.get_if(keys::dataset.cache) != "cold";
}

// The window ends with a whole burst, and with whole periods of what comes once in a number of
// steps.
double window_seconds(const SettingsMap& settings, double step_seconds) {
  const double asked = to_seconds(settings.get(keys::measure.window));
  const std::uint64_t burst = priced_burst(settings);
  const std::uint64_t repeats =
      holds_periods(settings)
          ? steps_to_repeat(settings, burst, from_seconds(step_seconds), /*simulated=*/false).steps
          : burst;
  const double steps = repeats > 1 && step_seconds > 0 ? std::ceil(asked / step_seconds) : 0;
  // A step of no time has no end of them.
  if (!(steps < kMostSteps)) return asked;
  const auto least =
      std::max(settings.get(keys::measure.window_batches), static_cast<std::uint64_t>(steps));
  const std::uint64_t whole = (whole_bursts(least, burst) + repeats - 1) / repeats * repeats;
  return std::max(asked, static_cast<double>(whole) * step_seconds);
}

// Wall time of computing what would take as long in virtual time.
double simulated_seconds(const Trial& trial, const PlanContext& context, bool& guessed) {
  if (const PriceEntry* known = find_value(context.prices, simulated_key(trial)))
    return known->startup_seconds;
  guessed = true;
  const double step = std::max(told_times(trial.settings), 1e-4);
  const double steps =
      std::max(static_cast<double>(trial.settings.get(keys::measure.window_batches)),
               to_seconds(trial.settings.get(keys::measure.window)) / step);
  return kSimulatedTrial + 2 * steps * kSimulatedStep;
}

}  // namespace

const PriceEntry* find_price(const Trial& trial, const PlanContext& context) {
  const PriceEntry* known = find_value(context.prices, price_key(trial));
  return known && known->step_seconds > 0 ? known : nullptr;
}

std::string size_text(std::uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

double seconds_of(const Trial& trial, const PlanContext& context, bool& guessed) {
  if (context.simulated) return simulated_seconds(trial, context, guessed);
  const PriceEntry* known = find_price(trial, context);
  guessed = guessed || !known;
  const PriceEntry entry = known ? *known : guess(trial, context);
  return entry.startup_seconds + warm_up_seconds(trial.settings, entry) +
         window_seconds(trial.settings, entry.step_seconds);
}

namespace {

// Counts the slots of batches, each worker's sample, and the parts' own memory.
double memory_guess(const SettingsMap& s, bool module) {
  const double slots = s.get(keys::loader.max_jobs) + 2.0;
  // Slots hold the first batch that is repeated; those that come in turn with it are more.
  const auto more = static_cast<double>(s.integer_or("loader.distinct", 1) - 1);
  const bool only_read = s.text_or(loader_prefix(s) + "payload") == "raw_bytes";
  const double parts = (only_read ? kReadingMemory : kProcessMemory) + (module ? kModuleMemory : 0);
  const auto readers =
      static_cast<double>(std::max<std::int64_t>(1, s.integer_or(keys::loader.num_workers, 1)));
  return (slots + more) * static_cast<double>(batch_bytes_guess(s)) +
         readers * static_cast<double>(made_sample_bytes(s)) + parts;
}

}  // namespace

std::uint64_t memory_of(const Trial& trial, const PlanContext& context) {
  const PriceEntry* known = find_value(context.prices, price_key(trial));
  if (known && known->memory_bytes > 0) return known->memory_bytes;
  if (is_external(trial, context.catalog)) return 0;
  return static_cast<std::uint64_t>(
      memory_guess(trial.settings, in_module(trial, context.catalog)));
}

namespace {

// Trials whose prices are worth comparing at all.
std::string family_of(const Trial& trial) {
  const SettingsMap& s = trial.settings;
  return fmt::format("{} {} {} {}", name_of(trial.mode), s.text_or(keys::loader.use),
                     s.text_or(keys::trainer.use), s.text_or(kRepeatedUse));
}

bool costs_nothing(std::string_view key) {
  return key.starts_with("measure.") || key.ends_with(".seed");
}

std::size_t difference(const SettingsMap& a, const SettingsMap& b) {
  const auto differs = [](const SettingsMap& of, const SettingsMap& from) {
    return static_cast<std::size_t>(std::ranges::count_if(of.all(), [&](const auto& pair) {
      const Value* other = from.find(pair.first);
      return !costs_nothing(pair.first) && (!other || !(*other == pair.second));
    }));
  };
  return differs(a, b) + differs(b, a);
}

// Entries of a family: enough for a sweep's axes, and 10,000 points stay quick.
constexpr std::size_t kCompared = 64;

PriceEntry scaled(PriceEntry entry, const SettingsMap& from, const SettingsMap& to) {
  const auto batch = [](const SettingsMap& s) {
    return static_cast<double>(s.get(keys::loader.batch_size));
  };
  entry.step_seconds = std::max(entry.step_seconds * batch(to) / batch(from), read_seconds(to));
  entry.memory_bytes = 0;
  return entry;
}

// A trial of a family, and the price that an earlier run taught of it.
struct Taught {
  const Trial* trial;
  const PriceEntry* entry;
};
using Family = std::vector<Taught>;

// Returns the price of the nearest one; nullopt where there is none.
std::optional<PriceEntry> similar_price(const SettingsMap& settings, const Family& family) {
  if (family.empty()) return std::nullopt;
  const auto nearest = std::ranges::min_element(
      family, {}, [&](const Taught& k) { return difference(k.trial->settings, settings); });
  return scaled(*nearest->entry, nearest->trial->settings, settings);
}

}  // namespace

Pricing::Pricing(const Plan& whole, const PlanContext& context)
    : context_(context), priced_(context) {
  std::map<std::string, Family> families;
  std::vector<const Trial*> unknown;
  for (const Trial& trial : whole.trials) {
    if (trial.skip) continue;
    Family& family = families[family_of(trial)];
    const PriceEntry* found = find_price(trial, context);
    if (!found)
      unknown.push_back(&trial);
    else if (family.size() < kCompared)
      family.push_back({&trial, found});
  }
  for (const Trial* trial : unknown)
    if (const auto entry = similar_price(trial->settings, families[family_of(*trial)])) {
      const std::string key = price_key(*trial);
      priced_.prices[key] = *entry;
      similar_.insert(key);
    }
}

std::vector<DatasetNeed> Pricing::datasets_of(const std::vector<Trial>& trials) {
  std::set<std::string> paths;
  std::vector<DatasetNeed> needs;
  for (const Trial& trial : trials) {
    if (trial.skip) continue;
    SettingsMap dataset;
    for (const auto& [key, value] : trial.settings.below("dataset.")) dataset.set(key, value);
    const auto [found, is_new] = needs_.try_emplace(canonical_text(dataset));
    if (is_new) found->second = dataset_need(dataset, context_.cache_folder, context_.catalog);
    if (found->second && paths.insert(found->second->path).second) needs.push_back(*found->second);
  }
  return needs;
}

bool has_ready_sibling(const DatasetNeed& need, const Catalog& catalog) {
  if (is_users_own(need)) return false;
  return std::ranges::any_of(
      catalog.names(PartKind::sample_format), [&](const std::string& format) {
        return format != need.format && in_format(need, format, catalog).ready;
      });
}

std::string making_key(const DatasetNeed& need, bool from_sibling) {
  const bool tokens = need.synthesize.has("dataset.synthesize.tokens.mean_length"),
             volume = need.synthesize.has("dataset.synthesize.volume.depth");
  const std::string_view source = from_sibling                  ? "sibling"
                                  : !need.prepare.empty()       ? std::string_view(need.prepare)
                                  : need.source != "synthesize" ? "files"
                                  : tokens                      ? "tokens"
                                  : volume                      ? "volume"
                                                                : "image";
  return fmt::format("make:{}:{}", need.format, source);
}

namespace {

// Returns the place of the samples, whatever their format.
std::string find_samples(const DatasetNeed& need) {
  const std::string folder = is_users_own(need) ? need.path : dataset_folder(need);
  return folder.substr(0, folder.size() - std::min(folder.size(), need.format.size()));
}

double guessed_rate(const DatasetNeed& need, bool copied) {
  if (copied || need.source != "synthesize") return kCopyRate;
  return need.prepare.empty() ? kSynthesisRate : kPreparingRate;
}

}  // namespace

double Pricing::making_seconds(const std::vector<DatasetNeed>& needs) {
  std::set<std::string> made;  // the samples that lie there in some format by then
  double seconds = 0;
  for (const DatasetNeed& need : needs) {
    const bool first = made.insert(find_samples(need)).second;
    if (need.ready) continue;
    const bool copied = !first || has_ready_sibling(need, context_.catalog);
    const PriceEntry* known = find_value(context_.prices, making_key(need, copied));
    guessed_ = guessed_ || !known;
    seconds += static_cast<double>(need.bytes_estimate) *
               (known ? known->step_seconds : 1 / guessed_rate(need, copied));
  }
  return seconds;
}

double Pricing::seconds_of(const Trial& trial) const {
  bool guessed = false;
  return benchbench::seconds_of(trial, priced_, guessed);
}

void Pricing::add_trials(const Plan& plan, Price& price) {
  for (const Trial& trial : plan.trials) {
    if (trial.skip) continue;
    const int runs = trial.index == plan.anchor ? int{kAnchorRuns} : 1;
    price.seconds_per_round += runs * benchbench::seconds_of(trial, priced_, guessed_);
    if (!similar_.empty() && !guessed_) guessed_ = similar_.contains(price_key(trial));
    price.memory_bytes = std::max(price.memory_bytes, memory_of(trial, context_));
  }
}

Price Pricing::price_of(const Plan& plan) {
  Price price;
  guessed_ = false;
  add_trials(plan, price);
  const std::vector<DatasetNeed> needs = datasets_of(plan.trials);
  price.disk_bytes = bytes_to_write(needs);
  const PriceEntry* own = find_value(context_.prices, run_key(context_.simulated));
  price.seconds = price.seconds_per_round * plan.rounds + making_seconds(needs) +
                  (own ? own->startup_seconds : kRunSeconds);
  price.basis = guessed_ ? "no earlier run of some trials on this machine: guessed"
                         : "earlier runs on this machine";
  return price;
}

void refuse_beyond_disk(const std::vector<DatasetNeed>& needs, std::uint64_t free_bytes,
                        const std::string& cache_folder) {
  const std::uint64_t bytes = bytes_to_write(needs);
  if (bytes <= free_bytes) return;
  const DatasetNeed& largest = *std::ranges::max_element(needs, {}, &DatasetNeed::bytes_estimate);
  throw ScenarioError(
      fmt::format("the datasets need {} of disk space, but {} are free in {}", size_text(bytes),
                  size_text(free_bytes), cache_folder),
      fmt::format(
          "the largest is {} with {}: reduce dataset.synthesize.samples, sweep fewer formats, or "
          "set BENCHBENCH_CACHE to another disk",
          largest.format, size_text(largest.bytes_estimate)));
}

namespace {

void require_memory(const Plan& plan, const Trial& trial, const PlanContext& context) {
  const std::uint64_t memory = context.environment.memory_bytes;
  const std::uint64_t needed = memory == 0 ? 0 : memory_of(trial, context);
  if (needed <= memory) return;
  if (is_external(trial, context.catalog)) return;  // seen in a run that it did fit
  throw ScenarioError(
      fmt::format("point {} needs {} of memory ({} batches of {}), but {} are usable",
                  plan.points[trial.points.front()].name(), size_text(needed),
                  trial.settings.get(keys::loader.max_jobs) + 2,
                  size_text(batch_bytes_guess(trial.settings)), size_text(memory)),
      "reduce loader.batch_size, num_workers or prefetch_factor");
}

}  // namespace

void refuse_what_cannot_fit(const Plan& plan, const PlanContext& context) {
  refuse_beyond_disk(plan.datasets, context.free_disk_bytes, context.cache_folder);
  for (const Trial& trial : plan.trials)
    if (!trial.skip) require_memory(plan, trial, context);
}

std::string price_key(const Trial& trial) {
  SettingsMap settings;
  for (const auto& [key, value] : trial.settings.all())
    if (!costs_nothing(key)) settings.set(key, value);
  return digest_of(fmt::format("mode={}\n{}", name_of(trial.mode), canonical_text(settings)))
      .text();
}

// The window is part of it: virtual time costs by its steps.
std::string simulated_key(const Trial& trial) { return "simulated:" + trial.digest; }

}  // namespace benchbench
