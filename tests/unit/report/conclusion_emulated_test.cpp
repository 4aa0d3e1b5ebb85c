// The report's words of a device that is emulated next to the base's own.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/report/conclusion/conclusion_part_words.h"
#include "tests/unit/report/told_findings.h"

namespace benchbench {
namespace conclusion_emulated_test {

using test::ToldFindings;
using test::words;
using namespace test::told;

// A base on the CPU and a point on an emulated H200.
struct Held : ToldFindings {
  Held() {
    add({}, 4000, 100, 99);
    plan.points[0].settings.set("trainer.device", words("cpu"));
  }
  PointFindings& emulated(const char* pinned, double loader, double trainer, double pipeline) {
    PointFindings& p = add({{"trainer.device", "emulated"}}, loader, trainer, pipeline);
    SettingsMap& s = plan.points.back().settings;
    s.set("trainer.emulated.like", words("h200"));
    s.set("trainer.sample_time", words("213us"));
    s.set("loader.pin_memory", words(pinned));
    return p;
  }
};

TEST_CASE("conclusion: a loader is held against an emulated device, pinned or not",
          "[unit][report]") {
  Held t;
  t.emulated("false", 3500, 3600, 3400);
  t.emulated("true", 3500, 4400, 3300);
  const Lines said = t.said();
  CHECK(part(said, "emulated") ==
        "An emulated h200 (213us a sample) would take 3,600/s from pageable memory: this loader "
        "would be the limit at 3,400/s, 94 % of that; about 3 such workers would feed it, each "
        "with a core. "
        "It would take 4,400/s from pinned memory: this loader would be the limit at 3,300/s, 75 % "
        "of that; "
        "about 3 such workers would feed it, each with a core.");
  CHECK_FALSE(t.f.conclusion.what_if);
  CHECK(part(said, "binds").find("would") == std::string::npos);
}

TEST_CASE(
    "conclusion: workers that would feed an emulated device are as certain as the loader's rate",
    "[unit][report]") {
  const auto needed = [](double low, double high) {
    Held t;
    t.emulated("true", 2000, 4400, 1900).loader_rate = Estimate{2000, low, high, 3};
    const std::string said = part(t.said(), "emulated");
    return said.substr(said.find(';'));
  };
  const std::string wide =
      "; its rate alone varies too much to say how many workers would feed it.";
  CHECK(needed(1990, 2010) == "; about 5 such workers would feed it, each with a core.");
  CHECK(needed(1500, 2500) == "; 4 to 6 such workers would feed it, each with a core.");
  CHECK(needed(100, 4000) == wide);
  CHECK(needed(-500, 4500) == wide);  // two did not
}

TEST_CASE("conclusion: of an emulated device that is fed, or of which no side is known, it says so",
          "[unit][report]") {
  Held fed, unclear, unmeasured;
  fed.emulated("true", 6000, 4400, 4390);
  CHECK(part(fed.said(), "emulated") ==
        "An emulated h200 (213us a sample) would take 4,400/s from pinned memory: fed, as this "
        "loader makes 6,000/s alone.");
  unclear.emulated("true", 4300, 4400, 4000).unclear = true;
  CHECK(part(unclear.said(), "emulated") ==
        "An emulated h200 (213us a sample) would take 4,400/s from pinned memory: no side can be "
        "named at 4,000/s, 91 % of that.");
  unmeasured.emulated("true", 0, 4400, 0);
  CHECK(part(unmeasured.said(), "emulated").empty());
}

TEST_CASE("conclusion: an emulated device that no more workers would feed has none foretold",
          "[unit][report]") {
  Held balanced, contended;
  balanced.emulated("true", 4400, 4400, 4350).side = Side::balanced;
  CHECK(part(balanced.said(), "emulated") ==
        "An emulated h200 (213us a sample) would take 4,400/s from pinned memory: neither side is "
        "the limit at 4,350/s, 99 % of that.");
  contended.emulated("true", 5000, 4400, 3300).side = Side::contention;
  CHECK(
      part(contended.said(), "emulated") ==
      "An emulated h200 (213us a sample) would take 4,400/s from pinned memory: the two, or other "
      "programs, are in each other's way at 3,300/s, 75 % of that.");
}

TEST_CASE("conclusion: a base that is emulated itself has its own words, as ever",
          "[unit][report]") {
  Held t;
  t.plan.points[0].settings.set("trainer.device", words("emulated"));
  t.emulated("true", 3500, 4400, 3300);
  CHECK(part(t.said(), "emulated").empty());
}

TEST_CASE("conclusion: an emulated device may take four lines more on a terminal",
          "[unit][report]") {
  Held t;
  t.emulated("false", 3500, 3600, 3400);
  t.emulated("true", 3500, 4400, 3300);
  t.conclude();
  const auto lines = conclusion_lines(t.f, t.plan, 80);
  CHECK(lines.size() <= kConclusionLines + 4);
  std::string all;
  for (const std::string& line : lines) all += line.substr(line.find_first_not_of(' ')) + " ";
  CHECK(all.find("75 % of that; about 3 such workers would feed it, each with a core.") !=
        std::string::npos);
}

}  // namespace conclusion_emulated_test
}  // namespace benchbench
