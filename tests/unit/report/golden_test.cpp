// Whole reports of one made-up sweep against the texts in tests/golden/report. BENCHBENCH_APPROVE=1
// writes them anew: look at the difference before committing it.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/report/text/formats.h"
#include "tests/places.h"
#include "tests/unit/report/resnet_run.h"

namespace benchbench {
namespace golden_report_test {

void check_golden(const std::string& name, const std::string& text) {
  const std::string path = test::source_path("tests/golden/report/" + name);
  if (std::getenv("BENCHBENCH_APPROVE")) std::ofstream(path, std::ios::binary) << text;
  std::ifstream file(path, std::ios::binary);
  INFO(path);
  REQUIRE(file);
  std::ostringstream golden;
  golden << file.rdbuf();
  CHECK(text == golden.str());
}

std::string written(const test::MadeRun& run, std::string_view format, TerminalStyle style = {}) {
  const Findings findings = analyse(run.plan, run.records);
  std::ostringstream out;
  find_report_format(format)->write(
      out, {findings, run.plan, run.records, "results/runs/resnet", style});
  return out.str();
}

TEST_CASE("report: a sweep's terminal text", "[unit][report]") {
  const test::ResnetRun run;
  check_golden("resnet_terminal.txt", written(run, "terminal"));
  check_golden("resnet_terminal_80.txt", written(run, "terminal", {false, 80}));
  check_golden("resnet_terminal_colour.txt", written(run, "terminal", {true, 120}));
}

TEST_CASE("report: a sweep as csv and markdown", "[unit][report]") {
  const test::ResnetRun run;
  check_golden("resnet.csv", written(run, "csv"));
  check_golden("resnet.md", written(run, "markdown"));
}

// Modes limited to the loader, one round.
TEST_CASE("report: one mode and one round read well", "[unit][report]") {
  test::MadeRun run;
  run.plan.scenario.name = "loader_only";
  for (const int workers : {0, 2}) {
    const auto p = run.point(
        workers == 0
            ? std::vector<std::pair<std::string, std::string>>{}
            : std::vector<std::pair<std::string, std::string>>{{"loader.num_workers", "2"}},
        run.settings(workers));
    run.rates(run.trial(p, Mode::loader), {workers == 0 ? 1000.0 : 1900.0});
  }
  check_golden("loader_only.txt", written(run, "terminal"));
}

TEST_CASE("report: nothing that can be believed reads well", "[unit][report]") {
  test::MadeRun run;
  run.plan.scenario.name = "broken";
  const auto p = run.point({}, run.settings(1));
  run.rates(run.trial(p, Mode::pipeline), {100, 100});
  for (auto& record : run.records) {
    record.status = Status::failed;
    record.facts = {};
    record.reasons = {{"", true, "killed by signal 9 (out of memory?)"}};
  }
  check_golden("broken.txt", written(run, "terminal"));
}

}  // namespace golden_report_test
}  // namespace benchbench
