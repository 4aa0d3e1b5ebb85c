// Each sentence holds for the data it is printed for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "harness/analysis/statistics/thresholds.h"
#include "harness/core/units.h"
#include "harness/report/compare/compare_words.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/text_table.h"

namespace benchbench {
namespace {

constexpr std::size_t kRowsOfBrief = 20, kDifferencesOfBrief = 8;

class CompareText {
 public:
  CompareText(const CompareReport& report, std::size_t width, bool detail)
      : r_(report), f_(report.found), width_(width), detail_(detail) {}

  std::string write() {
    heading();
    if (f_.not_comparable == NotComparable::none) {
      changes();
      table();
      unsure();
      unpaired();
    }
    differences();
    alarms();
    if (f_.not_comparable == NotComparable::none) {
      variance();
      confirmation();
      gates();
    }
    ending();
    return std::move(text_);
  }

 private:
  void line(const std::string& text, std::size_t indent = 0) {
    text_ += std::string(indent, ' ') + wrapped(text, width_, indent + 2, indent);
    if (!text_.ends_with('\n')) text_ += '\n';
  }
  void section(const std::string& title) {
    text_ += '\n';
    line(title);
  }

  void side(const char* name, const ComparedSide& s, std::uint32_t rounds) {
    line(fmt::format("{}  {}: {} usable{}{}", name, visible(s.where), counted(rounds, "round"),
                     s.started_at.empty() ? "" : ", from " + visible(s.started_at),
                     s.build.empty() ? "" : ", " + visible(s.build)),
         2);
  }
  void heading() {
    const std::string names = f_.scenario_a == f_.scenario_b
                                  ? visible(f_.scenario_a)
                                  : visible(f_.scenario_a) + " and " + visible(f_.scenario_b);
    line(fmt::format("{}: B against A: {}", names, compare_summary(r_)));
    side("A", r_.a, f_.rounds_a);
    side("B", r_.b, f_.rounds_b);
    line(relation_text(f_), 2);
    if (f_.one_process)
      line(
          "gates nothing: all rounds of a side ran in one process (measure.isolation: none), so "
          "that what differs between processes is in no interval",
          2);
    for (const std::string& name : f_.moved_canaries)
      line(fmt::format("the canary {} moved by over 3 %: nothing is judged", visible(name)), 2);
    for (const std::string& note : r_.notes) line("note: " + visible(note), 2);
  }

  static bool is_shown(const MetricComparison& c) { return c.is_called(); }

  void changes() {
    if (std::ranges::none_of(f_.points, &PointComparison::changed)) return;
    section("Changed");
    for (const PointComparison& p : f_.points) {
      if (!p.changed()) continue;
      std::string text = visible(p.name) + ":";
      for (const MetricComparison& c : p.metrics)
        if (is_shown(c))
          text += fmt::format("{} {} {} {}", text.ends_with(':') ? "" : ",", name_of(c.judgement),
                              c.metric->name, change_text(c.change));
      if (p.side_moved)
        text += fmt::format("{} held back by the {}, before by the {}",
                            text.ends_with(':') ? "" : ",", name_of(p.side_b), name_of(p.side_a));
      line(text, 2);
      if (p.stage) line("where: " + stage_text(*p.stage), 4);
    }
  }

  struct Row {
    const PointComparison* point;
    const MetricComparison* c;
  };
  std::vector<Row> rows() const {
    std::vector<Row> all, short_list;
    for (const PointComparison& p : f_.points)
      for (const MetricComparison& c : p.metrics) {
        all.push_back({&p, &c});
        if (c.judgement != Judged::same && c.judgement != Judged::unsure)
          short_list.push_back(all.back());
      }
    return detail_ || all.size() <= kRowsOfBrief ? all : short_list;
  }
  void table() {
    const std::vector<Row> shown = rows();
    text_ += '\n';
    if (!shown.empty()) {
      TableColumn point{"point", "", Align::left, {}}, metric{"metric", "", Align::left, {}},
          a{"A", "", Align::right, {}}, b{"B", "", Align::right, {}},
          change{"change", "", Align::right, {}}, interval{"95 % interval", "", Align::right, {}},
          judged{"", "", Align::left, {}}, seen{"detectable", "", Align::right, {}};
      for (const Row& row : shown) {
        const std::string more = row.c->points > 1 ? fmt::format(" +{}", row.c->points - 1) : "";
        point.cells.push_back(cut_to_width(visible(row.point->name), 26) + more);
        metric.cells.emplace_back(row.c->metric->name);
        a.cells.push_back(value_cell(row.c->a, *row.c->metric)),
            b.cells.push_back(value_cell(row.c->b, *row.c->metric));
        change.cells.push_back(change_cell(row.c->change)),
            interval.cells.push_back(interval_cell(row.c->change));
        judged.cells.emplace_back(name_of(row.c->judgement)),
            seen.cells.push_back(detectable_cell(*row.c));
      }
      TextTable table;
      for (TableColumn* column : {&point, &metric, &a, &b, &change, &interval, &judged, &seen})
        table.add(std::move(*column));
      for (const TableLine& l : table.lines(width_)) text_ += l.text + '\n';
    }
    legend(shown);
  }
  void legend(const std::vector<Row>& shown) {
    const auto is_shared = [](const Row& row) { return row.c->points > 1; };
    if (std::ranges::any_of(shown, is_shared))
      line("+N: the trial of that many further points too");
    const auto is_wait = [](const Row& row) {
      return row.c->metric->compared.kind == MetricKind::wait;
    };
    if (std::ranges::any_of(shown, is_wait))
      line("change: B / A - 1; of exposed_wait (B - A) / A's step");
    std::size_t all = 0;
    for (const PointComparison& p : f_.points) all += p.metrics.size();
    if (shown.size() == all) return;
    double worst = 0;
    for (const PointComparison& p : f_.points)
      for (const MetricComparison& c : p.metrics)
        if (c.judgement == Judged::same && c.detectable) worst = std::max(worst, *c.detectable);
    line(fmt::format(
        "{} SAME{}, {} UNSURE: --detail shows them", f_.count(Judged::same),
        worst > 0
            ? fmt::format(
                  " (changes from {:.1f} % on would have been called in 8 of 10 such comparisons)",
                  100 * worst)
            : "",
        f_.count(Judged::unsure)));
  }

  // By cause, the most frequent first.
  void unsure() {
    std::map<std::string, std::uint64_t> causes;
    for (const PointComparison& p : f_.points)
      for (const MetricComparison& c : p.metrics)
        if (c.judgement == Judged::unsure || c.judgement == Judged::invalid)
          ++causes[fmt::format("{}: {}", name_of(c.judgement), unsure_text(c, f_.relation))];
    std::vector<std::pair<std::string, std::uint64_t>> sorted(causes.begin(), causes.end());
    std::ranges::stable_sort(sorted, std::greater{},
                             [](const auto& entry) { return entry.second; });
    for (const auto& [cause, n] : sorted) line(fmt::format("{} {}", n, cause));
    noisy_rounds();
  }

  // The most that one comparison has.
  std::uint32_t most(std::uint32_t MetricComparison::* rounds) const {
    std::uint32_t all = 0;
    for (const PointComparison& p : f_.points)
      for (const MetricComparison& c : p.metrics) all = std::max(all, c.*rounds);
    return all;
  }
  void noisy_rounds() {
    const auto say = [&](std::uint32_t n, const std::string& what) {
      if (n > 0)
        line(fmt::format("NOISY rounds are {}: at most {} of one comparison", what,
                         counted(n, "round")));
    };
    say(most(&MetricComparison::left_out), "left out");
    if (f_.relation != Relation::stored)
      say(most(&MetricComparison::noisy),
          fmt::format("used, since fewer than {} are without noise", kRoundsToSpeak));
  }

  void only_in(const char* name, const std::vector<std::string>& points) {
    if (points.empty()) return;
    constexpr std::size_t kNamed = 6;
    std::vector<std::string> names;
    for (const std::string& p : points)
      if (names.size() < kNamed || detail_) names.push_back(visible(p));
    line(fmt::format("only in {}: {}{}", name, fmt::join(names, ", "),
                     names.size() < points.size()
                         ? fmt::format(" and {} more", points.size() - names.size())
                         : ""));
  }
  void unpaired() {
    only_in("A", f_.only_a);
    only_in("B", f_.only_b);
  }

  void differences() {
    const bool suspects = std::ranges::any_of(f_.points, &PointComparison::changed);
    if (f_.differences.empty()) {
      if (suspects) section("Nothing that is recorded of machine, software and scenario differs.");
      return;
    }
    section(suspects ? "Suspects: what differs between A and B" : "What differs between A and B");
    std::size_t n = 0;
    for (const RunDifference& d : f_.differences)
      if (n++ < kDifferencesOfBrief || detail_) line(difference_line(d), 2);
    if (n > kDifferencesOfBrief && !detail_)
      line(fmt::format("and {} more: --detail shows them", n - kDifferencesOfBrief), 2);
  }

  void alarms() {
    bool first = true;
    for (const auto& [name, side] : {std::pair{"A", &r_.a}, {"B", &r_.b}})
      for (const SideAlarm& told : side->alarms) {
        if (told.alarm.state != AlarmState::raised) continue;
        if (std::exchange(first, false)) section("Alarms");
        line(fmt::format("{}: {}", name, visible(told.text)), 2);
      }
  }

  std::optional<double> between(std::uint32_t MetricComparison::* rounds,
                                double MetricComparison::* spread) const {
    std::optional<double> most;
    for (const PointComparison& p : f_.points)
      for (const MetricComparison& c : p.metrics)
        if (c.metric->is_rate() && c.*rounds > 1) most = std::max(most.value_or(0), c.*spread);
    return most;
  }
  static std::string noise(const char* name, const std::optional<double>& share) {
    return share ? fmt::format("{} {:.2f} %", name, 100 * *share)
                 : fmt::format("{} not measured", name);
  }
  // Standard deviations of one round's rate.
  void variance() {
    section("Noise of a rate, one standard deviation");
    if (f_.within_a || f_.within_b)
      line(
          fmt::format("within a process: {}, {}", noise("A", f_.within_a), noise("B", f_.within_b)),
          2);
    line(
        fmt::format("of one round, between processes, at the point where it is largest: {}, {}",
                    noise("A", between(&MetricComparison::rounds_a, &MetricComparison::between_a)),
                    noise("B", between(&MetricComparison::rounds_b, &MetricComparison::between_b))),
        2);
  }

  void confirmation() {
    if (!r_.confirmation) return;
    const Confirmation& c = *r_.confirmation;
    if (!c.why_alone.empty())
      section(fmt::format("Run again: B alone, against the stored A ({})", visible(c.why_alone)));
    else
      section(c.interleaved ? "Run again, both sides interleaved" : "Second run");
    if (!c.failure.empty())
      line(fmt::format("the second run failed, so the alerts stay: {}", visible(c.failure)), 2);
    for (const SlowerAlert& alert : c.alerts) {
      const PointComparison& p = f_.points[alert.point];
      line(fmt::format("{} {}: {}{}", visible(p.name), p.metrics[alert.metric].metric->name,
                       name_of(alert.state),
                       alert.change
                           ? fmt::format(", {} {}", name_of(alert.again), change_text(alert.change))
                           : ""),
           2);
    }
  }

  std::string broken_text(const GateResult& g) const {
    std::vector<std::string> names;
    for (const BrokenGate& b : g.broken) {
      const PointComparison& p = f_.points[b.point];
      names.push_back(visible(p.name) +
                      (b.metric ? fmt::format(" {}", p.metrics[*b.metric].metric->name) : ""));
    }
    return g.broken.empty() ? "not broken" : fmt::format("broken by {}", fmt::join(names, ", "));
  }
  void gates() {
    if (r_.gates.empty() || f_.one_process) return;
    section("Gates");
    for (const GateResult& g : r_.gates) {
      std::string text = fmt::format("{}: {}", gate_text(g.gate), broken_text(g));
      if (g.silent + g.unsure > 0)
        text += fmt::format("; {} of {} could not be judged", g.silent + g.unsure,
                            counted(g.compared, "comparison"));
      if (g.compared == 0) text += "; nothing was measured that it is of";
      if (g.false_alarms_a_month)
        text += fmt::format("; false alarms a month with one comparison a night: {}",
                            alarms_text(*g.false_alarms_a_month));
      line(text, 2);
    }
  }
  static std::string alarms_text(double n) {
    if (n < 0.001) return "under 0.001";
    return n < 1 ? fmt::format("{:.3f}", n) : fmt::format("{:.1f}", n);
  }

  bool not_judged() const {
    return std::ranges::any_of(r_.gates,
                               [](const GateResult& g) { return g.silent + g.unsure > 0; });
  }
  bool any_broken(const std::function<bool(const BrokenGate&)>& holds) const {
    return std::ranges::any_of(
        r_.gates, [&](const GateResult& g) { return std::ranges::any_of(g.broken, holds); });
  }
  std::string regression_text() const {
    const bool stands_again =
        any_broken([&](const BrokenGate& b) { return alert_at(r_, b) && stands(r_, b); });
    return stands_again ? "A gate is broken, and the second run does not take the alert back."
                        : "A gate is broken.";
  }
  std::string passed_text() const {
    if (any_broken([](const BrokenGate&) { return true; }))
      return "Passed: the second run does not confirm what breaks a gate.";
    return not_judged() ? "Passed: nothing that could be judged breaks a gate." : "Passed.";
  }
  void ending() {
    text_ += '\n';
    switch (outcome_of(r_)) {
      case CompareOutcome::nothing_usable:
        return line("Nothing can be said: a side has no usable trial.");
      case CompareOutcome::regression:
        return line(regression_text());
      case CompareOutcome::inconclusive:
        return line("Inconclusive: this comparison neither passes nor fails.");
      case CompareOutcome::passed:
        return line(passed_text());
    }
  }

  const CompareReport& r_;
  const ComparisonFindings& f_;
  const std::size_t width_;
  const bool detail_;
  std::string text_;
};

}  // namespace

std::string compare_text(const CompareReport& report, std::size_t width, bool detail) {
  return CompareText(report, width, detail).write();
}

}  // namespace benchbench
