// What other depths would make of a step, recomputed from what batches took in the workers.
#include <catch2/catch.hpp>

#include "harness/analysis/rates/delivery.h"
#include "tests/unit/analysis/python_run.h"

namespace benchbench::depth_test {

using test::ms;
using test::PythonRun;

MadeTimes made(std::vector<std::vector<double>> of_each) {
  MadeTimes m{std::move(of_each), {}, false};
  for (std::size_t turn = 0; turn < m.of_each.front().size(); ++turn)
    for (const auto& times : m.of_each) m.all.push_back(times[turn]);
  return m;
}

MadeTimes exponential(std::size_t workers, double mean) {
  Random random{5};
  std::vector<std::vector<double>> of_each(workers);
  for (auto& times : of_each)
    for (int i = 0; i < 4096; ++i) times.push_back(random.exponential(mean));
  return made(std::move(of_each));
}

// p/W where the workers bind, c where the trainer does; any depth of 1 and more.
TEST_CASE("delivery: batches that all take as long make steps of the slower side",
          "[unit][analysis]") {
  const MadeTimes two = made({std::vector<double>(64, 30), std::vector<double>(64, 30)});
  for (const bool in_order : {true, false})
    for (const std::uint32_t depth : {1u, 2u, 8u}) {
      CHECK(delivered_step_ms(two, {2, depth, in_order}, 10) == Approx(15));
      CHECK(delivered_step_ms(two, {2, depth, in_order}, 20) == Approx(20));
      CHECK(delivered_step_ms(two, {1, depth, in_order}, 10) == Approx(30));
      // 512 batches are no whole turns of six.
      CHECK(delivered_step_ms(two, {6, depth, in_order}, 1) == Approx(5).epsilon(0.01));
    }
}

// A worker makes a slow batch and then a quick one, two workers half a turn apart: one batch ahead
// of each hides less than two.
TEST_CASE("delivery: what a depth hides of batches that come in turns, by hand",
          "[unit][analysis]") {
  // One worker, 10 and 30 ms by turns, a step of 20 ms. Ahead by one: the next batch is begun when
  // one is got, so that a slow one makes its step wait 10 ms: steps of 30 and 20. Ahead by two, it
  // is made up for.
  const MadeTimes turns = made({{10, 30, 10, 30, 10, 30, 10, 30, 10, 30, 10, 30, 10, 30, 10, 30,
                                 10, 30, 10, 30, 10, 30, 10, 30, 10, 30, 10, 30, 10, 30, 10, 30}});
  CHECK(delivered_step_ms(turns, {1, 1, true}, 20) == Approx(25));
  CHECK(delivered_step_ms(turns, {1, 2, true}, 20) == Approx(20));
}

// MEASUREMENT of the queue: one worker, n ahead, both exponential with mean 1; here the step is
// constant, so that less is lost.
TEST_CASE("delivery: deeper is never slower, and any order never slower than in order",
          "[unit][analysis]") {
  const MadeTimes times = exponential(4, 40);
  double last = 1e9;
  for (const std::uint32_t depth : {1u, 2u, 4u, 8u, 16u}) {
    const double in_order = delivered_step_ms(times, {4, depth, true}, 11),
                 any = delivered_step_ms(times, {4, depth, false}, 11);
    CHECK(in_order <= last * 1.001);
    CHECK(any <= in_order * 1.001);
    last = in_order;
  }
  CHECK(last < 11.6);
  CHECK(delivered_step_ms(times, {4, 1, true}, 11) > 15);
}

PythonRun::Change recorded(double mean, std::uint32_t prefetch) {
  return [=](Facts& f) {
    Random random{3};
    for (ExternalWorker& w : f.external->workers)
      for (int i = 0; i < 64; ++i) w.made_ns.push_back(ms(random.exponential(mean)));
    f.external->streams = false, f.external->in_order = true,
    f.external->prefetch_factor = prefetch;
  };
}

const ForetoldStep* step_with(const DepthForetold& d, std::uint32_t workers, std::uint32_t prefetch,
                              bool in_order) {
  for (const ForetoldStep& s : d.steps)
    if (s.workers == workers && s.prefetch == prefetch && s.in_order == in_order) return &s;
  return nullptr;
}

// Steps of 12 ms that wait `waits` of it, two workers.
std::optional<DepthForetold> foretold(double waits, const PythonRun::Change& change,
                                      Mode mode = Mode::pipeline) {
  PythonRun run;
  run.noise = 0;
  if (mode == Mode::pipeline)
    run.pipeline(2, 12, waits, change);
  else
    run.loader_alone(2, 12, change);
  const Findings f = run.findings();
  return f.depths.empty() ? std::nullopt : std::optional(f.depths.front());
}

TEST_CASE(
    "depth: of a pipeline whose recorded times give its step, every depth, order and fewer workers",
    "[unit][analysis]") {
  const auto d = foretold(0.1, recorded(10, 8));
  REQUIRE(d);
  CHECK(d->trainer_ms == Approx(11.9));
  CHECK(d->measured.prefetch == 8);
  CHECK(d->measured_ms == Approx(12));
  CHECK(std::abs(d->off()) < 0.05);
  CHECK(d->steps.size() == 2 * 5 * 2);
  REQUIRE(step_with(*d, 2, 1, true));
  CHECK(step_with(*d, 2, 1, true)->step_ms > 12.5);
  CHECK(step_with(*d, 2, 16, true)->step_ms <= step_with(*d, 2, 1, true)->step_ms);
  CHECK(step_with(*d, 1, 2, true)->constant_ms >= 9);
  for (const ForetoldStep& s : d->steps) CHECK(s.constant_ms <= s.exponential_ms + 1e-9);
}

TEST_CASE("depth: a step that the recorded times do not give foretells nothing",
          "[unit][analysis]") {
  const auto d = foretold(6, recorded(10, 8));  // by its times it would wait for hardly anything
  REQUIRE(d);
  CHECK(d->steps.empty());
  CHECK(d->off() < -0.2);
}

TEST_CASE("depth: what handing over a batch takes is the trainer's process's, whatever the depth",
          "[unit][analysis]") {
  const auto d = foretold(1, [](Facts& f) {
    recorded(2, 8)(f);
    f.external->handover = ExternalTime{ms(100), 100};  // 1 ms a batch
  });
  REQUIRE(d);
  CHECK(d->trainer_ms == Approx(12));
  CHECK(d->off() == Approx(0).margin(0.01));
}

TEST_CASE("depth: no other order for batches that other programs made late", "[unit][analysis]") {
  const auto open = [](double others, double delay_ms) {
    return foretold(1,
                    [=](Facts& f) {
                      recorded(10, 8)(f);
                      f.cpu.others_s = others * static_cast<double>(f.window.ns) * 1e-9;
                      f.external->core_wait_loader_ns =
                          ms(delay_ms * static_cast<double>(f.window.steps));
                    })
        ->can_be_any_order;
  };
  CHECK(open(0.1, 0));
  CHECK_FALSE(open(0.3, 0));
  CHECK(open(0, 1));  // half a millisecond of each worker in a step of 12
  CHECK_FALSE(open(0, 2));
}

TEST_CASE("depth: one round that other programs disturbed counts, of however many",
          "[unit][analysis]") {
  PythonRun run;
  run.noise = 0;
  run.rounds = 40;
  int round = 0;
  run.pipeline(2, 12, 1, [&](Facts& f) {
    recorded(10, 8)(f);
    if (round++ == 1) f.cpu.others_s = 0.3 * static_cast<double>(f.window.ns) * 1e-9;
  });
  const Findings f = run.findings();
  REQUIRE(f.depths.size() == 1);
  CHECK_FALSE(f.depths.front().can_be_any_order);
}

TEST_CASE("depth: without times of batches, or without a step, nothing is said",
          "[unit][analysis]") {
  CHECK_FALSE(foretold(1, {}));
  CHECK_FALSE(foretold(1, recorded(10, 8), Mode::loader));
}

}  // namespace benchbench::depth_test
