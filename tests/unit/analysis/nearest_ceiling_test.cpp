#include "harness/analysis/summary/nearest_ceiling.h"

#include <catch2/catch.hpp>

#include "tests/unit/analysis/made_run.h"

namespace benchbench::test {
namespace nearest_ceiling_tests {

// A window of one second in each of two rounds.
std::vector<NearestCeiling> nearest(std::vector<std::pair<std::string, double>> ceilings,
                                    const Facts& facts) {
  MadeRun run;
  const auto point = run.point({}, run.settings(1));
  const auto trial = run.trial(point, Mode::pipeline);
  for (const std::uint32_t round : {0u, 1u})
    run.record(trial, round, facts).environment.ceilings = ceilings;
  const JudgedTrials trials(run.plan, run.records);
  return nearest_ceilings(run.plan.points[point], trials);
}

Facts with_bytes(std::uint64_t read, std::uint64_t device) {
  Facts facts = good_facts(100);
  facts.bytes.read = read, facts.bytes.device = device;
  return facts;
}

TEST_CASE("nearest ceiling: of several the one with the largest share", "[unit][analysis]") {
  const Facts facts = with_bytes(800, 620);
  const auto found = nearest({{"disk_read_cold", 1000}, {"disk_read_warm", 4000}}, facts);
  REQUIRE(found.size() == 1);
  CHECK(found[0].mode == Mode::pipeline);
  CHECK(found[0].ceiling == "disk_read_cold");
  CHECK(found[0].rate == Approx(620));
  CHECK(found[0].share() == Approx(0.62));
  CHECK(nearest({{"disk_read_cold", 1000}, {"disk_read_warm", 1000}}, facts).at(0).ceiling ==
        "disk_read_warm");
}

TEST_CASE("nearest ceiling: none without a ceiling, or where nothing passed it",
          "[unit][analysis]") {
  CHECK(nearest({}, with_bytes(800, 620)).empty());
  CHECK(nearest({{"disk_read_cold", 1000}}, with_bytes(800, 0)).empty());
  CHECK(nearest({{"disk_read_cold", 1000}}, good_facts(100)).empty());
}

TEST_CASE("nearest ceiling: bytes over the network are those that the interfaces received",
          "[unit][analysis]") {
  Facts facts = with_bytes(800, 0);
  ProbeFacts& probe = facts.probes.emplace_back();
  probe.name = "network_received", probe.unit = "bytes/s", probe.state = ProbeState::measured;
  probe.mean = 500, probe.samples = 10;
  const auto found = nearest({{"network", 1000}, {"disk_read_warm", 8000}}, facts);
  REQUIRE(found.size() == 1);
  CHECK(found[0].ceiling == "network");
  CHECK(found[0].share() == Approx(0.5));
}

}  // namespace nearest_ceiling_tests
}  // namespace benchbench::test
