// Waits for a core: of pools of threads in workers, of a step's threads, of a limit that is
// misread.
#include <catch2/catch.hpp>

#include "harness/analysis/faults/external_findings.h"
#include "tests/unit/analysis/python_run.h"

namespace benchbench::cores_test {

using test::Kinds;
using test::kinds;
using test::ms;
using test::near;
using test::only;
using test::PythonRun;

// In 100 steps each of 2 workers waits 0.4 s for a core, 4 ms a step, and the main process 0.1 s.
// One thread that runs is of the main process.
void wait_for_cores(Facts& f, double runnable) {
  f.external->core_wait_loader_ns = ms(800), f.external->core_wait_main_ns = ms(100);
  f.external->runnable_mean = runnable, f.external->runnable_max = runnable + 4;
  f.external->runnable_workers_mean = runnable - 1;
}

void clear_from(Facts& f, std::size_t first) {
  for (std::size_t w = first; w < f.external->workers.size(); ++w) f.external->workers[w] = {};
}

TEST_CASE("external: pools of threads in workers cost what is waited for a core",
          "[unit][analysis]") {
  PythonRun run, processes, idle, short_one, fed, unseen, of_main;
  run.loader_alone(2, 20, [](Facts& f) { wait_for_cores(f, 16); });
  const ExternalFinding found = only(run);
  CHECK(found.fault == ExternalFault::threads);
  CHECK(near(found.ms->value, 5));
  CHECK(found.runnable == Approx(16));
  CHECK(found.runnable_workers == Approx(15));
  CHECK_FALSE(found.of_step);
  PythonRun as_many;  // two workers and the main process, on four cores
  as_many.loader_alone(2, 20, [](Facts& f) { wait_for_cores(f, 4); });
  CHECK(kinds(as_many.findings()) == Kinds{});
  // One thread each: they were asked for.
  processes.loader_alone(8, 20, [](Facts& f) { wait_for_cores(f, 9); });
  CHECK(kinds(processes.findings()) == Kinds{});
  // A worker's own threads are two, of which one sends its batches.
  of_main.loader_alone(
      2, 20, [](Facts& f) { wait_for_cores(f, 16), f.external->runnable_workers_mean = 2.4; });
  CHECK(kinds(of_main.findings()) == Kinds{});
  // Six of eight have no data: only two wait.
  const auto two_have_data = [](Facts& f) {
    wait_for_cores(f, 7);
    clear_from(f, 2);
    f.external->workers[0].batches = f.external->workers[1].batches = 50;
  };
  idle.loader_alone(8, 20, two_have_data);
  const ExternalFindings of_idle = idle.findings().external;
  const auto pools =
      std::ranges::find(of_idle.findings, ExternalFault::threads, &ExternalFinding::fault);
  REQUIRE(pools != of_idle.findings.end());
  CHECK(near(pools->ms->value, 5));
  short_one.loader_alone(8, 20, [](Facts& f) {
    wait_for_cores(f, 7), f.external->workers[0].batches = 2, clear_from(f, 1);
  });
  CHECK(kinds(short_one.findings()) == Kinds{});  // not every worker had its turn
  // The workers' waits hold nothing up.
  fed.pipeline(2, 20, 0, [](Facts& f) { wait_for_cores(f, 16); });
  CHECK(near(only(fed).ms->value, 1));
  for (auto ExternalFacts::* threads :
       {&ExternalFacts::runnable_mean, &ExternalFacts::runnable_workers_mean}) {
    unseen.records.clear();
    unseen.loader_alone(
        2, 20, [=](Facts& f) { wait_for_cores(f, 16), (*f.external).*threads = std::nullopt; });
    CHECK(kinds(unseen.findings()) == Kinds{});
  }
}

// A few looks a window: whether workers have pools is of all rounds.
TEST_CASE("external: a round in which pools were not seen takes no finding away",
          "[unit][analysis]") {
  const auto seen_in = [](int rounds) {
    PythonRun run;
    int round = 0;
    run.loader_alone(2, 20, [&](Facts& f) {
      wait_for_cores(f, 6), f.external->runnable_workers_mean = ++round <= rounds ? 4 : 2;
    });
    return kinds(run.findings());
  };
  CHECK(seen_in(4) == Kinds{"oversubscribed threads"});
  CHECK(seen_in(1) == Kinds{});
}

// A step that takes `alone_ms` with two threads, and `own_ms` of 20 ms with its two workers, on two
// cores. Its main thread waits 6 ms for one.
Findings with_step_threads(double alone_ms, double own_ms, const PythonRun::Change& change = {},
                           std::uint32_t rounds = 5) {
  PythonRun run;
  run.noise = 0;
  run.rounds = rounds;
  const auto p = run.point({}, run.python_settings(2));
  const auto seen = [&](Facts& f) {
    f.cpu.cores_available = f.external->cpu_count.emplace(2);
    f.external->threads = 2;
    wait_for_cores(f, 3.9), f.external->runnable_workers_mean = 2.2;
    f.external->core_wait_main_ns = ms(600);
    if (change) change(f);
  };
  run.fill(run.trial(p, Mode::loader), [&] { return run.self_timed(8, 2); }, seen);
  run.fill(run.trial(p, Mode::trainer),
           [&] { return run.facts(ExternalWay::replayed, alone_ms, 0, 0); }, {});
  run.fill(
      run.trial(p, Mode::pipeline),
      [&] { return run.facts(ExternalWay::all_there, 20, 20 - own_ms, 2); }, seen);
  return run.findings();
}

TEST_CASE("external: threads of a step cost what one of them is sure to gain", "[unit][analysis]") {
  const Findings slowed = with_step_threads(4, 13);
  REQUIRE(kinds(slowed) == Kinds{"oversubscribed threads"});
  const ExternalFinding& found = slowed.external.findings.front();
  CHECK(found.of_step);
  // 13 less 4 twice, which five rounds may miss by 7.6 %.
  CHECK(found.ms->value == Approx(4.39).epsilon(0.01));
  CHECK(with_step_threads(1, 13).external.findings.front().ms->value == Approx(6));  // the wait
  // The cores are used, and one thread alone may take longer than the two do now.
  CHECK(kinds(with_step_threads(7, 13)) == Kinds{});
  const auto none = [](const PythonRun::Change& change) {
    return kinds(with_step_threads(4, 13, change)) == Kinds{};
  };
  CHECK(none([](Facts& f) { f.external->core_wait_main_ns = 0; }));
  CHECK(none([](Facts& f) { f.external->threads = 1; }));
  CHECK(none([](Facts& f) { f.external->runnable_mean = 2.1; }));
  CHECK(none([](Facts& f) { f.external->device = "cuda:0"; }));
  CHECK(none([](Facts& f) { f.cpu.cores_available = 4, f.external->runnable_mean = 5; }));
  CHECK(none([](Facts& f) { f.cpu.others_s = 0.3e-9 * static_cast<double>(f.window.ns); }));
  CHECK(none([](Facts& f) { f.external->workers.clear(), f.external->kind = "iterable"; }));
}

// 11.5 ms is the most that one thread takes, of a step's 13. One round may miss T by 28 %.
TEST_CASE("external: threads of a step are named where T is known well enough",
          "[unit][analysis]") {
  const auto named = [](double alone_ms, std::uint32_t rounds) {
    return kinds(with_step_threads(alone_ms, 13, {}, rounds)) == Kinds{"oversubscribed threads"};
  };
  CHECK(named(4, 1));
  CHECK_FALSE(named(5.75, 1));
  CHECK(named(5.75, 5));
  CHECK_FALSE(named(6.3, 5));
}

TEST_CASE(
    "external: a CPU limit is misread where more than it allows is started, and that is waited for",
    "[unit][analysis]") {
  const auto many = [](Facts& f) { wait_for_cores(f, 16), f.external->cpu_count = 64; };
  PythonRun run, few, asleep, whole;
  run.loader_alone(8, 20, [&](Facts& f) { many(f), f.external->core_wait_loader_ns = ms(3200); });
  const ExternalFinding found = only(run);
  CHECK(found.fault == ExternalFault::cpu_limit);
  CHECK(near(found.ms->value, 5));
  CHECK(found.cpu_count == 64);
  CHECK(found.cores == 4);
  few.loader_alone(2, 20, [&](Facts& f) { many(f), f.external->runnable_mean = 3; });
  CHECK(kinds(few.findings()) == Kinds{});
  PythonRun threads;
  threads.loader_alone(
      2, 20, [&](Facts& f) { many(f), f.external->runnable_mean = 3, f.external->threads = 64; });
  CHECK(only(threads).fault == ExternalFault::cpu_limit);
  CHECK(only(threads).threads == 64);
  asleep.loader_alone(8, 20, [&](Facts& f) {
    f.external->cpu_count = 64, f.external->core_wait_loader_ns = f.external->core_wait_main_ns = 0;
  });
  CHECK(kinds(asleep.findings()) == Kinds{});
  whole.loader_alone(8, 20,
                     [&](Facts& f) { many(f), wait_for_cores(f, 9), f.external->cpu_count = 4; });
  CHECK(kinds(whole.findings()) == Kinds{});
  whole.records.clear();
  whole.loader_alone(8, 20, [&](Facts& f) {
    many(f), wait_for_cores(f, 9), f.external->cpu_count = 4, f.cpu.cores_available = 3.5;
  });
  CHECK(kinds(whole.findings()) == Kinds{});  // 3.5 CPUs are four to start threads for
}

TEST_CASE("external: throttled time counts where waits for a core are not known",
          "[unit][analysis]") {
  PythonRun run;  // 2.7 s on 9 CPUs over 100 steps
  run.loader_alone(8, 20, [](Facts& f) {
    f.external->cpu_count = 64, f.cpu.throttled_s = 2.7, f.cpu.cores_available = 1.5;
  });
  const ExternalFinding found = only(run);
  CHECK(found.fault == ExternalFault::cpu_limit);
  CHECK(near(found.ms->value, 3));
  CHECK(found.throttled_ms == Approx(3));
  PythonRun small;  // the nine had four CPUs
  small.loader_alone(8, 20, [](Facts& f) {
    f.external->cpu_count = 4, f.cpu.throttled_s = 1.2, f.cpu.cores_available = 1.5;
  });
  CHECK(near(only(small).throttled_ms, 3));
}

}  // namespace benchbench::cores_test
