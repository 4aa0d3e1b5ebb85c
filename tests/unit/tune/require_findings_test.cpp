// The next trials of `require` and its end, from findings written by hand.
#include <catch2/catch.hpp>

#include "harness/tune/require_findings.h"

namespace benchbench {
namespace require_findings_test {

// A step that needs 1000 samples/s: rungs of 900, 1000 and 1200, of which the middle one is enough.
RequireFindings found() {
  RequireFindings r;
  r.problem.rates = {900, 1000, 1200};
  r.found = {.next = {}, .enough = 1, .too_little = 0, .surely_enough = 1, .surely_too_little = 0};
  r.cores = 8;
  r.loaders = {{2, 250}};
  return r;
}

TEST_CASE("require findings: ends that are 5 % apart are not too noisy, 11 % apart they are",
          "[unit][tune]") {
  RequireFindings r = found();
  r.problem.rates.front() = 950;
  CHECK_FALSE(is_too_noisy(r));
  r.problem.rates.front() = 900;
  CHECK(is_too_noisy(r));
  r.stop = RequireStop::interrupted;
  CHECK_FALSE(is_too_noisy(r));
}

TEST_CASE(
    "require findings: no rate that is surely enough is too noisy, none that is surely too "
    "little only where one is too little",
    "[unit][tune]") {
  RequireFindings r = found();
  r.found.surely_enough.reset();
  CHECK(is_too_noisy(r));
  r = found();
  r.found.surely_too_little.reset();
  CHECK(is_too_noisy(r));
  r.found.too_little.reset();
  CHECK_FALSE(is_too_noisy(r));
  r.found.enough.reset();
  CHECK_FALSE(is_too_noisy(r));
}

TEST_CASE("require findings: the required rate takes workers that each give what one gives",
          "[unit][tune]") {
  RequireFindings r = found();
  CHECK(required_of(r) == 1000.0);
  CHECK(workers_for(r, 1000) == 8u);
  CHECK(workers_for(r, 1) == 1u);
  CHECK(gives_too_little(r));
  r.loaders.front().rate = 1000;
  CHECK_FALSE(gives_too_little(r));
  r.loaders.clear();
  CHECK_FALSE(workers_for(r, 1000));
  CHECK_FALSE(gives_too_little(r));
}

TEST_CASE("require findings: workers that give less are followed by more of them", "[unit][tune]") {
  RequireFindings r = found();
  CHECK(next_workers(r) == 8u);
  r.loaders.push_back({8, 640});
  CHECK(next_workers(r) == 13u);
  r.loaders.push_back({13, 900});
  CHECK(next_workers(r) == 15u);
  r.loaders.push_back({15, 950});
  CHECK_FALSE(next_workers(r));  // three of them were tried
}

TEST_CASE("require findings: no more workers are tried than help, or than the machine has room for",
          "[unit][tune]") {
  RequireFindings r = found();
  r.loaders.push_back({8, 1200});
  CHECK_FALSE(next_workers(r));  // enough
  r.loaders.back() = {8, 200};   // then 40 of them: 4 times the cores are 32
  CHECK_FALSE(next_workers(r));
  r.loaders = {{2, 1000}};
  CHECK_FALSE(next_workers(r));  // its own are enough
  r = found();
  r.found.enough.reset();
  CHECK_FALSE(next_workers(r));
}

TEST_CASE("require findings: a store within a tenth of the required rate is looked at again",
          "[unit][tune]") {
  const RequireFindings r = found();
  CHECK(is_close(r, 1090));
  CHECK(is_close(r, 920));
  CHECK_FALSE(is_close(r, 1120));
  CHECK_FALSE(is_close(r, 890));
}

TEST_CASE(
    "require findings: looks are as noisy as the trainer's trials, within bounds on a real "
    "machine",
    "[unit][tune]") {
  const std::vector<double> same{1000, 1000, 1000}, wide{1000, 1200, 800};
  CHECK(expected_noise(same, true) == 0);
  CHECK(expected_noise(same, false) == 0.003);
  CHECK(expected_noise(wide, true) > 0.2);
  CHECK(expected_noise(wide, false) == 0.05);
}

}  // namespace require_findings_test
}  // namespace benchbench
