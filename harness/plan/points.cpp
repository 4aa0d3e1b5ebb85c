#include "harness/plan/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/record/external_keys.h"
#include "harness/record/external_way.h"
#include "harness/record/keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"
#include "harness/record/trial.h"

namespace benchbench {
namespace {

constexpr std::string_view kThreads = keys::trainer.intra_op_threads, kModes = keys::measure.modes;

std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

// A part comes before its parameters, a device before what its variant changes.
int rank_of(const std::string& axis) {
  if (axis == keys::trainer.device) return 0;
  if (axis.find('.') == std::string::npos) return 1;
  return axis.ends_with(".use") || axis == keys::dataset.format ? 2 : 3;
}

bool part_takes(const Catalog& catalog, PartKind kind, const SettingsMap& settings,
                std::string_view use, std::string_view key) {
  const Value* name = settings.find(use);
  const PartRow* row = name ? catalog.find(kind, name->text()) : nullptr;
  if (!row) return false;
  const std::string_view free = row->description->free_keys;
  return find_parameter(row->description->parameters, key) ||
         (!free.empty() && key.size() > free.size() && key.starts_with(free));
}

// Of the harness's keys, those that order its own workers: another's DataLoader has its own ways.
bool is_unheard(const Catalog& catalog, const SettingsMap& settings, std::string_view key) {
  return (key == "dispatch" || key == "work_unit" || key == "max_jobs") &&
         external_loader(settings, catalog);
}

// Where parts and their parameters are both swept, a parameter that the point's part does not take
// changes nothing.
bool takes(const Catalog& catalog, const SettingsMap& settings, std::string_view key) {
  const std::size_t dot = key.find('.');
  const std::string_view section = key.substr(0, dot),
                         rest = key.substr(std::min(key.size(), dot + 1));
  if (section == "loader")
    return (find_parameter(loader_keys(), rest) && !is_unheard(catalog, settings, rest)) ||
           part_takes(catalog, PartKind::loader, settings, keys::loader.use, rest) ||
           part_takes(catalog, PartKind::sampler, settings, keys::loader.access, rest);
  if (section == "trainer")
    return find_parameter(trainer_keys(), rest) ||
           part_takes(catalog, PartKind::trainer, settings, keys::trainer.use, rest);
  return true;
}

void apply(const AxisValue& value, const Catalog& catalog, SettingsMap& settings) {
  value.erase_from(settings);
  for (const auto& [key, held] : value.set)
    if (key.ends_with(".use")) settings.set(key, held);
  for (const auto& [key, held] : value.set) {
    if (held.none())
      settings.erase(key);
    else if (takes(catalog, settings, key))
      settings.set(key, held);
  }
}

class PointMaker {
 public:
  PointMaker(const Scenario& scenario, const Catalog& catalog)
      : scenario_(scenario), catalog_(catalog) {
    sort_axes();
    Point base;
    base.settings = settings_of({});
    for (const Axis& axis : scenario.axes)
      if (std::string label = base_label(axis); !label.empty())
        base.labels.emplace_back(axis.key, std::move(label));
    keep(std::move(base));
  }

  std::vector<Point> run() {
    for (const SweepChoice& choice : list_choices(scenario_)) add(choice);
    return std::move(points_);
  }

 private:
  void sort_axes() {
    by_rank_.resize(scenario_.axes.size());
    std::iota(by_rank_.begin(), by_rank_.end(), std::size_t{0});
    std::ranges::stable_sort(by_rank_, {},
                             [&](std::size_t axis) { return rank_of(scenario_.axes[axis].key); });
  }

  SettingsMap settings_of(const SweepChoice& choice) const {
    SettingsMap settings = scenario_.base;
    bool own_max_jobs = !scenario_.max_jobs_follows;
    for (const std::size_t axis : by_rank_) {
      const std::size_t* chosen = find_value(choice, axis);
      if (!chosen) continue;
      const AxisValue& value = scenario_.axes[axis].values[*chosen];
      apply(value, catalog_, settings);
      own_max_jobs = own_max_jobs || value.find(keys::loader.max_jobs);
    }
    share_interpreter(choice, settings);
    settle_threads(choice, settings);
    settle_modes(settings);
    if (external_loader(settings, catalog_)) drop_what_needs_workers(settings);
    if (own_max_jobs) return settings;
    settings.erase(keys::loader.max_jobs);
    settings.set(keys::loader.max_jobs, max_jobs_of(settings));
    return settings;
  }

  // Steps in the user's process have its threads, all others the sweep's number.
  void settle_threads(const SweepChoice& choice, SettingsMap& settings) const {
    bool open = scenario_.threads_follow;
    for (const auto& [axis, v] : choice)
      if (const Value* threads = scenario_.axes[axis].values[v].find(kThreads))
        open = std::holds_alternative<std::string>(threads->held);  // "auto"
    if (open)
      settings.set(kThreads, {ParameterType::integer, steps_in_users_process(settings, catalog_)
                                                          ? kUsersOwnThreads
                                                          : auto_threads_at(scenario_, settings)});
  }
  // Dropping a batch in the user's own process takes nothing: a step alone would have no rate that
  // means anything, and the pipeline would be the loader once more.
  void settle_modes(SettingsMap& settings) const {
    if (!scenario_.modes_follow) return;
    const bool drops = external_way(settings, catalog_) == ExternalWay::self_timed;
    settings.set(kModes,
                 {ParameterType::text, std::string(drops ? name_of(Mode::loader) : kAllModes)});
  }

  // An axis of interpreters is one of both sides: both run in one process where both are the user's
  // code.
  void share_interpreter(const SweepChoice& choice, SettingsMap& settings) const {
    if (!external_loader(settings, catalog_) || !external_trainer(settings, catalog_)) return;
    for (const auto& [axis, value] : choice) {
      const std::string& key = scenario_.axes[axis].key;
      if (key != "loader.python" && key != "trainer.python") continue;
      const std::string other = key == "loader.python" ? "trainer.python" : "loader.python";
      if (settings.has(key))
        settings.set(other, Value(settings.at(key)));
      else
        settings.erase(other);
    }
  }

  // That of the axis' value which changes nothing; else what the base has there, in its own words.
  // Empty where the base's part has no such setting.
  std::string base_label(const Axis& axis) const {
    const auto at = static_cast<std::size_t>(&axis - scenario_.axes.data());
    if (external_loader(scenario_.base, catalog_) && needs_workers(axis.key) &&
        scenario_.base.get(keys::loader.num_workers) == 0)
      return "";
    for (std::size_t v = 0; v < axis.values.size(); ++v)
      if (settings_of({{at, v}}) == settings_of({}) && takes_all(axis.values[v]))
        return axis.values[v].label;
    return words_of_base(axis.key);
  }
  std::string words_of_base(const std::string& axis) const {
    const bool part = axis.find('.') == std::string::npos;
    const Value* held = scenario_.base.find(part ? axis + ".use" : axis);
    if (!held && axis == "loader.shuffle") held = scenario_.base.find(keys::loader.access);
    if (!held) return "";
    const bool users_own = axis == kThreads && held->text() == std::to_string(kUsersOwnThreads);
    return users_own ? "auto" : exact_text(axis, *held);
  }
  bool takes_all(const AxisValue& value) const {
    return std::ranges::all_of(value.set, [&](const auto& pair) {
      return pair.second.none() || takes(catalog_, scenario_.base, pair.first);
    });
  }

  void add(const SweepChoice& choice) {
    Point point;
    point.settings = settings_of(choice);
    const bool zipped = scenario_.mode == SweepMode::zip;
    std::string repeats;
    for (const auto& [axis, v] : choice) {
      const auto& [key, values, typed] = scenario_.axes[axis];
      const std::uint32_t repeat = zipped ? 0 : values[v].repeat;
      point.labels.emplace_back(key, numbered(values[v].label, repeat));
      if (repeat > 0) repeats += fmt::format("{}#{}\n", key, repeat);
    }
    if (const std::uint32_t repeat = zipped ? repeat_of_zipped(choice.begin()->second) : 0) {
      point.labels.back().second = numbered(point.labels.back().second, repeat);
      repeats = fmt::format("#{}\n", repeat);
    }
    keep(std::move(point), repeats);
  }
  // Where a zip's values are the same on all axes; one axis' values may well return.
  std::uint32_t repeat_of_zipped(std::size_t v) const {
    std::uint32_t before = 0, all = 0;
    for (std::size_t other = 0; other < scenario_.axes[0].values.size(); ++other) {
      const bool same = std::ranges::all_of(scenario_.axes, [&](const Axis& a) {
        return a.values[other].label == a.values[v].label;
      });
      all += same;
      before += same && other <= v;
    }
    return all > 1 ? before : 0;
  }

  // Points of equal settings are one, but for those that were asked for several times.
  void keep(Point point, const std::string& repeats = {}) {
    if (!seen_.insert(canonical_text(point.settings) + repeats).second) return;
    point.index = static_cast<std::uint32_t>(points_.size());
    points_.push_back(std::move(point));
  }

  const Scenario& scenario_;
  const Catalog& catalog_;
  std::vector<std::size_t> by_rank_;
  std::vector<Point> points_;
  std::set<std::string> seen_;
};

void check_zip(const Scenario& scenario) {
  if (scenario.mode != SweepMode::zip) return;
  for (const Axis& axis : scenario.axes)
    if (axis.values.size() != scenario.axes[0].values.size())
      throw ScenarioError(fmt::format(
          "zip needs axes of equal length, but {} has {} values and {} has {}", axis.key,
          axis.values.size(), scenario.axes[0].key, scenario.axes[0].values.size()));
}

}  // namespace

std::string numbered(const std::string& label, std::uint32_t repeat) {
  return repeat == 0 ? label : fmt::format("{} #{}", label, repeat);
}

std::uint64_t count_points(const Scenario& scenario) noexcept {
  if (scenario.axes.empty()) return 1;
  std::uint64_t sum = 1, product = 1;
  for (const Axis& axis : scenario.axes) {
    sum += axis.values.size();
    product = times(product, axis.values.size());
  }
  if (scenario.mode == SweepMode::one_at_a_time) return sum;
  return scenario.mode == SweepMode::zip ? 1 + scenario.axes[0].values.size() : product;
}

std::vector<Point> make_points(const Scenario& scenario, const Catalog& catalog) {
  const std::uint64_t count = count_points(scenario);
  if (count > kMaxPoints)
    throw ScenarioError(
        count == ~std::uint64_t{0}
            ? fmt::format("the sweep has more than 10^19 points; the limit is {}", kMaxPoints)
            : fmt::format("the sweep has {} points; the limit is {}", count, kMaxPoints),
        "remove values or axes, or use mode: one_at_a_time");
  check_zip(scenario);
  return PointMaker(scenario, catalog).run();
}

namespace {

// True if the trainer computes, on the CPU.
bool computes_here(const SettingsMap& base, const Catalog& catalog) {
  const PartRow* trainer = find_trainer(base, catalog);
  return trainer && !trainer->module.empty() && base.get(keys::trainer.device) == "cpu";
}

// Returns the first point without workers, of which at most one axis is swept; nullptr where none
// is.
const Point* find_unfed(const std::vector<Point>& points) {
  const auto unfed = std::ranges::find_if(points, [](const Point& p) {
    return p.settings.get(keys::loader.num_workers) == 0 && (p.index == 0 || p.labels.size() <= 1);
  });
  return unfed == points.end() ? nullptr : &*unfed;
}

}  // namespace

bool add_reference_point(std::vector<Point>& points, const Catalog& catalog, std::uint32_t cores) {
  const SettingsMap& base = points.front().settings;
  cores = static_cast<std::uint32_t>(cores_at(base, cores));
  if (!computes_here(base, catalog) || base.integer(kThreads) >= cores) return false;
  const Point* unfed = find_unfed(points);
  if (!unfed) return false;
  Point reference;
  reference.index = static_cast<std::uint32_t>(points.size());
  reference.settings = unfed->settings;
  reference.settings.set(kThreads, {ParameterType::integer, std::int64_t{cores}});
  reference.labels = {{keys::loader.num_workers, "0"},
                      {std::string(kThreads), std::to_string(cores)}};
  if (contains(points, reference.settings, &Point::settings)) return false;
  points.push_back(std::move(reference));
  return true;
}

std::string canonical_text(const SettingsMap& settings) {
  std::string text;
  for (const auto& [key, value] : settings.all())
    text += fmt::format("{}={}\n", key, exact_text(key, value));
  return text;
}

}  // namespace benchbench
