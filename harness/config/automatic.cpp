#include "harness/config/automatic.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/config/value_check.h"
#include "harness/record/external_keys.h"
#include "harness/record/external_pairs.h"
#include "harness/record/external_way.h"
#include "harness/record/trial.h"

namespace benchbench::config {
namespace {

std::int64_t max_workers(const Scenario& scenario) {
  std::int64_t max = scenario.base.integer("loader.num_workers");
  for (const Axis& axis : scenario.axes)
    for (const AxisValue& value : axis.values)
      for (const auto& [key, held] : value.set)
        if (key == "loader.num_workers") max = std::max(max, std::get<std::int64_t>(held.held));
  return max;
}

// The settings as far as they say which parts run.
SettingsMap with_parts_of(const AxisValue& value, SettingsMap settings) {
  for (const auto& [key, held] : value.set)
    if (key.ends_with(".use")) settings.set(key, held);
  return settings;
}

// What `auto` comes to: one number for the whole sweep, so that the point with the most workers keeps its cores; in the user's
// own process it is theirs.
class Threads {
 public:
  Threads(Scenario& scenario, std::uint32_t cores, const Catalog& catalog)
      : s_(scenario), catalog_(catalog), cores_(cores), workers_(max_workers(scenario)),
        number_(std::max<std::int64_t>(1, static_cast<std::int64_t>(cores) - workers_)) {}

  void settle() {
    const Value* base = s_.base.find(kThreads);
    const bool open = base && is_auto(*base);
    if (open) s_.base.set(kThreads, settled(s_.base));
    for (Axis& axis : s_.axes)
      for (AxisValue& value : axis.values) settle(value, open);
    tell();
  }

 private:
  void settle(AxisValue& value, bool open) {
    const SettingsMap there = with_parts_of(value, s_.base);
    Value* given = nullptr;
    for (auto& [key, held] : value.set)
      if (key == kThreads) given = &held;
    if (!given && open && in_users_process(there) != in_users_process(s_.base)) return value.set.emplace_back(kThreads, settled(there)), void();
    if (!given || !is_auto(*given)) return;
    *given = settled(there);
    if (value.label == "auto" && !in_users_process(there)) value.label = given->text();
  }
  bool in_users_process(const SettingsMap& settings) const {
    return external_trainer(settings, catalog_) || runs_externally(external_way(settings, catalog_));
  }
  Value settled(const SettingsMap& settings) {
    const bool theirs = in_users_process(settings);
    (theirs ? left_ : decided_) = true;
    return {ParameterType::integer, theirs ? kUsersOwnThreads : number_};
  }
  void tell() {
    if (left_) s_.decisions.push_back(fmt::format("{}: auto is the script's own number: what your code sets, else torch's default", kThreads));
    if (decided_)
      s_.decisions.push_back(fmt::format("{}: auto is {}: {} core{} minus the sweep's largest num_workers, {}, at least 1", kThreads, number_, cores_,
                                         cores_ == 1 ? "" : "s", workers_));
  }

  static constexpr const char* kThreads = "trainer.intra_op_threads";
  Scenario& s_;
  const Catalog& catalog_;
  const std::int64_t cores_, workers_, number_;
  bool left_ = false, decided_ = false;
};

void settle_max_jobs(Scenario& scenario, bool own_workers) {
  if (scenario.base.has("loader.max_jobs")) return;
  scenario.max_jobs_follows = true;
  const std::int64_t workers = std::max<std::int64_t>(1, scenario.base.integer("loader.num_workers"));
  const std::int64_t jobs = workers * scenario.base.integer("loader.prefetch_factor");
  scenario.base.set("loader.max_jobs", {ParameterType::integer, jobs});
  if (!own_workers) return;
  scenario.decisions.push_back(
      "loader.max_jobs: auto is max(1, num_workers) x prefetch_factor at each point");
}

constexpr const char* kModes = "measure.modes";

bool asks_for_more_than_loader(const SettingsMap& base) {
  const auto yes = [&](const char* key) { return base.has(key) && base.boolean(key); };
  return base.has("measure.au_at_least") || yes("measure.substitute") || yes("measure.interference");
}

// Dropping a batch in the user's own process takes nothing: a step alone would have no rate that means anything, and the
// pipeline would be the loader once more.
void settle_modes(Scenario& scenario, const Catalog& catalog) {
  const auto drops = [&](const SettingsMap& settings) { return external_way(settings, catalog) == ExternalWay::self_timed; };
  const bool base_drops = drops(scenario.base);
  const Value all = scenario.base.at(kModes), loader{ParameterType::text, std::string(name_of(Mode::loader))};
  bool any = base_drops;
  for (Axis& axis : scenario.axes)
    for (AxisValue& value : axis.values)
      if (const bool there = drops(with_parts_of(value, scenario.base)); there != base_drops) {
        value.set.emplace_back(kModes, there ? loader : all);
        any = true;
      }
  if (base_drops) scenario.base.set(kModes, loader);
  if (any)
    scenario.decisions.push_back(fmt::format("{} is loader where the trainer is discard: it takes no time, so a step alone has no rate, and the "
                                             "pipeline's is the loader's", kModes));
}

}  // namespace

std::string base_device(const std::vector<const Layer*>& layers, const ScenarioRequest& request,
                        std::vector<std::string>& decisions) {
  std::string device = "auto";
  for (const Layer* layer : layers)
    for (const Entry& e : layer->entries)
      if (e.key == "trainer.device" && e.value->scalar()) device = e.value->text;
  if (device == "cuda") return "cuda:0";
  if (device != "auto") return device;
  const std::string reason = request.cuda_reason.empty() ? "no CUDA device" : request.cuda_reason;
  decisions.push_back(request.cuda_available ? std::string("trainer.device: auto is cuda:0")
                                             : fmt::format("trainer.device: auto is cpu: {}", reason));
  return request.cuda_available ? "cuda:0" : "cpu";
}

void settle_automatic(Scenario& scenario, const ScenarioRequest& request, const std::map<std::string, const Entry*>& given,
                      const Catalog& catalog) {
  Threads(scenario, std::max(1u, request.cores), catalog).settle();
  settle_max_jobs(scenario, !external_loader(scenario.base, catalog));
  if (!given.contains(kModes) && !asks_for_more_than_loader(scenario.base)) settle_modes(scenario, catalog);
}

}  // namespace benchbench::config
