// Each half-sentence of `compare` follows its data.
#include "harness/report/compare/compare_words.h"
#include "tests/metric_named.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace benchbench::compare_words_test {
namespace {

using Catch::Matchers::Contains;

MetricComparison metric_of(Judged judged, double change,
                           const Metric* metric = find_metric("pipeline_rate")) {
  MetricComparison c;
  c.metric = metric, c.judgement = judged;
  c.a = c.b = Estimate{100, 99, 101, 12};
  c.change = Estimate{change, change - 0.01, change + 0.01, 12};
  c.rounds_a = c.rounds_b = 12;
  c.error = 0.005, c.freedom = 11, c.threshold = 0.03;
  if (judged == Judged::unsure) c.why = Unsure::wide;
  if (judged == Judged::invalid) c.why = Unsure::no_rounds;
  return c;
}

CompareReport report_of(const std::vector<std::vector<MetricComparison>>& points,
                        const std::string& gates) {
  CompareReport r;
  r.found.relation = Relation::interleaved, r.found.spread = 0;
  for (const auto& metrics : points) {
    PointComparison point;
    point.name = "p" + std::to_string(r.found.points.size()), point.metrics = metrics;
    r.found.points.push_back(point);
  }
  r.gates = results_of(r.found, gates_from(gates));
  return r;
}

}  // namespace

TEST_CASE("compare words: changes, intervals and what was detectable, in per cent",
          "[unit][report]") {
  CHECK(change_cell(Estimate{0.002, 0, 0, 12}) == "+0.2 %");
  CHECK(change_cell(Estimate{-0.0004, 0, 0, 12}) == "0.0 %");
  CHECK(interval_cell(Estimate{0.1, 0.1, 0.1, 12}) == "exact");
  CHECK(interval_cell(Estimate{0.1, 0.09, 0.1101, 12}) == "[+9.0, +11.0]");
  CHECK(interval_cell(Estimate{0.1, 0.1, 0.1, 1}).empty());
  MetricComparison c;
  c.detectable = 0.034;
  CHECK(detectable_cell(c) == "3.4 %");
}

TEST_CASE("compare words: too few rounds of sets are told by both numbers", "[unit][report]") {
  MetricComparison c;
  c.why = Unsure::few_rounds, c.rounds_a = 12, c.rounds_b = 3;
  CHECK(unsure_text(c, Relation::stored) ==
        "12 rounds against 3 cannot show a difference: 7 against 7 or more can");
}

TEST_CASE("compare words: a comparison that lacks both a spread and rounds is said once, with both",
          "[unit][report]") {
  MetricComparison c;
  c.why = Unsure::spread_unknown, c.rounds_a = c.rounds_b = 3, c.speaks = true;
  CHECK_THAT(unsure_text(c, Relation::stored), Contains("(--spread)") && !Contains("7 against 7"));
  c.speaks = false;
  CHECK_THAT(unsure_text(c, Relation::stored),
             Contains("(--spread)") && Contains("3 rounds against 3") && Contains("7 against 7"));
}

TEST_CASE("compare words: the change of a wait is said to be a share of the step, once",
          "[unit][report]") {
  const auto text_of = [](const char* metric) {
    const MetricComparison c = metric_of(Judged::same, 0, find_metric(metric));
    return compare_text(report_of({{c}, {c}}, "slower"), 200, false);
  };
  const std::string text = text_of("exposed_wait"), said = "(B - A) / A's step";
  REQUIRE(text.find(said) != std::string::npos);
  CHECK(text.find(said) == text.rfind(said));
  CHECK_THAT(text_of("pipeline_rate"), !Contains(said));
}

TEST_CASE("compare words: noise of stored rounds, and noise that comes with a side",
          "[unit][report]") {
  MetricComparison c;
  c.why = Unsure::noisy, c.noisy = 8;
  CHECK(unsure_text(c, Relation::stored) == "8 rounds NOISY, and without them too few are left");
  CHECK(unsure_text(c, Relation::interleaved) ==
        "8 rounds NOISY, nearly all for one side: what doubts it may be all that differs");
}

TEST_CASE("compare words: two sessions, by what is known of their spread", "[unit][report]") {
  ComparisonFindings f;
  CHECK_THAT(relation_text(f), Contains("is not known (--spread)"));
  f.spread = 0.01;
  CHECK_THAT(relation_text(f), Contains("a change below 3.0 % is never called"));
  f.spread = 0.05, f.simulated = true;
  CHECK_THAT(relation_text(f), Contains("a change below 5.0 % is never called"));
  f.spread = 0;
  CHECK_THAT(relation_text(f), Contains("virtual time, which has no spread"));
}

TEST_CASE("compare words: a stage that is waited for, and one that is tied", "[unit][report]") {
  const Estimate ms{1, 1, 1, 12};
  MovedStage s{MovedStage::By::loader, "decode", "", ms, true, std::nullopt};
  CHECK(stage_text(s) ==
        "decode +1 ms of the loader's work for a batch, for which the trainer waits");
  s.waited_for = false;
  CHECK(stage_text(s) == "decode +1 ms of the loader's work for a batch");
  s.by = MovedStage::By::substitution, s.tied_with = "read";
  CHECK(stage_text(s) == "decode or read +1 ms a step, by substitution");
}

TEST_CASE("compare words: the first line names three points at most", "[unit][report]") {
  const MetricComparison slower = metric_of(Judged::slower, -0.05);
  CHECK(compare_summary(report_of({{slower}, {slower}, {slower}}, "slower")) ==
        "SLOWER at p0, p1, p2 (3 of 3 points)");
  CHECK(compare_summary(report_of({{slower}, {slower}, {slower}, {slower}}, "slower")) ==
        "SLOWER at p0, p1, p2, ... (4 of 4 points)");
}

TEST_CASE("compare words: counts of a brief report are of what it leaves out", "[unit][report]") {
  std::vector<std::vector<MetricComparison>> points(25, {metric_of(Judged::same, 0)});
  points[3][0].detectable = 0.05, points[4][0].detectable = 0.04;
  points[5][0].left_out = 3, points[6][0].left_out = 1;
  points[7][0].judgement = Judged::faster, points[7][0].points = 3;
  CompareReport r = report_of(points, "slower");
  for (int i = 0; i < 10; ++i)
    r.found.only_a.push_back("a" + std::to_string(i)),
        r.found.differences.push_back({DifferenceKind::setting, "k" + std::to_string(i), "x", "y"});
  const std::string text = compare_text(r, 100, false);
  CHECK_THAT(text, Contains("24 SAME (changes from 5.0 % on"));
  CHECK_THAT(text, Contains("at most 3 rounds of one comparison"));
  CHECK_THAT(text, Contains("only in A: a0, a1, a2, a3, a4, a5 and 4 more\n"));
  CHECK_THAT(text, Contains("  and 2 more: --detail shows them\n"));
  CHECK_THAT(text, Contains("p7 +2 "));
  CHECK_THAT(text, !Contains("NOISY rounds are used") && !Contains("within a process"));
  r.found.points[8].metrics[0].noisy = 2;
  CHECK_THAT(compare_text(r, 200, false),
             Contains("NOISY rounds are used, since fewer than 10 are without noise: at most 2 "
                      "rounds of one comparison\n"));
  r.found.relation = Relation::stored;  // the judgement says so
  CHECK_THAT(compare_text(r, 200, false), !Contains("NOISY rounds are used"));
}

TEST_CASE("compare words: gates tell what was not judged, and their false alarms",
          "[unit][report]") {
  CompareReport r =
      report_of({{metric_of(Judged::same, 0)}, {metric_of(Judged::unsure, 0)}}, "slower");
  CHECK_THAT(compare_text(r, 100, false),
             Contains("slower:3%: not broken; 1 of 2 comparisons could not be judged"));
  r.gates[0].false_alarms_a_month = 0.0004;
  CHECK_THAT(compare_text(r, 200, false), Contains("with one comparison a night: under 0.001\n"));
  r.gates[0].false_alarms_a_month = 0.0104;
  CHECK_THAT(compare_text(r, 200, false), Contains("with one comparison a night: 0.010\n"));
  CHECK(nlohmann::json::parse(compare_json(r))["gates"][0]["not_judged"] == 1);
}

TEST_CASE("compare words: the noise is that of rates, and worse is above 0", "[unit][report]") {
  auto rate = metric_of(Judged::slower, -0.05),
       memory = metric_of(Judged::same, 0.01, find_metric("peak_memory"));
  rate.between_a = rate.between_b = 0.01, memory.between_a = memory.between_b = 0.3;
  const CompareReport r = report_of({{rate, memory}}, "slower");
  CHECK_THAT(compare_text(r, 120, false), Contains("largest: A 1.00 %, B 1.00 %\n"));
  const auto metrics = nlohmann::json::parse(compare_json(r))["points"][0]["metrics"];
  CHECK(metrics[0]["worse_share"] == 0.05);
  CHECK(metrics[1]["worse_share"] == 0.01);
}

}  // namespace benchbench::compare_words_test
