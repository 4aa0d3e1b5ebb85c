// The words of `compare`.
#include "harness/report/compare/compare_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/compare/compare_words.h"
#include "harness/report/text/display_text.h"
#include "tests/metric_named.h"

namespace benchbench::compare_report_test {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

MetricComparison metric_of(const Metric* metric, Judged judged, double change) {
  MetricComparison c;
  c.metric = metric, c.judgement = judged;
  c.a = Estimate{100, 99, 101, 12}, c.b = Estimate{100 * (1 + change), 90, 110, 12};
  c.change = Estimate{change, change - 0.01, change + 0.01, 12};
  c.rounds_a = c.rounds_b = 12;
  c.detectable = 0.034, c.error = 0.005, c.freedom = 11, c.threshold = 0.03;
  if (judged == Judged::unsure) c.why = Unsure::wide;
  return c;
}

CompareReport report_of(std::vector<MetricComparison> metrics,
                        std::string name = "num_workers=2 (base)") {
  CompareReport r;
  r.found.relation = Relation::interleaved, r.found.spread = 0;
  r.found.scenario_a = r.found.scenario_b = "made";
  r.found.rounds_a = r.found.rounds_b = 12;
  PointComparison point;
  point.name = std::move(name);
  point.metrics = std::move(metrics);
  r.found.points.push_back(point);
  r.a.where = "a", r.b.where = "b";
  r.gates = results_of(r.found, gates_from("slower:3%"));
  return r;
}

CompareReport with_alert(AlertState state, Judged again) {
  CompareReport r = report_of({metric_of(find_metric("pipeline_rate"), Judged::slower, -0.05)});
  r.confirmation.emplace();
  r.confirmation->alerts = alerts_of(r.found);
  r.confirmation->alerts[0].state = state, r.confirmation->alerts[0].again = again;
  r.confirmation->alerts[0].change = Estimate{-0.01, -0.02, 0, 12};
  return r;
}

}  // namespace

TEST_CASE("compare report: an alert that a second run takes back is printed so", "[unit][report]") {
  CHECK_THAT(compare_text(with_alert(AlertState::unconfirmed, Judged::same), 100, false),
             Contains("num_workers=2 (base) pipeline_rate: unconfirmed, SAME -1.0 % [-2.0, 0.0]"));
}

TEST_CASE("compare report: a SLOWER point with its stage, its suspects and its gate",
          "[unit][report]") {
  CompareReport r = report_of({metric_of(find_metric("pipeline_rate"), Judged::slower, -0.05),
                               metric_of(find_metric("peak_memory"), Judged::same, 0)});
  r.found.points[0].stage =
      MovedStage{MovedStage::By::step,      "backward", "",
                 Estimate{1, 0.9, 1.1, 12}, false,      Estimate{1, 0.8, 1.2, 12}};
  r.found.points[0].side_a = Side::loader, r.found.points[0].side_b = Side::trainer,
  r.found.points[0].side_moved = true;
  r.found.differences = {{DifferenceKind::software, "build", "one", "two"}};
  const std::string text = compare_text(r, 100, false);
  CHECK_THAT(text, Contains("made: B against A: SLOWER at num_workers=2 (base) (1 of 1 point); the "
                            "binding side moved at 1 point\n"));
  CHECK_THAT(text, Contains("SLOWER pipeline_rate -5.0 % [-6.0, -4.0], held back by the trainer, "
                            "before\n    by the loader\n"));
  CHECK_THAT(
      text,
      Contains(
          "where: backward +1 ms [+900 us, +1.1 ms] a step; the step +1 ms [+800 us, +1.2 ms]"));
  CHECK_THAT(text,
             Contains("Suspects: what differs between A and B\n  software build: one -> two\n"));
  CHECK_THAT(text, Contains("slower:3%: broken by num_workers=2 (base) pipeline_rate"));
  CHECK_THAT(text, EndsWith("\nA gate is broken.\n"));
}

TEST_CASE("compare report: long tables keep what is not SAME, --detail has all", "[unit][report]") {
  CompareReport r = report_of({metric_of(find_metric("pipeline_rate"), Judged::slower, -0.05)});
  for (int i = 0; i < 30; ++i) {
    r.found.points.push_back(r.found.points.front());
    r.found.points.back().name = "same" + std::to_string(i);
    r.found.points.back().metrics = {metric_of(find_metric("pipeline_rate"), Judged::same, 0)};
  }
  const std::string brief = compare_text(r, 100, false), detail = compare_text(r, 100, true);
  CHECK(brief.find("same7") == std::string::npos);
  CHECK_THAT(
      brief,
      Contains(
          "30 SAME (changes from 3.4 % on would have been called in 8 of 10 such comparisons), 0"));
  CHECK_THAT(detail, Contains("same29"));
}

TEST_CASE("compare report: control characters in names are shown as such, in JSON too",
          "[unit][report]") {
  const std::string name = "a\x1b[31m\nb\x7f\xc2\x9b";
  CHECK(visible(name) == "a\\x1b[31m\\x0ab\\x7f\\x9b");
  CompareReport r =
      report_of({metric_of(find_metric("pipeline_rate"), Judged::slower, -0.05)}, name);
  r.a.where = "\x1b]0;", r.notes = {"\x07"}, r.found.only_a = {"\x1b"};
  r.found.differences = {{DifferenceKind::setting, "k", "\x1b", ""}};
  for (const char c : compare_text(r, 100, true))
    CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  const auto json = nlohmann::json::parse(compare_json(r));
  CHECK(json["points"][0]["name"] == name);
  r.found.points[0].name = "not UTF-8: \xff";
  CHECK(nlohmann::json::accept(compare_json(r)));
}

TEST_CASE("compare report: JSON has numbers as numbers, and null for what is none",
          "[unit][report]") {
  auto c = metric_of(find_metric("pipeline_rate"), Judged::invalid, 0);
  c.a = c.b = c.change = std::nullopt;
  c.detectable = std::nullopt;
  const auto json = nlohmann::json::parse(compare_json(report_of({c})));
  CHECK(json["schema"] == "benchbench.compare/1");
  const auto& metric = json["points"][0]["metrics"][0];
  CHECK(metric["a"].is_null());
  CHECK(metric["worse_share"].is_null());
  CHECK(metric["p"].is_number());
  CHECK(json["confirmation"].is_null());
  CHECK(json["gates"][0]["gate"] == "slower:3%");
}

TEST_CASE("compare report: no line is wider than it may be", "[unit][report]") {
  CompareReport r = report_of({metric_of(find_metric("exposed_wait"), Judged::slower, 0.05),
                               metric_of(find_metric("loader_rate"), Judged::unsure, 0)},
                              std::string(140, 'n'));
  r.notes = {std::string(300, 'x')};
  r.a.where = std::string(200, 'p');
  for (const std::size_t width : {60u, 80u, 100u})
    for (const std::string& line : split_lines(compare_text(r, width, true)))
      CHECK(display_width(line) <= width);
}

namespace {

SideAlarm alarm_of(AlarmState state, const std::string& text) {
  SideAlarm told;
  told.alarm.kind = AlarmKind::exposed_wait, told.alarm.state = state, told.alarm.limit = 0.1;
  if (state == AlarmState::raised) told.alarm.worst = AlarmSeen{.point = {}, .value = 0.34};
  told.text = text;
  return told;
}

}  // namespace

TEST_CASE("compare report: raised alarms are told with their side, the others in JSON alone",
          "[unit][report]") {
  CompareReport r = report_of({metric_of(find_metric("pipeline_rate"), Judged::same, 0)});
  r.a.alarms = {alarm_of(AlarmState::not_raised, "quiet")};
  CHECK(compare_text(r, 100, true).find("Alarms") == std::string::npos);
  r.b.alarms = {alarm_of(AlarmState::raised, "waited \x1b 34 %"),
                alarm_of(AlarmState::not_measured, "blind")};
  const std::string text = compare_text(r, 100, true);
  CHECK_THAT(text, Contains("\nAlarms\n  B: waited \\x1b 34 %\n"));
  CHECK((text.find("quiet") == std::string::npos && text.find("blind") == std::string::npos));
  const auto json = nlohmann::json::parse(compare_json(r));
  CHECK(json["a"]["alarms"][0]["state"] == "not raised");
  CHECK(json["a"]["alarms"][0]["value"].is_null());
  CHECK(json["b"]["alarms"][0]["alarm"] == "exposed_wait");
  CHECK(json["b"]["alarms"][0]["value"] == 0.34);
  CHECK(json["b"]["alarms"][0]["limit"] == 0.1);
  CHECK(json["b"]["alarms"][1]["state"] == "not measured");
  r.a.alarms = {alarm_of(AlarmState::raised, "of a")};
  CHECK_THAT(compare_text(r, 100, true), Contains("\nAlarms\n  A: of a\n  B: waited"));
}

TEST_CASE("compare report: the last line is of what a second run took back, or did not",
          "[unit][report]") {
  CHECK_THAT(compare_text(with_alert(AlertState::unconfirmed, Judged::same), 100, false),
             EndsWith("\nPassed: the second run does not confirm what breaks a gate.\n"));
  CompareReport moved = with_alert(AlertState::unconfirmed, Judged::same);
  moved.found.points[0].side_moved = true;
  moved.gates = results_of(moved.found, gates_from("slower:3%,verdict"));
  CHECK_THAT(compare_text(moved, 100, false), EndsWith("\nA gate is broken.\n"));
  CHECK_THAT(compare_text(with_alert(AlertState::confirmed, Judged::slower), 100, false),
             EndsWith("\nA gate is broken, and the second run does not take the alert back.\n"));
}

TEST_CASE("compare report: the first line counts what ran again", "[unit][report]") {
  CHECK_THAT(compare_summary(with_alert(AlertState::unconfirmed, Judged::same)),
             EndsWith("; run again: 1 unconfirmed"));
  CHECK_THAT(compare_summary(with_alert(AlertState::kept, Judged::invalid)),
             EndsWith("; run again: 1 kept"));
}

TEST_CASE("compare report: a second run is said to be of both sides, of B alone, or none",
          "[unit][report]") {
  CompareReport r = with_alert(AlertState::confirmed, Judged::slower);
  r.confirmation->interleaved = true;
  CHECK_THAT(compare_text(r, 100, false), Contains("\nRun again, both sides interleaved\n"));
  r.confirmation->interleaved = false, r.confirmation->why_alone = "A was made by another program";
  CHECK_THAT(
      compare_text(r, 100, false),
      Contains("\nRun again: B alone, against the stored A (A was made by another program)\n"));
  r = with_alert(AlertState::kept, Judged::invalid);
  r.confirmation->failure = "no program";
  const std::string text = compare_text(r, 100, false);
  CHECK_THAT(text,
             Contains("\nSecond run\n  the second run failed, so the alerts stay: no program\n"));
  CHECK(text.find("Run again") == std::string::npos);
}

TEST_CASE("compare report: what one round shows of noise is not measured", "[unit][report]") {
  auto c = metric_of(find_metric("pipeline_rate"), Judged::unsure, 0);
  c.rounds_b = 1, c.between_a = 0.012;
  const CompareReport r = report_of({c});
  CHECK_THAT(compare_text(r, 120, false),
             Contains("at the point where it is largest: A 1.20 %, B not measured\n"));
  const auto metric = nlohmann::json::parse(compare_json(r))["points"][0]["metrics"][0];
  CHECK(metric["between_rounds_share_a"] == 0.012);
  CHECK(metric["between_rounds_share_b"].is_null());
}

TEST_CASE("compare report: long names of hardware keep their ends, digests do not",
          "[unit][report]") {
  const auto line = [](const std::string& a, const std::string& b) {
    return difference_line({DifferenceKind::hardware, "x", a, b});
  };
  CHECK(line("A Processor of 2.10 GHz, stepping 1", "A Processor of 2.10 GHz, stepping 2") ==
        "hardware x: A Processor of 2.10 GHz, stepping 1 -> A Processor of 2.10 GHz, stepping 2");
  CHECK(line(std::string(32, 'a'), "") == "hardware x: aaaaaaaaaaaa... -> not set");
}

TEST_CASE("compare report: a run with itself is called that first", "[unit][report]") {
  CompareReport r = report_of({metric_of(find_metric("pipeline_rate"), Judged::same, 0)});
  r.found.relation = Relation::itself;
  CHECK(compare_summary(r) == "A and B are the same run");
}

}  // namespace benchbench::compare_report_test
