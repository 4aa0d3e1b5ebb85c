// Which exit code wins, and what trials make of it.
#include "harness/app/exit_code.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "harness/app/run/outputs.h"
#include "harness/core/spelling.h"
#include "tests/places.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::exit_code_test {
namespace {

// A plan of points with one pipeline trial each, and what became of them.
struct Case {
  Plan plan;
  Findings findings;
  void add(Status status, const std::string& skip = "") {
    const auto index = static_cast<std::uint32_t>(plan.points.size());
    Trial trial;
    trial.index = index;
    if (!skip.empty()) trial.skip = skip;
    plan.trials.push_back(trial);
    Point point;
    point.index = index;
    point.trials = {{Mode::pipeline, index}};
    plan.points.push_back(point);
    PointFindings found;
    found.point = index;
    found.mode_status[static_cast<std::size_t>(Mode::pipeline)] = status;
    findings.points.push_back(found);
    ++findings.trials[static_cast<std::size_t>(status)];
  }
  int code(bool strict) const { return exit_code_of(findings, plan, strict); }
};

struct Of {
  Status status;
  std::string skip;
};

// Of the base point and one more: plain, then strict.
std::pair<int, int> codes_of(const Of& base, const Of& other) {
  Case c;
  c.add(base.status, base.skip);
  c.add(other.status, other.skip);
  return {c.code(false), c.code(true)};
}

const Of kValid{Status::valid, ""}, kNoisy{Status::noisy, ""}, kInvalid{Status::invalid, ""},
    kFailed{Status::failed, ""}, kNoDevice{Status::skipped, "needs cuda:0: no CUDA device"},
    kNoModule{Status::skipped, "needs libtorch: not found"},
    kNoPinning{Status::skipped, "pinned memory needs CUDA: no device"},
    kNotSimulated{Status::skipped, "loader native cannot run under the simulated clock"};

}  // namespace

TEST_CASE("exit codes: the strongest of any two, in the documented order", "[unit][app]") {
  const std::vector<std::vector<int>> order{{130, 143}, {5}, {2}, {6}, {8}, {7},
                                            {3},        {4}, {1}, {9}, {0}};
  CHECK(strongest({}) == 0);
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1; b < order.size(); ++b)
      for (const int stronger : order[a])
        for (const int weaker : order[b]) {
          CHECK(strongest({weaker, stronger}) == stronger);
          CHECK(strongest({stronger, weaker}) == stronger);
        }
  CHECK(exit_meanings().size() == 12);
}

TEST_CASE("exit codes: README.md has each of ours, and the range of wrap's", "[unit][app]") {
  std::ifstream file(test::source_path("README.md"));
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  const std::string table = readme.substr(readme.find("## Exit codes"));
  for (const ExitMeaning& m : exit_meanings())
    CHECK(mentions(table.substr(0, table.find("\n\nIf several")), std::to_string(m.code)));
  const auto [least, most] =
      std::ranges::minmax(wrap_exit_meanings(), {}, [](const ExitMeaning& m) { return m.code; });
  CHECK(table.find("| " + std::to_string(least.code) + " to " + std::to_string(most.code) +
                   " | `wrap`") != table.npos);
}

TEST_CASE("exit codes: what trials make of it, plain and strict", "[unit][app]") {
  using Codes = std::pair<int, int>;
  CHECK(codes_of(kValid, kValid) == Codes{0, 0});
  CHECK(codes_of(kValid, kNoisy) == Codes{0, 9});
  CHECK(codes_of(kValid, kInvalid) == Codes{0, 9});
  CHECK(codes_of(kNoisy, kValid) == Codes{0, 9});
  CHECK(codes_of(kValid, kFailed) == Codes{1, 1});
  CHECK(codes_of(kNoisy, kFailed) == Codes{1, 1});
  CHECK(codes_of(kFailed, kValid) == Codes{8, 8});
  CHECK(codes_of(kInvalid, kValid) == Codes{8, 8});
  CHECK(codes_of(kInvalid, kInvalid) == Codes{8, 8});
  CHECK(codes_of(kNotSimulated, kValid) == Codes{8, 8});
  CHECK(codes_of(kValid, kNotSimulated) == Codes{0, 0});
  for (const Of& lacking : {kNoDevice, kNoModule, kNoPinning}) {
    CHECK(codes_of(kValid, lacking) == Codes{0, 6});
    CHECK(codes_of(kFailed, lacking) == Codes{8, 6});
    CHECK(codes_of(lacking, kValid) == Codes{8, 6});
    CHECK(codes_of(lacking, kFailed) == Codes{8, 6});
  }
}

TEST_CASE(
    "exit codes: a base point of which some mode lacks hardware is not done, whatever else ran",
    "[unit][app]") {
  Case c;
  c.add(Status::valid);
  Trial trial;
  trial.index = 1;
  trial.mode = Mode::trainer;
  trial.skip = kNoDevice.skip;
  c.plan.trials.push_back(trial);
  c.plan.points[0].trials.emplace_back(Mode::trainer, 1);
  CHECK(c.code(false) == 8);
  CHECK(c.code(true) == 6);
}

TEST_CASE("exit codes: a finding on a wrapped script is an answer, which doubts are left of",
          "[unit][app]") {
  for (const bool wrapped : {false, true}) {
    Case c;
    c.add(Status::invalid);
    if (wrapped) c.plan.scenario.base.set("measure.class", test::words("stretch"));
    CHECK(c.code(false) == 8);
    c.findings.external.findings.emplace_back();
    CHECK(c.code(false) == (wrapped ? 0 : 8));
    CHECK(c.code(true) == (wrapped ? 9 : 8));
  }
}

TEST_CASE("exit codes: nothing at all is 8", "[unit][app]") {
  CHECK(exit_code_of(Findings{}, Plan{}, false) == 8);
}

}  // namespace benchbench::exit_code_test
