#include "harness/app/tune/tune_knobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/record/external_keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

struct KnobRow {
  std::string_view key;
  KnobKind kind;
  std::string_view standard;  // the default, of PyTorch where it has the argument
  std::string_view ladder;    // values that are tried where the scenario's sweep has none
  bool needs_workers;
  bool asked_only;  // --knobs must name it, or, where why_asked is empty, the scenario's sweep
  std::string_view why_asked = {};  // what it changes besides speed

  std::string_view name() const noexcept { return key.substr(key.find('.') + 1); }
};
constexpr std::array kRows{
    KnobRow{keys::loader.num_workers, KnobKind::workers, "0",
            "0,1,2,3,4,6,8,12,16,24,32,48,64,96,128", false, false},
    KnobRow{keys::loader.prefetch_factor, KnobKind::depth, "2", "1,2,4,8", true, false},
    KnobRow{keys::loader.pin_memory, KnobKind::flag, "false", "false,true", false, false},
    KnobRow{keys::loader.in_order, KnobKind::flag, "true", "true,false", true, true,
            "it changes the order of the batches"},
    KnobRow{"loader.multiprocessing_context", KnobKind::category, "none",
            "none,fork,forkserver,spawn", true, true, "the script has to allow it"},
    KnobRow{keys::loader.batch_size, KnobKind::batch_size, "", "", false, true,
            "it changes the training"},
    KnobRow{keys::dataset.format, KnobKind::category, "", "", false, true,
            "each value is another data set"},
    KnobRow{"loader.io", KnobKind::category, "pread", "pread,mmap,io_uring", false, false},
    KnobRow{"loader.io_depth", KnobKind::count, "0", "0,4,16", false, true},
    KnobRow{keys::loader.work_unit, KnobKind::category, "batch", "batch,sample", true, true},
    KnobRow{keys::loader.dispatch, KnobKind::category, "shared", "shared,round_robin,least_loaded",
            true, true},
};

const KnobRow* row_of(std::string_view name) {
  const auto at = std::ranges::find(kRows, name, [](const KnobRow& row) { return row.name(); });
  return at == kRows.end() ? nullptr : &*at;
}

bool counts(KnobKind kind) noexcept { return kind != KnobKind::flag && kind != KnobKind::category; }

double knob_number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

void drop_above(std::vector<std::string>& numbers, double most) {
  std::erase_if(numbers, [&](const std::string& text) { return knob_number(text) > most; });
}

const Axis* swept(const Scenario& scenario, std::string_view key) {
  const auto at = std::ranges::find(scenario.axes, key, &Axis::key);
  return at == scenario.axes.end() ? nullptr : &*at;
}

std::vector<std::string> labels_of(const Axis& axis) {
  std::vector<std::string> labels;
  for (const AxisValue& v : axis.values) labels.push_back(v.label);
  return labels;
}

std::string present_of(const KnobRow& row, const SettingsMap& base) {
  const Value* held = base.find(row.key);
  return held ? held->text() : std::string(row.standard);
}

// Half of the present size to four times that.
std::vector<std::string> ladder_of(const KnobRow& row, const std::string& present) {
  if (row.kind != KnobKind::batch_size) return split_at_commas(row.ladder);
  const long size = std::strtol(present.c_str(), nullptr, 10);
  std::vector<std::string> out;
  for (const long v : {size / 2, size, 2 * size, 4 * size})
    if (v > 0) out.push_back(std::to_string(v));
  return out;
}

// Ascending where they are numbers, each once, the present one among them.
std::vector<std::string> in_order(std::vector<std::string> values, const std::string& present,
                                  KnobKind kind) {
  if (!contains(values, present)) values.insert(values.begin(), present);
  if (!counts(kind)) return values;
  std::ranges::sort(values, {}, knob_number);
  const auto same = std::ranges::unique(values, {}, knob_number);
  values.erase(same.begin(), same.end());
  return values;
}

std::vector<std::string> values_of(const KnobRow& row, const Scenario& scenario,
                                   const TuneAsked& asked, std::uint32_t cores) {
  const std::string present = present_of(row, scenario.base);
  const Axis* axis = swept(scenario, row.key);
  std::vector<std::string> values = axis ? labels_of(*axis) : ladder_of(row, present);
  if (row.kind == KnobKind::workers && (asked.max_workers || !axis)) {
    const double most = asked.max_workers.value_or(cores);
    if (asked.max_workers && knob_number(present) > most)
      throw UsageError(
          fmt::format("--max-workers {}: the present settings have num_workers {}", most, present),
          fmt::format("start from fewer: --set loader.num_workers={}", most));
    drop_above(values, most);
  }
  return in_order(std::move(values), present, row.kind);
}

bool is_named(const KnobRow& row, const TuneAsked& asked) {
  return contains(asked.knobs, row.name());
}

// Why a knob that the loader has is not searched; empty where it is. UsageError where --knobs names
// it and that cannot be.
std::string why_not(const KnobRow& row, const Scenario& scenario, const TuneAsked& asked,
                    bool cuda) {
  const std::string key(row.key);
  if (row.name() == "pin_memory" && !cuda) return "the step's device copies no batches";
  const bool workers_stay = !asked.knobs.empty() && !contains(asked.knobs, "num_workers");
  if (row.needs_workers && workers_stay && scenario.base.get_if(keys::loader.num_workers) == 0)
    throw UsageError(
        fmt::format("--knobs {}: without workers it has no effect, and num_workers stays at 0",
                    row.name()),
        "add num_workers to --knobs, or --set loader.num_workers=2");
  if (keeps_own(scenario.base, row.name())) {
    const bool too_old = row.name() == "in_order" && !keeps_own(scenario.base, "num_workers");
    const std::string_view why = too_old ? "torch has it from 2.7 on, and this one is older"
                                         : "the user's own loader does not take it";
    if (is_named(row, asked)) throw UsageError(fmt::format("--knobs {}: {}", row.name(), why));
    return std::string(why);
  }
  // A sweep takes no auto, and what it comes to is the loader's to decide.
  if (present_of(row, scenario.base) == "auto") {
    if (is_named(row, asked))
      throw UsageError(fmt::format("--knobs {}: the present setting is auto", row.name()),
                       fmt::format("say which one is in use: --set {}={}", key, row.standard));
    return "the present setting is auto";
  }
  if (!asked.knobs.empty() || !row.asked_only || (row.why_asked.empty() && swept(scenario, key)))
    return "";
  return fmt::format("{}; --knobs {} tries it", row.why_asked, row.name());
}

// Returns the knob of a row with these values, of which `present` is in use.
Knob make_knob(const KnobRow& row, const std::vector<std::string>& values,
               const std::string& present) {
  Knob knob{std::string(row.name()), row.kind, {}, row.needs_workers};
  for (std::uint32_t i = 0; i < values.size(); ++i)
    if (counts(row.kind))
      knob.values.push_back({values[i], knob_number(values[i]), i});
    else
      knob.values.push_back({values[i], 0, values[i] != present});
  return knob;
}

PointId id_of(const Space& space, const Plan& plan, const Point& point) {
  std::vector<std::uint32_t> indexes;
  for (const std::size_t k : space.knob_indexes()) {
    const auto label = std::ranges::find(point.labels, plan.scenario.axes[k].key,
                                         [](const auto& l) { return l.first; });
    indexes.push_back(label == point.labels.end() ? 0 : space.knobs()[k].index_of(label->second));
  }
  return space.point_of(indexes);
}

std::vector<PointId> references_in(const Space& space, PointId present) {
  if (!space.has_workers() || space.knobs()[space.workers_knob()].values.front().number != 0)
    return {};
  PointId defaults = present;
  for (const std::size_t k : space.knob_indexes()) {
    const Knob& knob = space.knobs()[k];
    if (const std::string_view standard = row_of(knob.name)->standard; !standard.empty())
      defaults = space.with(defaults, k, knob.index_of(standard));
  }
  return {defaults, space.with(present, space.workers_knob(), 0)};
}

}  // namespace

void check_knob_names(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const KnobRow& row : kRows) known.emplace_back(row.name());
  for (const std::string& name : names) {
    if (name == "persistent_workers")
      throw UsageError(
          "--knobs persistent_workers: windows leave out the start of epochs, "
          "which is all that it changes",
          "leave it out: the report says what it would save");
    if (row_of(name)) continue;
    throw UsageError(fmt::format("--knobs {}: not a knob of tune{}; knobs are {}", name,
                                 did_you_mean(name, known), fmt::join(known, ", ")));
  }
}

TuneKnobs knobs_of(const Scenario& scenario, const TuneAsked& asked,
                   const std::vector<std::string>& names, std::uint32_t cores, bool cuda) {
  TuneKnobs out;
  for (const KnobRow& row : kRows) {
    const std::string name(row.name());
    if (!asked.knobs.empty() && !is_named(row, asked)) continue;
    if (!contains(names, row.key)) {
      if (is_named(row, asked))
        throw UsageError(fmt::format("--knobs {}: the loader {} has no such setting", name,
                                     scenario.base.get(keys::loader.use)));
      continue;
    }
    if (row.asked_only && row.why_asked.empty() && asked.knobs.empty() && !swept(scenario, row.key))
      continue;
    if (const std::string why = why_not(row, scenario, asked, cuda); !why.empty())
      out.not_tried.push_back({name, why});
    else
      out.sweep.push_back({std::string(row.key), values_of(row, scenario, asked, cores)});
  }
  return out;
}

Knob standard_knob(std::string_view name, const std::string& present, double most) {
  const KnobRow& row = *row_of(name);
  const std::string own = present.empty() ? std::string(row.standard) : present;
  std::vector<std::string> values = split_at_commas(row.ladder);
  if (row.kind == KnobKind::workers) drop_above(values, most);
  return make_knob(row, in_order(std::move(values), own, row.kind), own);
}

TuneGrid grid_of(const Plan& plan) {
  std::vector<Knob> knobs;
  for (const Axis& axis : plan.scenario.axes) {
    const KnobRow& row = *row_of(axis.key.substr(axis.key.find('.') + 1));
    knobs.push_back(make_knob(row, labels_of(axis), present_of(row, plan.scenario.base)));
  }
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

Plan drop_labels_without_effect(Plan plan) {
  const auto needs_workers = [](const auto& label) {
    return std::ranges::any_of(
        kRows, [&](const KnobRow& row) { return row.key == label.first && row.needs_workers; });
  };
  for (Point& point : plan.points)
    if (point.settings.get_if(keys::loader.num_workers) == 0)
      std::erase_if(point.labels, needs_workers);
  return plan;
}

}  // namespace benchbench
