#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace selftest_command {

using Catch::Matchers::Contains;

TEST_CASE("selftest: in virtual time every fault is named, and exit is 0", "[golden][app]") {
  Scratch s;
  const Ran r = run_program(s, {"selftest", "--clock", "simulated", "--json", "out.json"});
  CHECK(r.code == 0);
  CHECK_THAT(r.out, Contains("all correct: 16 of 16 faults and controls hit"));
  const auto json = nlohmann::json::parse(read_file(s.path("out.json")));
  CHECK(json["outcome"] == "hit");
  CHECK(json["judged"]["faults"]["hit"] == 16);
  CHECK(json["cases"].size() == 16);
  for (const auto& k : json["cases"]) CHECK(k["word"] == k["expected"]);
  // The diagonal and the controls.
  CHECK(json["confusion"]["rows"].size() == 14);
  for (std::size_t i = 0; i < 13; ++i) CHECK(json["confusion"]["counts"][i][i] == 1);
}

TEST_CASE("selftest: --json - is one document on standard output", "[golden][app]") {
  Scratch s;
  const Ran r =
      run_program(s, {"selftest", "--clock", "simulated", "--only", "lock", "--json", "-"});
  CHECK(r.code == 0);
  const auto json = nlohmann::json::parse(r.out);
  CHECK(json["confusion"]["rows"] == nlohmann::json::array({"lock", "no fault"}));
}

TEST_CASE("selftest: words that are none are told, exit 2", "[golden][app]") {
  Scratch s;
  const Ran fault = run_program(s, {"selftest", "--only", "gremlin"});
  CHECK(fault.code == 2);
  CHECK_THAT(fault.err, Contains("unknown fault") && Contains("straggler"));
  for (const char* rounds : {"1", "two", "-3", "5x"})
    CHECK(run_program(s, {"selftest", "--rounds", rounds}).code == 2);
  CHECK(run_program(s, {"selftest", "--clock", "sundial"}).code == 2);
  const Ran unwritable = run_program(
      s, {"selftest", "--clock", "simulated", "--only", "copy", "--json", "no/such/folder"});
  CHECK(unwritable.code == 5);
  CHECK_THAT(unwritable.err, Contains("could not be written"));
}

}  // namespace selftest_command
}  // namespace benchbench::test
