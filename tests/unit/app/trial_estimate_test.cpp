// The short trials that price what never ran on this machine.
#include "harness/app/run/trial_estimate.h"

#include <catch2/catch.hpp>

namespace benchbench::trial_estimate_test {
namespace {

std::string limit_of_probe(const char* own) {
  Trial trial;
  if (own)
    trial.settings.set("measure.timeout", Value::parse(ParameterType::duration, own).value());
  return probe_of(trial).settings.text("measure.timeout");
}

}  // namespace

TEST_CASE(
    "probe: a trial's own time limit holds for its probe, "
    "and a minute where it is longer or there is none",
    "[unit][app]") {
  CHECK(limit_of_probe("4s") == "4s");
  CHECK(limit_of_probe("10min") == "60s");
  CHECK(limit_of_probe("0s") == "60s");
  CHECK(limit_of_probe(nullptr) == "60s");
}

TEST_CASE("probe: its trial is known to be one", "[unit][app]") {
  CHECK(probe_of({}).settings.boolean("measure.probe"));
}

}  // namespace benchbench::trial_estimate_test
