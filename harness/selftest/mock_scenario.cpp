#include "harness/selftest/mock_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "harness/core/error.h"
#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench::selftest {
namespace {

// Settings in the making: what each key may hold, and what it holds.
class Making {
 public:
  void keys(const std::string& prefix, std::span<const Parameter> parameters) {
    for (const Parameter& p : parameters) {
      types_[prefix + std::string(p.key)] = p.type;
      if (!p.standard.empty()) set(prefix + std::string(p.key), std::string(p.standard));
    }
  }

  void part(const std::string& prefix, PartKind kind, const std::string& name,
            const Catalog& catalog) {
    const PartRow* row = catalog.find(kind, name);
    if (!row) throw PartError(fmt::format("unknown {} {}", name_of(kind), name));
    keys(prefix, row->description->parameters);
  }

  void set(const std::string& key, const std::string& text) {
    const auto type = types_.find(key);
    if (type == types_.end())
      throw PartError(fmt::format("no part of this scenario has a parameter {}", key));
    const auto value = Value::parse(type->second, text);
    if (!value) throw PartError(fmt::format("{}: {} is not an allowed value", key, text));
    value->none() ? settings_.erase(key) : settings_.set(key, *value);
  }

  SettingsMap take() { return std::move(settings_); }

 private:
  SettingsMap settings_;
  std::map<std::string, ParameterType, std::less<>> types_;
};

const std::string& last_of(const Given& settings, std::string_view key) {
  for (auto at = settings.rbegin(); at != settings.rend(); ++at)
    if (at->first == key) return at->second;
  throw PartError(fmt::format("a scenario of mocks needs {}", key));
}

const Given& standing() {
  static const Given settings{
      {keys::loader.access, "sequential"},   {keys::trainer.device, "cpu"},
      {keys::trainer.intra_op_threads, "1"}, {keys::measure.window_class, "selftest"},
      {keys::measure.window, "200ms"},       {keys::measure.window_batches, "100"},
      {keys::measure.probe_every, "0s"},     {keys::measure.isolation, "none"},
      {keys::measure.warmup, "30ms"}};
  return settings;
}

void set_max_jobs(SettingsMap& settings) {
  if (settings.has(keys::loader.max_jobs)) return;
  const std::int64_t workers = std::max<std::int64_t>(1, settings.get(keys::loader.num_workers));
  settings.set(keys::loader.max_jobs, workers * settings.get(keys::loader.prefetch_factor));
}
}  // namespace

Given with(Given settings, const Given& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

Scenario mock_scenario(std::string name, const Given& given, const Catalog& catalog) {
  Making making;
  making.keys("loader.", loader_keys());
  making.keys("trainer.", trainer_keys());
  making.keys("measure.", measure_keys());
  making.part("loader.", PartKind::loader, last_of(given, keys::loader.use), catalog);
  making.part("trainer.", PartKind::trainer, last_of(given, keys::trainer.use), catalog);
  for (const auto& [key, value] : standing()) making.set(key, value);
  for (const auto& [key, value] : given) making.set(key, value);
  Scenario scenario;
  scenario.name = std::move(name);
  scenario.source = "selftest";
  scenario.base = making.take();
  set_max_jobs(scenario.base);
  return scenario;
}

}  // namespace benchbench::selftest
