#include "harness/report/point_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/gain.h"
#include "harness/record/setting_keys.h"
#include "harness/report/cells.h"
#include "harness/report/number_fields.h"
#include "harness/report/terminal/order_words.h"

namespace benchbench {
namespace {

// Where the last word of a key begins. A short word before it says what it is and stays:
// non_blocking, in_order, pin_memory.
std::size_t last_word(const std::string& key) {
  constexpr std::size_t kShort = 3;
  const std::size_t section = key.rfind('.') + 1, word = key.rfind('_') + 1;
  return word <= section || word - 1 - section <= kShort ? section : word;
}

// The point's name, but of a key that follows the first its last word only: "num_workers=0
// threads=2" for "num_workers=0 intra_op_threads=2", whose width would push columns that decide
// into the second block.
std::string short_name(const PointRow& r) {
  const auto& labels = r.plan.points[r.point.point].labels;
  if (labels.size() < 2 || r.point.point == 0) return r.point.name;
  std::string name;
  for (const auto& [key, label] : labels) {
    const auto from = name.empty() ? key.rfind('.') + 1 : last_word(key);
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", key.substr(from), label);
  }
  return name;
}

std::string marked(const PointRow& r, std::string name) {
  const bool best =
      r.findings.best && *r.findings.best == r.point.point && r.findings.points.size() > 1;
  return name + (best ? " *" : "");
}

std::string name_cell(const PointRow& r) {
  return wraps_script(r.plan) ? kNotMeasured : marked(r, short_name(r));
}

// Of a wrapped script: the variable that holds its loader; of a copy of that what differs.
std::string own_loader_cell(const PointRow& r) {
  if (!wraps_script(r.plan)) return kNotMeasured;
  const Value* name = r.plan.scenario.base.find("loader.call");
  return marked(r, r.point.point == 0 && name ? name->text() : short_name(r));
}

std::string status_cell(const PointRow& r) {
  const bool hidden =
      r.point.status == Status::noisy && !r.detail && hides_noise(r.findings, r.plan);
  return r.point.status == Status::valid || hidden ? kNotMeasured
                                                   : std::string(status_text(r.point));
}

// A rate that nothing may use is in brackets.
std::string rate_of(const PointRow& r, const Measured& rate, Mode mode) {
  const bool invalid = r.point.mode_status[static_cast<std::size_t>(mode)] == Status::invalid;
  if (r.point.is_bound(mode) && rate)
    return rate->value < kTimelessRate ? "> " + human_count(rate->value) : "no limit";
  const bool bare = rate && wraps_script(r.plan) && !r.detail && is_wide(*rate);
  const Measured shown = bare ? Measured(Estimate{rate->value, 0, 0, 1}) : rate;
  return invalid && rate ? '(' + rate_cell(shown) + ')' : rate_cell(shown);
}

std::string loader_cell(const PointRow& r) { return rate_of(r, r.point.loader_rate, Mode::loader); }
std::string trainer_cell(const PointRow& r) {
  return rate_of(r, r.point.trainer_rate, Mode::trainer);
}
std::string together_rate(const PointRow& r, bool wrapped) {
  return wraps_script(r.plan) == wrapped ? rate_of(r, r.point.pipeline_rate, Mode::pipeline)
                                         : kNotMeasured;
}
std::string pipeline_cell(const PointRow& r) { return together_rate(r, false); }
std::string script_cell(const PointRow& r) { return together_rate(r, true); }

// "3", or "3/3/2" where L, T and F come from different numbers of rounds.
std::string rounds_cell(const PointRow& r) {
  std::vector<std::uint32_t> n;
  for (const Measured* m : {&r.point.loader_rate, &r.point.trainer_rate, &r.point.pipeline_rate})
    if (*m) n.push_back((*m)->n);
  if (n.empty()) return kNotMeasured;
  if (std::all_of(n.begin(), n.end(), [&](auto v) { return v == n.front(); }))
    return std::to_string(n.front());
  return fmt::format("{}", fmt::join(n, "/"));
}

std::string cpu_cell(const PointRow& r) {
  return r.point.cpu_rate ? human_count(r.point.cpu_rate->value) : kNotMeasured;
}
// Without its interval where room is short: L and T have theirs.
std::string headroom_cell(const PointRow& r) {
  if (r.point.is_bound(Mode::loader) && r.point.headroom)
    return "> " + ratio_cell(Estimate{r.point.headroom->value, 0, 0, 1});
  if (r.detail || !r.point.headroom) return ratio_cell(r.point.headroom);
  return ratio_cell(Estimate{r.point.headroom->value, 0, 0, 1});
}
std::string wait_cell(const PointRow& r) { return ms_cell(r.point.exposed_wait_ms); }

std::string side_cell(const PointRow& r) {
  const PointFindings& p = r.point;
  if (p.side == Side::unknown) return p.unclear ? "unclear" : kNotMeasured;
  if (wraps_script(r.plan) && (p.side == Side::loader || p.side == Side::trainer) &&
      workers_of(r.plan.points[p.point]) == 0)
    return "both in turn";
  if (p.is_bound(Mode::loader) && p.is_bound(Mode::trainer)) return "neither";
  std::string text{name_of(p.side)};
  if (is_side_doubted(r.findings) && r.findings.conclusion.subject == p.point)
    return r.findings.conclusion.doubt == Doubt::few_rounds ? text + "?" : "unclear";
  if (p.side_cost_ms) text += ' ' + ms_text(p.side_cost_ms->value);
  return text;
}

std::string contention_cell(const PointRow& r) { return ms_cell(r.point.contention_ms); }

std::string gain_cell(const PointRow& r) {
  if (r.plan.points[r.point.point].settings.get_if(keys::loader.num_workers) == 0 &&
      !r.point.own_workers)
    return r.point.pipeline_rate ? "reference" : kNotMeasured;
  return ratio_cell(r.point.gain);
}

std::string cache_cell(const PointRow& r) {
  return r.point.cache_share ? fmt::format("{:.0f} %", std::floor(100 * *r.point.cache_share))
                             : kNotMeasured;
}

bool leaves_out(const Plan& plan) {
  return std::ranges::any_of(plan.points,
                             [](const Point& p) { return p.settings.given(keys::dataset.keep); });
}

// "12.4 KiB", "12.4 KiB (98 KiB off the disk)". It shows what leaving samples out costs in bytes.
std::string read_cell(const PointRow& r) {
  const std::optional<double> read = r.point.read_bytes_per_sample,
                              device = r.point.device_bytes_per_sample;
  if (!read || !leaves_out(r.plan)) return kNotMeasured;
  if (!device || *device <= *read) return human_bytes(*read);
  return fmt::format("{} ({} off the disk)", human_bytes(*read), human_bytes(*device));
}

// "cold(data)", "warm"; what was left as it is says nothing here, its reason is among the warnings.
std::string degree_cell(const PointRow& r) {
  const CacheState& state = r.point.cache_state;
  const bool as_asked = state.degree == CacheDegree::as_is && state.why.empty();
  return as_asked || state.degree == CacheDegree::unknown ? kNotMeasured
                                                          : std::string(name_of(state.degree));
}

std::string steps_cell(const PointRow& r) {
  return r.point.steadiness <= SteadinessKind::steady ? kNotMeasured
                                                      : std::string(name_of(r.point.steadiness));
}

std::string memory_cell(const PointRow& r) {
  return r.point.peak_memory_bytes ? human_bytes(static_cast<double>(*r.point.peak_memory_bytes))
                                   : kNotMeasured;
}

std::string shuffle_cell(const PointRow& r) {
  if (!r.point.shuffle_displacement || !orders_differ(r.findings)) return kNotMeasured;
  return fmt::format("{:.2f}", *r.point.shuffle_displacement);
}

std::string together_cell(const PointRow& r) {
  if (!r.point.shuffle_together || !orders_differ(r.findings)) return kNotMeasured;
  return share_text(*r.point.shuffle_together);
}

std::string padding_cell(const PointRow& r) {
  return r.point.padding_share ? share_text(*r.point.padding_share) : kNotMeasured;
}

// The word of MLPerf Storage, told where steps are emulated as it emulates them.
std::string au_cell(const PointRow& r) {
  const auto au = utilisation_of(r.point);
  if (r.plan.points[r.point.point].settings.get_if(keys::trainer.use) != "timed" || !au)
    return kNotMeasured;
  return fmt::format("{:.3f}", *au);
}

std::string tokens_cell(const PointRow& r) {
  return r.point.tokens_per_second ? human_count(*r.point.tokens_per_second) : kNotMeasured;
}

std::string gap_cell(const PointRow& r) { return ms_cell(r.point.epoch_gap_ms); }
std::string first_batch_cell(const PointRow& r) { return ms_cell(r.point.first_batch_ms); }

// What decides comes first: a narrow terminal breaks the table after it.
constexpr std::array kColumns{
    PointColumn{"point", "", true, name_cell, ColumnUse::always, true},
    PointColumn{"DataLoader", "", true, own_loader_cell, ColumnUse::always, true},
    PointColumn{"loader L", "samples/s", false, loader_cell, ColumnUse::always},
    PointColumn{"trainer T", "samples/s", false, trainer_cell, ColumnUse::always},
    PointColumn{"pipeline F", "samples/s", false, pipeline_cell, ColumnUse::always},
    PointColumn{"script F", "samples/s", false, script_cell, ColumnUse::always, true},
    PointColumn{"n", "", false, rounds_cell, ColumnUse::where_points_differ},
    PointColumn{"headroom", "L/T", false, headroom_cell, ColumnUse::always},
    PointColumn{"wait", "per step", false, wait_cell, ColumnUse::always},
    PointColumn{"held back by", "per step", true, side_cell, ColumnUse::always},
    PointColumn{"status", "", true, status_cell, ColumnUse::always, true},
    PointColumn{"au", "F/T", false, au_cell, ColumnUse::detail, true},
    PointColumn{"shuffle", "1 = random", false, shuffle_cell, ColumnUse::detail, true},
    PointColumn{"together", "neighbours", false, together_cell, ColumnUse::detail, true},
    PointColumn{"padding", "of tokens", false, padding_cell, ColumnUse::detail, true},
    PointColumn{"tokens", "per second", false, tokens_cell, ColumnUse::detail, true},
    PointColumn{"CPU C", "samples/s", false, cpu_cell},
    PointColumn{"contention", "per step", false, contention_cell, ColumnUse::detail, true},
    PointColumn{"gain", "vs 0 workers", false, gain_cell},
    PointColumn{"read", "per sample", false, read_cell, ColumnUse::always, true},
    PointColumn{"from cache", "", false, cache_cell},
    PointColumn{"cache", "as begun", true, degree_cell, ColumnUse::detail, true},
    PointColumn{"steps", "", true, steps_cell, ColumnUse::detail, true},
    PointColumn{"memory", "peak", false, memory_cell},
    PointColumn{"epoch gap", "", false, gap_cell, ColumnUse::detail, true},
    PointColumn{"first batch", "after", false, first_batch_cell},
};

bool is_printed(const FilledColumn& c, bool detail) {
  if (detail || c.column->use == ColumnUse::always) return true;
  if (c.column->use == ColumnUse::detail) return false;
  std::set<std::string> told(c.cells.begin(), c.cells.end());
  told.erase(kNotMeasured);
  return told.size() > 1;
}

}  // namespace

std::vector<FilledColumn> filled_columns(const Findings& findings, const Plan& plan, bool detail) {
  std::vector<FilledColumn> filled;
  for (const PointColumn& column : kColumns) {
    FilledColumn made{&column, {}, true};
    for (const PointFindings& point : findings.points) {
      made.cells.push_back(column.cell({point, findings, plan, detail}));
      made.empty = made.empty && made.cells.back() == kNotMeasured;
    }
    if (is_printed(made, detail)) filled.push_back(std::move(made));
  }
  return filled;
}

}  // namespace benchbench
