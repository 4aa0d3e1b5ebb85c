// Who else may have cost what neither loader nor trainer takes alone.
#include <catch2/catch.hpp>

#include "harness/report/text/text_table.h"
#include "tests/unit/report/told_findings.h"

namespace benchbench {
namespace conclusion_neighbours_test {

using test::exactly;
using test::ToldFindings;
using namespace test::told;

TEST_CASE("conclusion: neighbours that may have cost most of it are named by their kind",
          "[unit][report]") {
  ToldFindings t;
  PointFindings& p = t.add(kTwo, 1000, 1000, 990);
  t.f.indicative = false;
  p.side = Side::contention, p.side_cost_ms = exactly(5.05), p.side_takes_ms.reset();
  p.status = Status::noisy;
  p.reasons.push_back({"R09", false,
                       "other programs used 1.9 of 2 cores and a thread of the trial waited for "
                       "one 3 % of the time: its rate may be 3.1 % too low (limit 3 %)"});
  CHECK_THAT(part(t.said(), "binds"), Catch::StartsWith("Loader and trainer hinder each other"));
  CHECK_THAT(part(t.said(), "next"), Catch::StartsWith("Ask less of the cores"));
  const auto said_with = [&](Neighbour who, const std::string& reason) {
    p.hindered_by = who;
    p.reasons = {{"R09", false, reason}};
    CHECK(part(t.said(), "next") == "");
    return part(t.said(), "binds");
  };
  const auto words = [](const std::string& who) {
    return Catch::StartsWith("No side can be named: " + who +
                             ", and 5.05 ms of each 10.1 ms step (50 %), which neither side takes "
                             "alone, may be theirs");
  };
  CHECK_THAT(
      said_with(Neighbour::programs,
                "other programs used 1.9 of 2 cores and a thread of the trial waited for one "
                "48 % of the time: its rate may be 47.5 % too low (limit 3 %)"),
      words("other programs were busy"));
  CHECK_THAT(
      said_with(Neighbour::guests, "other guests of this host took 31.0 % of the CPUs (limit 1 %)"),
      words("other guests of this host were busy"));
  CHECK_THAT(said_with(Neighbour::on_gpu, "another process used NVIDIA H100 too"),
             words("others used the GPU"));
}

}  // namespace conclusion_neighbours_test
}  // namespace benchbench
