#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/metrics/metric.h"
#include "harness/core/called_as.h"
#include "harness/core/units.h"
#include "harness/core/visible_text.h"
#include "harness/report/compare/compare_words.h"
#include "harness/report/history/history_report.h"
#include "harness/report/history/silence_words.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

// A rate's: "slower by 9.8 %".
std::string size_text(const Alert& a) {
  return fmt::format("{} by {:.1f} %", a.worse() ? "slower" : "faster",
                     100 * std::abs(a.ratio - 1));
}

std::string when_text(const Alert& a, const std::vector<Night>& nights) {
  const auto name = [&](std::size_t i) { return visible(nights[i].name); };
  if (a.kind == ChangeKind::drift)
    return fmt::format("along a drift from night {} to {}, first reported in {}", name(a.first),
                       name(a.last), name(a.told));
  return fmt::format("from night {} on ({} was the last before), first reported in {}",
                     name(a.first), name(a.last_before), name(a.told));
}

void add_night_facts(std::string& out, const Night& night, const HistoryNotes& written) {
  for (const std::string& change : night.changed)
    out += fmt::format("    changed that night: {}\n", visible(change));
  for (const NightRemark& r : written.remarks)
    if (r.night == night.name) out += fmt::format("    remark: {}\n", visible(r.text));
}

// Says how many of the nights judged since the change were wide.
void add_wide_nights(std::string& out, const SeriesHistory& s, const Alert& a) {
  const auto is_since = [&](std::size_t night) { return night >= a.first; };
  const auto judged = static_cast<std::size_t>(std::ranges::count_if(s.judged_nights, is_since));
  if (const auto wide = std::ranges::count_if(s.wide, is_since, &NightReason::night))
    out +=
        fmt::format("    NOISY: {} of {} judged from there on\n", wide, counted(judged, "night"));
}

void add_alert(std::string& out, const HistoryReport& report, const MachineHistory& m,
               const SeriesHistory& s, const Alert& a) {
  const Night& night = m.nights[a.first];
  const AcceptedChange* accepted = report.written.accepting(s.series.name(), night.name);
  const bool open = is_open(s, a, m, report.written);
  out += fmt::format("  {} {}: {}, {}\n",
                     open       ? "REGRESSION"
                     : accepted ? "accepted  "
                                : "change    ",
                     visible(series_text(s)), size_text(a), when_text(a, m.nights));
  if (a.stage)
    out += fmt::format("    where: {} {} {}\n", visible(a.stage->name), growth_text(a.stage->ms),
                       s.series.metric == rate_metric(Mode::loader).name
                           ? "of the loader's work per step"
                           : "per step");
  add_wide_nights(out, s, a);
  add_night_facts(out, night, report.written);
  if (accepted && !accepted->note.empty())
    out += fmt::format("    accepted: {}\n", visible(accepted->note));
  if (open)
    out += fmt::format("    to accept it: benchbench history {} --accept {}\n",
                       shell_word(visible(report.place)),
                       shell_word(visible(s.series.name() + "@" + night.name)));
}

void add_series_counts(std::string& out, const MachineHistory& m) {
  std::size_t going_on = 0, changed = 0, learning = 0, most = 0;
  for (const SeriesHistory& s : m.series) {
    if (s.ended) continue;
    ++going_on;
    changed += !s.alerts.empty();
    const bool learns = s.alerts.empty() && s.judged < kLearningNights;
    learning += learns;
    if (learns) most = std::max(most, s.judged);
  }
  out += fmt::format("  {} series: {} with a change, {} without", going_on, changed,
                     going_on - changed - learning);
  out += learning ? fmt::format(", {} learning (night {} of {})\n", learning, most, kLearningNights)
                  : std::string("\n");
}

void add_machine_nights(std::string& out, const MachineHistory& m) {
  for (const Night& n : m.nights) {
    if (!n.canaries.moved) continue;
    out += fmt::format(
        "  night {} is not judged: the machine changed, a canary is {:.1f} % {} than before\n",
        visible(n.name), 100 * std::abs(n.canaries.ratio - 1),
        n.canaries.ratio < 1 ? "slower" : "faster");
    if (n.canaries.new_machine)
      out += fmt::format("  it stayed so for {} nights: a new history begins after it\n",
                         kNewMachineNights);
  }
}

void add_machine(std::string& out, const HistoryReport& report, const MachineHistory& m) {
  out += fmt::format("{} on {} ({}), {} to {}\n", counted(m.nights.size(), "night"),
                     visible(m.machine_text), visible(m.machine.substr(0, 8)),
                     visible(m.nights.front().name), visible(m.nights.back().name));
  for (const SeriesHistory& s : m.series)
    for (const Alert& a : s.alerts) add_alert(out, report, m, s, a);
  add_series_counts(out, m);
  out += ended_lines(m) + wide_lines(m) + not_judged_lines(m);
  add_machine_nights(out, m);
  if (m.spread)
    out += fmt::format(
        "  nights without a change differ by at most {:.1f} %, in 999 of 1,000 differences\n",
        100 * *m.spread);
  if (m.check.biased)
    out += fmt::format(
        "  self-check: nights with changes for the worse {}, for the better {}: by chance under "
        "{:g} of 1,000 histories; the instrument may be biased\n",
        m.check.worse, m.check.better, std::ceil(1000 * m.check.p));
}

}  // namespace

std::string learning_text(const HistoryReport& report) {
  const auto night = learning_night(report.history.machines.front());
  return night ? fmt::format("learning, night {} of {}", *night, kLearningNights) : "";
}

std::string not_judged_text(const HistoryReport& report) {
  const MachineHistory& m = report.history.machines.front();
  if (!is_unjudged(m)) return {};
  const Night& last = m.nights.back();
  const std::size_t in_a_row = unjudged_series(m);
  const std::string night = fmt::format("night {} was not judged", visible(last.name));
  if (last.canaries.moved) return fmt::format("{}: {}", night, kMachineChanged);
  const auto longest = std::ranges::max_element(m.series, {}, &SeriesHistory::unjudged_at_end);
  if (longest == m.series.end() || longest->unjudged_at_end == 0)
    return night + ": it has no series";
  return fmt::format("{}: {}: {}",
                     in_a_row > 0 ? fmt::format("{} series not judged in the last {}", in_a_row,
                                                counted(kUnjudgedInARow, "night"))
                                  : night,
                     visible(series_text(*longest)), visible(longest->not_judged.back().reason));
}

std::string history_text(const HistoryReport& report) {
  std::string out;
  for (const MachineHistory& m : report.history.machines) add_machine(out, report, m);
  for (const std::string& note : report.notes) out += fmt::format("note: {}\n", visible(note));
  const std::string learning = learning_text(report), not_judged = not_judged_text(report);
  if (const std::size_t open = open_regressions(report))
    out += fmt::format("{} not accepted\n", counted(open, "regression"));
  else if (!learning.empty())
    out += learning + "\n";
  else if (not_judged.empty())
    out += "no regression that is not accepted\n";
  if (!not_judged.empty()) out += not_judged + "\n";
  return out;
}

}  // namespace benchbench
