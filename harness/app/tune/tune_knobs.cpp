#include "harness/app/tune/tune_knobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "harness/core/error.h"

namespace benchbench {
namespace {

struct KnobRow {
  std::string_view name;
  KnobKind kind;
  std::string_view standard;  // the default, of PyTorch where it has the argument
  std::string_view ladder;    // values that are tried where the scenario's sweep has none
  bool needs_workers;
  bool asked_only;  // --knobs or the scenario's sweep must name it
};
constexpr std::array kRows{
    KnobRow{"num_workers", KnobKind::workers, "0", "0,1,2,3,4,6,8,12,16,24,32,48,64,96,128", false, false},
    KnobRow{"prefetch_factor", KnobKind::depth, "2", "1,2,4,8", true, false},
    KnobRow{"pin_memory", KnobKind::flag, "false", "false,true", false, false},
    KnobRow{"in_order", KnobKind::flag, "true", "true,false", true, true},
    KnobRow{"io", KnobKind::category, "pread", "pread,mmap,io_uring", false, false},
    KnobRow{"io_depth", KnobKind::count, "0", "0,4,16", false, true},
    KnobRow{"work_unit", KnobKind::category, "batch", "batch,sample", true, true},
    KnobRow{"dispatch", KnobKind::category, "shared", "shared,round_robin,least_loaded", true, true},
};

const KnobRow* row_of(std::string_view name) {
  const auto at = std::ranges::find(kRows, name, &KnobRow::name);
  return at == kRows.end() ? nullptr : &*at;
}

bool counts(KnobKind kind) noexcept { return kind != KnobKind::flag && kind != KnobKind::category; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

const Axis* swept(const Scenario& scenario, const std::string& key) {
  const auto at = std::ranges::find(scenario.axes, key, &Axis::key);
  return at == scenario.axes.end() ? nullptr : &*at;
}

// Ascending where they are numbers, each once, the present one among them.
std::vector<std::string> in_order(std::vector<std::string> values, const std::string& present, KnobKind kind) {
  if (std::ranges::find(values, present) == values.end()) values.insert(values.begin(), present);
  if (!counts(kind)) return values;
  const auto number = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
  std::ranges::sort(values, {}, number);
  const auto same = std::ranges::unique(values, {}, number);
  values.erase(same.begin(), same.end());
  return values;
}

std::vector<std::string> values_of(const KnobRow& row, const Scenario& scenario, const TuneAsked& asked, std::uint32_t cores) {
  const std::string key = "loader." + std::string(row.name), present = scenario.base.text(key);
  const Axis* axis = swept(scenario, key);
  std::vector<std::string> values;
  if (axis)
    for (const AxisValue& v : axis->values) values.push_back(v.label);
  else
    values = words_of(row.ladder);
  if (row.kind == KnobKind::workers && (asked.max_workers || !axis)) {
    const double most = asked.max_workers.value_or(cores);
    if (asked.max_workers && std::strtod(present.c_str(), nullptr) > most)
      throw UsageError(fmt::format("--max-workers {}: the present settings have num_workers {}", most, present),
                       fmt::format("start from fewer: --set loader.num_workers={}", most));
    std::erase_if(values, [&](const std::string& v) { return std::strtod(v.c_str(), nullptr) > most; });
  }
  return in_order(std::move(values), present, row.kind);
}

void check_names(const TuneAsked& asked) {
  std::vector<std::string_view> known;
  for (const KnobRow& row : kRows) known.push_back(row.name);
  for (const std::string& name : asked.knobs)
    if (!row_of(name)) throw UsageError(fmt::format("--knobs {}: not a knob of tune; knobs are {}", name, fmt::join(known, ", ")));
}

bool is_wanted(const KnobRow& row, const Scenario& scenario, const TuneAsked& asked, bool cuda) {
  if (!asked.knobs.empty()) return std::ranges::find(asked.knobs, row.name) != asked.knobs.end();
  if (swept(scenario, "loader." + std::string(row.name))) return true;
  return !row.asked_only && (row.name != "pin_memory" || cuda);
}

std::uint32_t rank_of(const KnobRow& row, std::uint32_t index, const std::string& text, const std::string& present) {
  return counts(row.kind) ? index : text != present;
}

Knob knob_of(const Axis& axis, const SettingsMap& base) {
  const std::string name = axis.key.substr(axis.key.find('.') + 1);
  const KnobRow& row = *row_of(name);
  Knob knob{name, row.kind, {}, row.needs_workers};
  for (const AxisValue& v : axis.values)
    knob.values.push_back({v.label, counts(row.kind) ? std::strtod(v.label.c_str(), nullptr) : 0.0,
                           rank_of(row, static_cast<std::uint32_t>(knob.values.size()), v.label, base.text(axis.key))});
  return knob;
}

std::uint32_t index_of(const Knob& knob, std::string_view text) {
  const auto at = std::ranges::find(knob.values, text, &KnobValue::text);
  return at == knob.values.end() ? 0 : static_cast<std::uint32_t>(at - knob.values.begin());
}

PointId id_of(const Space& space, const Plan& plan, const Point& point) {
  std::vector<std::uint32_t> indexes;
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    const auto label = std::ranges::find(point.labels, plan.scenario.axes[k].key, [](const auto& l) { return l.first; });
    indexes.push_back(label == point.labels.end() ? 0 : index_of(space.knobs()[k], label->second));
  }
  return space.point_of(indexes);
}

std::vector<PointId> references_in(const Space& space, PointId present) {
  if (!space.has_workers() || space.knobs()[space.workers_knob()].values.front().number != 0) return {};
  PointId defaults = present;
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    const Knob& knob = space.knobs()[k];
    defaults = space.with(defaults, k, index_of(knob, row_of(knob.name)->standard));
  }
  return {defaults, space.with(present, space.workers_knob(), 0)};
}

}  // namespace

std::vector<TuneSweep> knobs_of(const Scenario& scenario, const TuneAsked& asked, const std::vector<std::string>& names,
                                std::uint32_t cores, bool cuda) {
  check_names(asked);
  std::vector<TuneSweep> out;
  for (const KnobRow& row : kRows) {
    const std::string key = "loader." + std::string(row.name);
    if (!is_wanted(row, scenario, asked, cuda)) continue;
    if (!scenario.base.has(key) || std::ranges::find(names, row.name) == names.end()) {
      if (!asked.knobs.empty())
        throw UsageError(fmt::format("--knobs {}: the loader {} has no such setting", row.name, scenario.base.text("loader.use")));
      continue;
    }
    if (scenario.base.text(key) == "auto") {  // a sweep takes no auto, and what it comes to is the loader's to decide
      if (!asked.knobs.empty())
        throw UsageError(fmt::format("--knobs {}: the present setting is auto", row.name),
                         fmt::format("say which one is in use: --set {}={}", key, row.standard));
      continue;
    }
    out.push_back({key, values_of(row, scenario, asked, cores)});
  }
  return out;
}

TuneGrid grid_of(const Plan& plan) {
  std::vector<Knob> knobs;
  for (const Axis& axis : plan.scenario.axes) knobs.push_back(knob_of(axis, plan.scenario.base));
  TuneGrid grid{Space(std::move(knobs)), {}, 0, {}};
  grid.points.assign(grid.space.combinations(), kNoAnchor);
  for (const Point& point : plan.points) {
    std::uint32_t& at = grid.points[id_of(grid.space, plan, point)];
    if (at == kNoAnchor) at = point.index;
  }
  grid.present = id_of(grid.space, plan, plan.points.front());
  grid.references = references_in(grid.space, grid.present);
  return grid;
}

}  // namespace benchbench
