#include <fmt/format.h>

#include <ostream>

#include "harness/analysis/rules/rules.h"
#include "harness/app/commands/selftest_report.h"
#include "harness/report/tables/substitution_table.h"
#include "harness/report/text/text_table.h"

namespace benchbench {
namespace {

using namespace selftest;

constexpr double kMaxScopeReads = 3;        // a stage scope, in clock reads
constexpr double kMaxLatenessNs = 100'000;  // p99 of a hybrid wait on a quiet machine

std::string said(bool good, std::string_view otherwise = "MISSED") {
  return std::string(good ? "ok" : otherwise);
}

std::string said(Outcome outcome) {
  return outcome == Outcome::hit      ? "ok"
         : outcome == Outcome::missed ? "MISSED"
                                      : "too noisy to judge";
}

std::string said(const Judged& judged, std::string_view of_what) {
  std::string text = fmt::format("{} of {} {} hit", judged.hit, judged.all(), of_what);
  if (judged.missed) text += fmt::format(", {} missed", judged.missed);
  if (judged.too_noisy) text += fmt::format(", {} too noisy to judge", judged.too_noisy);
  return text;
}

// A table that is written where it has rows.
class Rows {
 public:
  explicit Rows(std::vector<std::pair<std::string, Align>> titles) {
    for (auto& [title, align] : titles) columns_.push_back({std::move(title), "", align, {}});
  }
  void add(std::vector<std::string> cells) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i].cells.push_back(std::move(cells[i]));
  }
  void write(std::ostream& out, std::size_t width, bool headed = true) const {
    TextTable table;
    for (const TableColumn& column : columns_) table.add(column);
    table.write(out, width, [](std::size_t, const std::string& line) { return line; }, headed);
  }

 private:
  std::vector<TableColumn> columns_;
};

void write_calibration(std::ostream& out, const SelftestResult& r, std::size_t width) {
  if (!r.lateness) return;
  const Environment& e = r.environment;
  const double reads = e.clock_read_ns > 0 ? e.stage_scope_ns / e.clock_read_ns : 0;
  Rows rows({{"calibration", Align::left}, {"", Align::right}, {"", Align::left}});
  const auto ns = [](double value) {
    return human_duration(Nanoseconds{static_cast<std::int64_t>(value + 0.5)});
  };
  rows.add({"clock read", ns(e.clock_read_ns), ""});
  rows.add({"clock resolution", ns(e.clock_resolution_ns), ""});
  rows.add({"stage scope", ns(e.stage_scope_ns),
            fmt::format("{:.1f} clock reads, {}", reads, said(reads <= kMaxScopeReads, "over 3"))});
  rows.add({"queue hop", ns(e.queue_hop_ns), ""});
  rows.add({"hybrid wait of 1 ms, late by", ns(r.lateness->p50_ns), "p50"});
  rows.add({"", ns(r.lateness->p99_ns),
            fmt::format("p99 of {} waits, {}", r.lateness->waits,
                        said(r.lateness->p99_ns <= kMaxLatenessNs,
                             "over 100 us: the machine is not idle"))});
  rows.write(out, width);
  out << '\n';
}

void write_answers(std::ostream& out, const SelftestResult& r, std::size_t width) {
  if (r.answers.empty()) return;
  Rows rows({{"known answers", Align::left},
             {"truth", Align::right},
             {"measured", Align::right},
             {"error", Align::right},
             {"allowed", Align::right},
             {"A/A", Align::right},
             {"", Align::left}});
  for (const KnownAnswer& a : r.answers)
    rows.add({a.name, fmt::format("{:g} ms", a.truth_ms), fmt::format("{:.4f} ms", a.measured_ms),
              fmt::format("{:+.2f} %", 100 * a.error), fmt::format("{:g} %", 100 * a.tolerance),
              a.repeats ? fmt::format("{:.2f} %", 100 * a.repeats->value) : "?",
              said(a.outcome())});
  rows.write(out, width);
  if (r.observer)
    out << fmt::format(
        "\nobserver at level 1, 1 ms batches: {:+.2f} % [{:+.2f}, {:+.2f}] of the step, "
        "allowed {:g} %, {}\n",
        100 * r.observer->share.value, 100 * r.observer->share.low, 100 * r.observer->share.high,
        100 * r.observer->limit, said(r.observer->outcome()));
  out << '\n';
}

void write_confusion(std::ostream& out, const Confusion& c, std::size_t width) {
  std::vector<std::pair<std::string, Align>> titles{{"injected", Align::left}};
  for (const std::string& column : c.columns) titles.emplace_back(column, Align::right);
  Rows rows(std::move(titles));
  for (std::size_t i = 0; i < c.rows.size(); ++i) {
    std::vector<std::string> cells{c.rows[i]};
    for (const std::uint32_t n : c.counts[i]) cells.push_back(n ? fmt::format("{}", n) : ".");
    rows.add(std::move(cells));
  }
  rows.write(out, width);
}

std::string growth_text(const Fault& f, std::size_t i) {
  if (i >= f.growths.size()) return "";
  const Growth& g = f.growths[i];
  return fmt::format("{} {:+.3f} ms [{:+.3f}, {:+.3f}]", name_of(g.component), g.ms.value, g.ms.low,
                     g.ms.high);
}

void write_cases(std::ostream& out, const SelftestResult& r, std::size_t width) {
  Rows rows({{"injected", Align::left},
             {"costs", Align::right},
             {"step grew by", Align::right},
             {"named", Align::left},
             {"recovers more by", Align::left},
             {"then", Align::left},
             {"", Align::left}});
  for (const FaultCase& k : r.cases) {
    const Fault& f = k.found;
    rows.add(
        {k.fault ? std::string(k.fault->name) : fmt::format("no fault ({})", name_of(k.ground)),
         k.fault ? fmt::format("{:.0f} %", 100 * k.share) : "-",
         f.step_growth_ms ? fmt::format("{:+.3f} ms", f.step_growth_ms->value) : "?",
         std::string(naming_word(f.naming, f.named, "none")), growth_text(f, 0), growth_text(f, 1),
         said(r.outcome_of(k))});
  }
  rows.write(out, width);
}

void write_trials(std::ostream& out, const TrialCounts& trials) {
  std::string text;
  for (std::size_t i = 0; i < trials.by_status.size(); ++i)
    if (trials.by_status[i] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", trials.by_status[i],
                          name_of(static_cast<Status>(i)));
  out << "\ntrials: " << text << '\n';
  for (const auto& [rule, seen] : trials.reasons) {
    const Rule* known = find_rule(rule);
    out << fmt::format("  {}{}, {} times, e.g. {}\n", rule,
                       known ? fmt::format(" ({})", known->name) : "", seen.first, seen.second);
  }
}

}  // namespace

std::string_view outcome_word(Outcome outcome) noexcept {
  return outcome == Outcome::hit ? "hit" : outcome == Outcome::missed ? "missed" : "too noisy";
}

std::string selftest_conclusion(const SelftestResult& r) {
  const Outcome outcome = r.outcome();
  std::string text = outcome == Outcome::hit      ? "all correct: "
                     : outcome == Outcome::missed ? "misses: "
                                                  : "no misses, but not all could be judged: ";
  text += said(r.faults(), "faults and controls");
  if (!r.answers.empty()) text += "; " + said(r.known_answers(), "known answers");
  if (r.observer) text += fmt::format("; the observer's cost {}", said(r.observer->outcome()));
  if (const std::string noise = r.noise(); !noise.empty())
    text += fmt::format("\ntoo noisy: {}", noise);
  return text;
}

void write_selftest_text(std::ostream& out, const SelftestResult& r, std::size_t width) {
  write_calibration(out, r, width);
  write_answers(out, r, width);
  write_confusion(out, r.confusion, width);
  out << '\n';
  write_cases(out, r, width);
  if (r.same.pipelines)
    out << fmt::format(
        "\n"
        "identical trials: {} of {} intervals exclude 0 (1 in 20 is expected by chance);\n"
        "two identical pipelines differ by up to {:.2f} %, median {:.2f} %\n",
        r.same.clear_of_zero, r.same.comparisons, 100 * r.same.pipelines->value,
        100 * r.same.pipelines->low);
  write_trials(out, r.trials);
  out << fmt::format("\n{} ({}, {} clock, {:.0f} s)\n", selftest_conclusion(r),
                     counted(r.rounds, "round"), r.simulated ? "simulated" : "real", r.seconds);
}

}  // namespace benchbench
