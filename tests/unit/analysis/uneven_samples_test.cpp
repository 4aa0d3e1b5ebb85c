// Some batches take longer than others: of two workers in turn, and what it would save to deliver
// them as they are ready.
#include <catch2/catch.hpp>

#include "tests/unit/analysis/python_run.h"

namespace benchbench::uneven_samples_test {

using test::ms;
using test::PythonRun;

// Each of a worker's batches takes the same.
PythonRun::Change taking(std::initializer_list<double> milliseconds,
                         std::optional<bool> in_order = true) {
  return [=, times = std::vector<double>(milliseconds)](Facts& f) {
    for (std::size_t w = 0; w < times.size(); ++w)
      f.external->workers[w].made_ns.assign(64, ms(times[w]));
    f.external->streams = false, f.external->in_order = in_order, f.external->prefetch_factor = 2;
  };
}

std::optional<ExternalFinding> found_in(const PythonRun& run) {
  const Findings f = run.findings();
  for (const ExternalFinding& found : f.external.findings)
    if (found.fault == ExternalFault::uneven) return found;
  return std::nullopt;
}

// In order, two come every 40 ms. As they are ready, each worker makes slow ones and quick ones: 25
// ms each, of two workers 12.5.
TEST_CASE(
    "external: batches that wait for a slower one before them cost what in_order=False would save",
    "[unit][analysis]") {
  PythonRun run;
  run.loader_alone(2, 20, taking({40, 10}));
  const auto found = found_in(run);
  REQUIRE(found);
  CHECK(found->ms->value == Approx(7.5).epsilon(0.1));
  CHECK(found->can_be_any_order);
  CHECK(found->slowest_ms == Approx(40));
  CHECK(found->median_ms == Approx(10));
  CHECK(found->where == "train.py:44");
  PythonRun old;
  old.loader_alone(2, 20, taking({40, 10}, std::nullopt));
  REQUIRE(found_in(old));
  CHECK_FALSE(found_in(old)->can_be_any_order);
}

// Of a stream each worker keeps its own: 1/40 and 1/10 a millisecond come, one every 8 ms.
TEST_CASE("external: of a stream the quick worker would not wait for the slow one",
          "[unit][analysis]") {
  PythonRun run;
  run.loader_alone(2, 20, [](Facts& f) { taking({40, 10})(f), f.external->streams = true; });
  REQUIRE(found_in(run));
  CHECK(found_in(run)->ms->value == Approx(12).epsilon(0.1));
  PythonRun without_data, unseen;
  // The third worker has no data.
  without_data.loader_alone(3, 20,
                            [](Facts& f) { taking({40, 10})(f), f.external->streams = true; });
  CHECK(found_in(without_data));
  unseen.loader_alone(3, 20, taking({40, 10}));  // in turn, all have some
  CHECK_FALSE(found_in(unseen));
}

TEST_CASE("external: uneven samples are not named where nothing is to be had by another order",
          "[unit][analysis]") {
  PythonRun even, any_order, fed, busy, unlike, few;
  even.loader_alone(2, 20, taking({40, 40}));
  any_order.loader_alone(2, 20, taking({40, 10}, false));
  fed.pipeline(2, 20, 0.5, taking({40, 10}));  // the step waits for half a millisecond only
  // 7.9 s of the 8 s that four cores have.
  busy.loader_alone(2, 20,
                    [](Facts& f) { taking({40, 10})(f), f.cpu.user_s = 7.9, f.cpu.system_s = 0; });
  unlike.loader_alone(2, 20, taking({400, 100}));  // would be 200 ms a step
  few.loader_alone(2, 20, [](Facts& f) {
    taking({40, 10})(f);
    for (ExternalWorker& w : f.external->workers) w.made_ns.resize(15);
  });
  for (const PythonRun* run : {&even, &any_order, &fed, &busy, &unlike, &few})
    CHECK_FALSE(found_in(*run));
}

TEST_CASE("external: a tail that other programs made is no reason for another order",
          "[unit][analysis]") {
  const auto beside = [](double cores, double delay_ms) {
    return [=](Facts& f) {
      taking({40, 10})(f);
      f.cpu.others_s = cores * static_cast<double>(f.window.ns) * 1e-9;
      f.external->core_wait_loader_ns = ms(delay_ms * static_cast<double>(f.window.steps));
    };
  };
  PythonRun quiet, loaded, waited, waited_little;
  quiet.loader_alone(2, 20, beside(0.1, 0));
  loaded.loader_alone(2, 20, beside(0.5, 0));
  // Both workers together wait 15 ms a step for a core: 7.5 ms a batch, which is all of the gain.
  waited.loader_alone(2, 20, beside(0.1, 15));
  waited_little.loader_alone(2, 20, beside(0.1, 5));
  CHECK(found_in(quiet));
  CHECK_FALSE(found_in(loaded));
  CHECK_FALSE(found_in(waited));
  REQUIRE(found_in(waited_little));
  CHECK(found_in(waited_little)->ms->value == Approx(5).epsilon(0.1));
}

}  // namespace benchbench::uneven_samples_test
