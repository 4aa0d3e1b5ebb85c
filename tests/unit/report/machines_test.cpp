// JUnit XML, Prometheus' text format, Google Benchmark's JSON; tests/golden/foreign has other
// programs read them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/rates/started_at.h"
#include "harness/report/machines/clean_text.h"
#include "harness/report/text/formats.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace machines_test {

using Catch::Contains;

std::string in_format(const test::MadeRun& run, std::string_view format) {
  const Findings findings = analyse(run.plan, run.records);
  std::ostringstream out;
  find_report_format(format)->write(out,
                                    {findings, run.plan, run.records, "results/runs/made", {}});
  return out.str();
}

// Two points, two rounds: a base whose loader FAILED, another whose pipeline is INVALID and trainer
// SKIPPED.
test::MadeRun spoiled_run() {
  test::MadeRun run;
  run.plan.scenario.name = "a<b>&\"c\"\x01|\xff";
  const auto base = run.point({}, run.settings(2));
  run.rates(run.trial(base, Mode::loader), {1000, 1000});
  for (TrialRecord& r : run.records)
    r.status = Status::failed, r.facts = {},
    r.reasons = {{"", true, "killed <by> signal 9\nsecond line"}};
  run.rates(run.trial(base, Mode::trainer), {500, 500});
  const auto other = run.point({{"loader.num_workers", "4"}}, run.settings(4));
  const auto pipeline = run.trial(other, Mode::pipeline);
  for (const std::uint32_t round : {0u, 1u}) {
    Facts lossy = test::good_facts(400);
    lossy.accounting.missing = 3;
    run.record(pipeline, round, lossy);
  }
  run.plan.trials[run.trial(other, Mode::trainer)].skip = "CUDA: no driver";
  return run;
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST_CASE("junit: a case a metric and point, by the status of what it comes from",
          "[unit][report]") {
  const std::string text = in_format(spoiled_run(), "junit");
  INFO(text);
  CHECK_THAT(text, Contains("tests=\"6\" failures=\"2\" errors=\"2\" skipped=\"1\""));
  CHECK(count(text, "<testcase ") == 6);
  // Two: the pipeline's rate and the exposed wait.
  CHECK(count(text, "<failure type=\"INVALID\" message=\"INVALID: R01: ") == 2);
  CHECK(count(text,
              "<error type=\"FAILED\" message=\"FAILED: killed &lt;by&gt; signal 9\">killed "
              "&lt;by&gt; signal 9\nsecond line</error>") == 2);
  CHECK(count(text, "<skipped message=\"SKIPPED: CUDA: no driver\"/>") == 1);
  CHECK_THAT(text, Contains("name=\"trainer_rate_samples_per_second base\" time=\"2.000\""));
  CHECK_THAT(text, Contains("<property name=\"value\" value=\"500\"/>"));
  CHECK_THAT(text, Contains(" timestamp=\"2026-11-21T10:00:00\""));
}

TEST_CASE("junit: no name ends an element, and no character that XML forbids comes out",
          "[unit][report]") {
  const std::string text = in_format(spoiled_run(), "junit");
  CHECK_THAT(text,
             Contains("<testsuite name=\"a&lt;b&gt;&amp;&quot;c&quot;\xef\xbf\xbd|\xef\xbf\xbd\""));
  CHECK(text == clean_text(text));
}

TEST_CASE("junit: a NOISY trial passes and says why", "[unit][report]") {
  test::MadeRun run;
  const auto trial = run.trial(run.point({}, run.settings(2)), Mode::loader);
  for (const std::uint32_t round : {0u, 1u}) {
    Facts throttled = test::good_facts(100);
    throttled.cpu.throttled_s = 0.5;
    run.record(trial, round, throttled);
  }
  const std::string text = in_format(run, "junit");
  CHECK_THAT(text, Contains("failures=\"0\" errors=\"0\" skipped=\"0\""));
  CHECK_THAT(text, Contains("<property name=\"status\" value=\"NOISY\"/>"));
  CHECK_THAT(text, Contains("<system-out>NOISY: R08: the CPU quota throttled"));
}

TEST_CASE("prometheus: what cannot be used has no sample, and labels cannot end",
          "[unit][report]") {
  const std::string text = in_format(spoiled_run(), "prometheus");
  INFO(text);
  const std::string scenario = "scenario=\"a<b>&\\\"c\\\"\xef\xbf\xbd|\xef\xbf\xbd\"";
  CHECK_THAT(text, Contains("\nbenchbench_trainer_rate_samples_per_second{" + scenario +
                            ",point=\"base\"} 500\n"));
  CHECK_THAT(text, Contains("\nbenchbench_trainer_rate_samples_per_second_rounds{" + scenario +
                            ",point=\"base\"} 2\n"));
  CHECK_THAT(text, !Contains("benchbench_pipeline_rate_samples_per_second"));
  CHECK_THAT(text, Contains(",mode=\"pipeline\",status=\"INVALID\"} 1\n"));
  CHECK_THAT(text, Contains("\nbenchbench_run_start_time_seconds{" + scenario + "} 1795255200\n"));
  CHECK_THAT(text, Contains("\nbenchbench_trials{" + scenario + ",status=\"FAILED\"} 2\n"));
}

TEST_CASE("prometheus: points of one name stay apart", "[unit][report]") {
  test::MadeRun run;
  for (int i = 0; i < 2; ++i)
    run.rates(run.trial(run.point({{"loader.num_workers", "4"}}, run.settings(4)), Mode::loader),
              {100, 100});
  run.plan.points[0].labels.clear();
  run.rates(run.trial(run.point({{"loader.num_workers", "4"}}, run.settings(4)), Mode::loader),
            {100, 100});
  const std::string text = in_format(run, "prometheus");
  CHECK(count(text,
              "benchbench_loader_rate_samples_per_second{scenario=\"made\","
              "point=\"num_workers=4\"} ") == 1);
  CHECK(count(text,
              "benchbench_loader_rate_samples_per_second{scenario=\"made\","
              "point=\"num_workers=4 #2\"} ") == 1);
}

TEST_CASE("gbench: a repetition a usable round, its mean step, and how many are left out",
          "[unit][report]") {
  const auto all = nlohmann::json::parse(in_format(spoiled_run(), "gbench"));
  REQUIRE(all["benchmarks"].size() == 2);
  const auto& second = all["benchmarks"][1];
  CHECK(second["name"].get<std::string>().ends_with("/base/trainer"));
  CHECK(second["repetitions"] == 2);
  CHECK(second["repetition_index"] == 1);
  // In us: 10 samples a step, 500 a second.
  CHECK(second["real_time"].get<double>() == Approx(20'000));
  CHECK(second["items_per_second"].get<double>() == Approx(500));
  CHECK(second["label"] == "cpu_time not measured");
  CHECK(all["context"]["trials_left_out"] == 4);
  CHECK(all["context"]["date"] == "2026-11-21T10:00:00Z");
}

TEST_CASE("gbench: CPU time per step where it was measured", "[unit][report]") {
  test::MadeRun run;
  const auto trial = run.trial(run.point({}, run.settings(2)), Mode::pipeline);
  Facts facts = test::good_facts(100);  // 10 steps
  facts.cpu.user_s = 0.3, facts.cpu.system_s = 0.1;
  run.record(trial, 0, facts);
  const auto all = nlohmann::json::parse(in_format(run, "gbench"));
  CHECK(all["benchmarks"][0]["cpu_time"].get<double>() == Approx(40'000));
  CHECK_FALSE(all["benchmarks"][0].contains("label"));
}

TEST_CASE("formats for programs: a run without a point or a record is a document, too",
          "[unit][report]") {
  const test::MadeRun nothing;
  CHECK_THAT(in_format(nothing, "junit"), Contains("tests=\"0\""));
  CHECK(nlohmann::json::parse(in_format(nothing, "gbench"))["benchmarks"].empty());
  CHECK_THAT(in_format(nothing, "prometheus"),
             Contains("benchbench_trials_without_record{scenario=\"made\"} 0\n"));
}

TEST_CASE(
    "clean text: bytes that are no character of UTF-8 "
    "and control characters are replaced one by one",
    "[unit][report]") {
  const std::string gone = "\xef\xbf\xbd";
  CHECK(clean_text("a\tb\n±写😀") == "a\tb\n±写😀");
  CHECK(clean_text("\x1b[1m\r\x7f") == gone + "[1m" + gone + gone);
  CHECK(clean_text("\xc0\xaf") == gone + gone);             // overlong
  CHECK(clean_text("\xed\xa0\x80") == gone + gone + gone);  // a surrogate
  CHECK(clean_text("\xf4\x90\x80\x80").starts_with(gone));  // past U+10FFFF
  CHECK(clean_text("\xef\xbf\xbf") == gone);                // U+FFFF
  CHECK(clean_text("\xc2\x85") == gone);                    // a control character of two bytes
  CHECK(clean_text("ab\xe5\x86") == "ab" + gone + gone);    // cut off
  CHECK(whole_characters("写真", 5) == 3);
  CHECK(whole_characters("写真", 6) == 6);
}

TEST_CASE("start of a run: seconds since 1970, nothing of what is no such time", "[unit][report]") {
  CHECK(seconds_of("1970-01-02T00:00:01Z") == 86401.0);
  CHECK(seconds_of("2026-11-21T10:00:00.250Z") == 1795255200.25);
  CHECK_FALSE(seconds_of("2026-02-30T10:00:00Z"));
  CHECK_FALSE(seconds_of("2026-11-21 10:00:00Z"));
  CHECK_FALSE(seconds_of("2026-11-21T10:00:00+01:00"));
  CHECK_FALSE(seconds_of(""));
}

}  // namespace machines_test
}  // namespace benchbench
