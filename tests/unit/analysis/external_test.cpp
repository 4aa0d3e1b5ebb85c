// Each fault of a loader in the user's Python, put in with a known cost, and a control in which
// nothing is wrong.
#include <catch2/catch.hpp>
#include <functional>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/job.h"
#include "harness/analysis/faults/external_findings.h"
#include "tests/unit/analysis/python_run.h"

namespace benchbench::external_test {

using test::Kinds;
using test::kinds;
using test::leave_idle;
using test::ms;
using test::near;
using test::only;
using test::PythonRun;

TEST_CASE("external: a loader with nothing wrong has no finding, in any way and mode",
          "[unit][analysis]") {
  for (const std::uint32_t workers : {0u, 1u, 2u, 4u, 8u}) {
    PythonRun alone, together;
    alone.loader_alone(workers, 20);
    together.pipeline(workers, 20, 12);
    CHECK(kinds(alone.findings()) == Kinds{});
    CHECK(kinds(together.findings()) == Kinds{});
  }
}

// Four workers that take 40 ms a batch make one every 10 ms; two of them, one every 20 ms.
TEST_CASE("external: workers without data cost what they would have made", "[unit][analysis]") {
  PythonRun run;
  run.loader_alone(4, 20, [](Facts& f) { leave_idle(f, 2); });
  const ExternalFinding found = only(run);
  CHECK(found.fault == ExternalFault::idle_workers);
  CHECK(near(found.ms->value, 10));
  CHECK(found.ms->n == 5);
  CHECK(found.ms->low > 0);
  CHECK(found.idle == 2);
  CHECK(found.workers == 4);
  CHECK(found.where == "train.py:31");
}

// The step takes 16 ms by itself: of 20 ms only 4 are to be had.
TEST_CASE("external: of a pipeline, workers without data cost no more than the wait",
          "[unit][analysis]") {
  PythonRun run;
  run.pipeline(4, 20, 4, [](Facts& f) { leave_idle(f, 2); });
  CHECK(near(only(run).ms->value, 4));
  CHECK(only(run).mode == Mode::pipeline);
  PythonRun fed;  // the trainer never waits: no worker is missed
  fed.pipeline(4, 20, 0.1, [](Facts& f) { leave_idle(f, 3); });
  CHECK(kinds(fed.findings()) == Kinds{});
}

// Steps of 20 ms, of which the trainer alone takes 17: a loader that is never waited for would give
// back 3.
TEST_CASE("external: of a pipeline, workers without data cost no more than the loader does",
          "[unit][analysis]") {
  PythonRun run;
  run.noise = 0;
  const auto p = run.point({}, run.python_settings(4));
  run.fill(run.trial(p, Mode::loader), [&] { return run.self_timed(20, 4); }, {});
  run.fill(run.trial(p, Mode::trainer), [&] { return run.facts(ExternalWay::replayed, 17, 0, 0); },
           {});
  run.fill(
      run.trial(p, Mode::pipeline), [&] { return run.facts(ExternalWay::all_there, 20, 8, 4); },
      [](Facts& f) { leave_idle(f, 2); });
  CHECK(only(run).ms->value == Approx(3));
}

TEST_CASE("external: workers without data cost nothing that the cores could not give",
          "[unit][analysis]") {
  PythonRun full, half;  // 20 ms a step on 4 cores are 80 ms of CPU time
  full.loader_alone(4, 20,
                    [](Facts& f) { leave_idle(f, 2), f.cpu.user_s = 8, f.cpu.system_s = 0; });
  half.loader_alone(4, 20,
                    [](Facts& f) { leave_idle(f, 2), f.cpu.user_s = 5, f.cpu.system_s = 1; });
  CHECK(kinds(full.findings()) == Kinds{});
  CHECK(near(only(half).ms->value, 5));  // 15 ms of each step are CPU time on every core
}

TEST_CASE(
    "external: who delivers is seen by batches alone, too, and named is what makes the samples",
    "[unit][analysis]") {
  PythonRun run, recovered;
  run.loader_alone(4, 20, [](Facts& f) {
    leave_idle(f, 2), f.external->kind = "Dataset", f.external->where = "train.py:9";
    for (ExternalWorker& w : f.external->workers) w.samples = 0;
  });
  CHECK(only(run).idle == 2);
  CHECK(only(run).where == "train.py:31");
  int round = 0;
  recovered.rounds = 20;
  recovered.loader_alone(4, 20, [&](Facts& f) {
    if (++round < 20) leave_idle(f, 2);
  });
  CHECK(kinds(recovered.findings()) == Kinds{});  // there are none any more
}

TEST_CASE("external: workers that have no batch by number, or none yet, are not named",
          "[unit][analysis]") {
  PythonRun few, early, second_turn;
  few.loader_alone(4, 20, [](Facts& f) {
    leave_idle(f, 2), f.external->epoch_samples = 32, f.external->epoch_batches = 2;
  });
  CHECK(kinds(few.findings()) == Kinds{});
  early.loader_alone(4, 20,
                     [](Facts& f) { f.external->workers = {{16, 1, {}}, {16, 1, {}}, {}, {}}; });
  CHECK(kinds(early.findings()) == Kinds{});
  PythonRun just_one_each;
  just_one_each.loader_alone(4, 20, [](Facts& f) {
    leave_idle(f, 2), f.external->epoch_samples = 64, f.external->epoch_batches = 4;
  });
  CHECK(only(just_one_each).batches_an_epoch == 4);
  // A turn is not over.
  second_turn.loader_alone(
      4, 20, [](Facts& f) { f.external->workers = {{64, 4, {}}, {48, 3, {}}, {}, {}}; });
  CHECK(kinds(second_turn.findings()) == Kinds{});
}

TEST_CASE("external: pages that become private without more being resident are copied ones",
          "[unit][analysis]") {
  constexpr std::int64_t kMiB = 1 << 20;
  const auto memory = [](std::int64_t private_growth, std::int64_t resident_growth) {
    return [=](Facts& f) {
      f.external->memory =
          ExternalMemory{500 * kMiB, private_growth, private_growth, resident_growth, 1600, {}};
    };
  };
  PythonRun run;
  run.loader_alone(2, 20, memory(52 * kMiB, 4 * kMiB));
  const ExternalFinding found = only(run);
  CHECK(found.fault == ExternalFault::copy_on_write);
  CHECK(near(found.bytes->value, 48 * kMiB));
  REQUIRE(found.bytes_an_epoch);
  CHECK(near(found.bytes_an_epoch->value, 96 * kMiB));  // 1600 of 3200 samples
  CHECK_FALSE(found.ms);
  CHECK(found.share == Approx(96.0 / (16 * 1024)));
  PythonRun leak, little, spawned, unknown;
  leak.loader_alone(2, 20, memory(52 * kMiB, 52 * kMiB));  // memory of its own: not this fault
  little.loader_alone(2, 20, memory(kMiB, 0));             // half of the limit, of two workers
  spawned.loader_alone(
      2, 20, [&](Facts& f) { memory(52 * kMiB, 0)(f), f.external->start_method = "spawn"; });
  PythonRun interpreter, just;
  interpreter.loader_alone(2, 20, memory(7 * kMiB, 0));  // 14 MiB by the end of an epoch
  just.loader_alone(2, 20, memory(9 * kMiB, 0));
  CHECK(kinds(leak.findings()) == Kinds{});
  CHECK(kinds(little.findings()) == Kinds{});
  CHECK(kinds(interpreter.findings()) == Kinds{});
  CHECK(only(just).fault == ExternalFault::copy_on_write);
  CHECK(kinds(spawned.findings()) == Kinds{});
  unknown.loader_alone(
      2, 20, [&](Facts& f) { memory(52 * kMiB, 0)(f), f.external->epoch_samples = std::nullopt; });
  CHECK_FALSE(only(unknown).bytes_an_epoch);
  PythonRun bounded;  // of an epoch's 96 MiB at this pace only 10 are left to copy
  bounded.loader_alone(2, 20, [&](Facts& f) {
    memory(52 * kMiB, 4 * kMiB)(f), f.external->memory->shared = 10 * kMiB;
  });
  CHECK(near(only(bounded).bytes_an_epoch->value, 58 * kMiB));
  CHECK(only(bounded).all_copied);
  CHECK_FALSE(found.all_copied);
  PythonRun half;  // followed over half of the window
  half.loader_alone(
      2, 20, [&](Facts& f) { memory(26 * kMiB, 2 * kMiB)(f), f.external->memory->samples = 800; });
  CHECK(near(only(half).bytes->value, 48 * kMiB));
  CHECK(near(only(half).bytes_an_epoch->value, 96 * kMiB));
  PythonRun longer, shrinks;
  // Some samples are beyond the window.
  longer.loader_alone(
      2, 20, [&](Facts& f) { memory(52 * kMiB, 4 * kMiB)(f), f.external->memory->samples = 3200; });
  CHECK(near(only(longer).bytes->value, 48 * kMiB));
  // Memory that was given back was never copied.
  shrinks.loader_alone(2, 20, memory(48 * kMiB, -40 * kMiB));
  CHECK(near(only(shrinks).bytes->value, 48 * kMiB));
  CHECK(only(shrinks).where == "train.py:31");
  PythonRun slow_pace, unknown_start;
  // 60 MiB an epoch, but 1.5 a worker so far.
  slow_pace.loader_alone(
      2, 20, [&](Facts& f) { memory(3 * kMiB, 0)(f), f.external->epoch_samples = 32'000; });
  CHECK(kinds(slow_pace.findings()) == Kinds{});
  unknown_start.loader_alone(
      2, 20, [&](Facts& f) { memory(52 * kMiB, 4 * kMiB)(f), f.external->start_method.clear(); });
  CHECK(only(unknown_start).fault == ExternalFault::copy_on_write);
}

// A full collection of each worker copies what the interpreter has, once.
TEST_CASE("external: pages that were copied at once in the only window are no finding",
          "[unit][analysis]") {
  constexpr std::int64_t kMiB = 1 << 20;
  const auto seen = [&](std::uint32_t rounds, std::int64_t first, std::int64_t later,
                        std::optional<double> steadiness) {
    PythonRun run;
    run.rounds = rounds;
    std::uint32_t round = 0;
    run.loader_alone(2, 20, [&](Facts& f) {
      const std::int64_t copied = (round++ == 0 ? first : later) * kMiB;
      f.external->memory = ExternalMemory{500 * kMiB, copied, copied, 0, 1600, {}, steadiness};
    });
    return kinds(run.findings());
  };
  CHECK(seen(1, 126, 0, 0) == Kinds{});
  CHECK(seen(1, 126, 0, {}) == Kinds{});  // two looks do not show it
  CHECK(seen(1, 126, 0, 0.8) == Kinds{"copy-on-write"});
  CHECK(seen(2, 126, 0, {}) == Kinds{});
  CHECK(seen(2, 126, 120, {}) == Kinds{"copy-on-write"});
}

// 400 ms at each epoch of 200 batches are 2 ms a batch.
TEST_CASE("external: workers that start in every epoch cost their start over its batches",
          "[unit][analysis]") {
  const auto paid = [](bool persistent) {
    return [=](Facts& f) {
      f.epochs.gap_ns = ms(400), f.external->epoch_start_ns = ms(400),
      f.external->persistent_workers = persistent;
    };
  };
  PythonRun run, persistent, alone, long_epoch;
  run.loader_alone(4, 20, paid(false));
  const ExternalFinding found = only(run);
  CHECK(found.fault == ExternalFault::epoch_startup);
  CHECK(near(found.ms->value, 2));
  CHECK(found.batches_an_epoch == 200);
  CHECK(found.where == "train.py:44");
  CHECK_FALSE(found.first_epoch);
  PythonRun wrapped;  // one number of the whole run
  SettingsMap settings = wrapped.python_settings(4);
  settings.set("measure.class", test::words("stretch"));
  wrapped.fill(
      wrapped.trial(wrapped.point({}, settings), Mode::loader),
      [&] { return wrapped.self_timed(20, 4); }, paid(false));
  CHECK(only(wrapped).ms->n == 1);
  CHECK(near(only(wrapped).ms->value, 2));
  CHECK(only(run).ms->n == 5);
  PythonRun counted, stated;  // how long an epoch is, as the run counted it, and as the loader says
  counted.loader_alone(4, 20, [&](Facts& f) {
    paid(false)(f), f.external->epoch_samples = f.external->epoch_batches = std::nullopt,
                    f.epochs.samples = 3200;
  });
  stated.loader_alone(4, 20, [&](Facts& f) {
    paid(false)(f), f.external->epoch_samples = f.epochs.samples = std::nullopt,
                    f.external->epoch_batches = 100;
  });
  CHECK(only(counted).batches_an_epoch == 200);
  CHECK(only(stated).batches_an_epoch == 100);
  // 100 of 400 ms passed while workers made batches that were then there at once.
  PythonRun overlapped;
  overlapped.loader_alone(4, 20, [&](Facts& f) { paid(false)(f), f.epochs.gap_ns = ms(300); });
  CHECK(near(only(overlapped).ms->value, 1.5));
  persistent.loader_alone(4, 20, paid(true));
  // The wait is for no start of theirs.
  CHECK(kinds(persistent.findings()) == Kinds{"epoch gap"});
  alone.loader_alone(0, 20, paid(false));
  CHECK(kinds(alone.findings()) == Kinds{"epoch gap"});
  long_epoch.loader_alone(4, 20,
                          [&](Facts& f) { paid(false)(f), f.external->epoch_samples = 320'000; });
  CHECK(kinds(long_epoch.findings()) == Kinds{});
}

TEST_CASE("external: a beginning under 5 % of its epoch is no finding", "[unit][analysis]") {
  // Epochs of 200 steps of 20 ms take 4 s.
  const auto begins = [](double gap_ms, double start_ms) {
    PythonRun run;
    run.loader_alone(4, 20, [=](Facts& f) {
      f.epochs.gap_ns = ms(gap_ms), f.external->epoch_start_ns = ms(start_ms);
    });
    return kinds(run.findings());
  };
  CHECK(begins(190, 190) == Kinds{});
  CHECK(begins(190, 0) == Kinds{});
  CHECK(begins(230, 230) == Kinds{"start-up each epoch"});
  // Neither part is a twentieth of the epoch; both together are.
  CHECK(begins(300, 150) == Kinds{"start-up each epoch", "epoch gap"});
}

TEST_CASE(
    "external: where no epoch ended, "
    "the first start stands for the others, of workers known not to stay",
    "[unit][analysis]") {
  PythonRun run, unknown;
  run.loader_alone(4, 20, [](Facts& f) { f.external->workers_start_ns = ms(400); });
  CHECK(near(only(run).ms->value, 2));
  CHECK(only(run).first_epoch);
  unknown.loader_alone(4, 20, [](Facts& f) {
    f.external->workers_start_ns = ms(400), f.external->persistent_workers = std::nullopt;
  });
  CHECK(kinds(unknown.findings()) == Kinds{});
}

TEST_CASE("external: the gap between epochs is named without the start-up in it",
          "[unit][analysis]") {
  PythonRun run, both, little;
  run.loader_alone(4, 20, [](Facts& f) {
    f.epochs.gap_ns = ms(400), f.external->epoch_start_ns = ms(10),
    f.external->persistent_workers = true;
  });
  const ExternalFinding found = only(run);
  CHECK(found.fault == ExternalFault::epoch_gap);
  CHECK(near(found.ms->value, 2));
  CHECK(found.persistent);
  both.loader_alone(
      4, 20, [](Facts& f) { f.epochs.gap_ns = ms(1000), f.external->epoch_start_ns = ms(400); });
  CHECK(kinds(both.findings()) == Kinds{"epoch gap", "start-up each epoch"});
  CHECK(near(both.findings().external.findings[0].ms->value, 3));
  little.loader_alone(
      4, 20, [](Facts& f) { f.epochs.gap_ns = ms(60), f.external->epoch_start_ns = ms(10); });
  CHECK(kinds(little.findings()) == Kinds{});
  PythonRun ordinary;  // of 20 batches each is made when it is asked for, the first as the others
  ordinary.loader_alone(
      0, 20, [](Facts& f) { f.epochs.gap_ns = ms(0.5), f.external->epoch_samples = 320; });
  CHECK(kinds(ordinary.findings()) == Kinds{});
}

TEST_CASE("external: an iter() that starts no workers is of the gap", "[unit][analysis]") {
  const auto slow_iter = [](Facts& f) {
    f.epochs.gap_ns = ms(400), f.external->epoch_start_ns = ms(400);
  };
  PythonRun alone, persistent, iterable;
  alone.loader_alone(0, 20, slow_iter);
  persistent.loader_alone(4, 20,
                          [&](Facts& f) { slow_iter(f), f.external->persistent_workers = true; });
  iterable.loader_alone(2, 20, [&](Facts& f) {
    slow_iter(f), f.external->kind = "iterable", f.external->workers.clear(),
                  f.external->persistent_workers = std::nullopt;
  });
  for (const PythonRun* run : {&alone, &persistent, &iterable}) {
    CHECK(only(*run).fault == ExternalFault::epoch_gap);
    CHECK(near(only(*run).ms->value, 2));
  }
  CHECK(only(iterable).workers == 0);
  CHECK(only(persistent).in_iter);
  CHECK(only(persistent).forked);
  CHECK(only(alone).where == "train.py:31");
  CHECK(only(persistent).where == "train.py:44");
  PythonRun starts;  // that is in the start-up
  starts.loader_alone(
      4, 20, [](Facts& f) { f.epochs.gap_ns = ms(1000), f.external->epoch_start_ns = ms(590); });
  REQUIRE(kinds(starts.findings()) == Kinds{"start-up each epoch", "epoch gap"});
  CHECK_FALSE(starts.findings().external.findings[1].in_iter);
  PythonRun partly;
  partly.loader_alone(4, 20, [&](Facts& f) {
    slow_iter(f), f.external->epoch_start_ns = ms(190), f.external->persistent_workers = true;
  });
  CHECK_FALSE(only(partly).in_iter);
  PythonRun first_batch;
  first_batch.loader_alone(4, 20, [](Facts& f) {
    f.epochs.gap_ns = ms(400), f.external->epoch_start_ns = ms(40),
    f.external->start_method = "spawn";
  });
  CHECK_FALSE(only(first_batch).in_iter);
  CHECK_FALSE(only(first_batch).forked);
}

TEST_CASE("external: tensors in memory cost what indexing them would not", "[unit][analysis]") {
  PythonRun run, copies, fed;
  run.loader_alone(2, 20, [](Facts& f) { f.external->direct_ns = ms(2); });
  CHECK(only(run).fault == ExternalFault::in_memory);
  CHECK(near(only(run).ms->value, 18));
  CHECK(only(run).direct_ms == Approx(2));
  // Indexing takes as long.
  copies.loader_alone(0, 20, [](Facts& f) { f.external->direct_ns = ms(20); });
  CHECK(kinds(copies.findings()) == Kinds{});
  fed.pipeline(2, 20, 0.1, [](Facts& f) { f.external->direct_ns = ms(2); });
  CHECK(kinds(fed.findings()) == Kinds{});
}

TEST_CASE("external: generators that draw alike are named, without a cost in time",
          "[unit][analysis]") {
  const auto draws = [](std::uint32_t workers, bool every_epoch) {
    return [=](Facts& f) {
      f.external->same_draws = {
          {"self.rng (numpy Generator)", "train.py:12", workers, every_epoch}};
    };
  };
  PythonRun run, each_epoch, single, none;
  run.loader_alone(4, 20, draws(4, true));
  CHECK(only(run).fault == ExternalFault::same_draws);
  CHECK(only(run).share == Approx(0.75));
  CHECK(only(run).where == "train.py:12");
  CHECK_FALSE(only(run).ms);
  PythonRun two;
  two.loader_alone(4, 20, [](Facts& f) {
    f.external->same_draws = {{"random", "train.py:8", 2, false}, {"rng", "train.py:12", 4, false}};
  });
  CHECK(only(two).share == Approx(0.75));
  CHECK(only(two).where == "train.py:12");
  each_epoch.loader_alone(1, 20, draws(1, true));
  CHECK(kinds(each_epoch.findings()) == Kinds{"same augmentation"});
  single.loader_alone(1, 20, draws(4, false));
  CHECK(kinds(single.findings()) == Kinds{});
  none.loader_alone(0, 20, draws(4, false));
  CHECK(kinds(none.findings()) == Kinds{});
}

TEST_CASE("external: what rounds do not agree on, and what is under 2 % of the step, is not named",
          "[unit][analysis]") {
  PythonRun apart, little;
  int round = 0;
  apart.loader_alone(
      4, 20, [&](Facts& f) { f.external->workers_start_ns = ++round % 5 == 0 ? ms(2000) : 0; });
  CHECK(kinds(apart.findings()) == Kinds{});
  little.loader_alone(4, 20, [](Facts& f) { f.external->workers_start_ns = ms(70); });
  CHECK(kinds(little.findings()) == Kinds{});
}

TEST_CASE("external: nothing is named where nothing was measured, or no trial may be used",
          "[unit][analysis]") {
  PythonRun bare, iterable, failed, replayed;
  bare.loader_alone(4, 20, [](Facts& f) {
    const ExternalWay way = f.external->way;
    f.external.emplace(), f.external->way = way, f.external->kind = "Dataset";
  });
  iterable.loader_alone(0, 20, [](Facts& f) {
    f.external->kind = "iterable", f.external->workers.clear(),
    f.external->epoch_samples = f.external->epoch_batches = std::nullopt;
  });
  CHECK(kinds(bare.findings()) == Kinds{});
  CHECK(bare.findings().external.points.size() == 1);
  CHECK(kinds(iterable.findings()) == Kinds{});
  CHECK(iterable.findings().points.front().own_workers);
  failed.loader_alone(4, 20, [](Facts& f) { leave_idle(f, 2); });
  for (TrialRecord& r : failed.records) r.status = Status::failed;
  CHECK(kinds(failed.findings()) == Kinds{});
  CHECK(failed.findings().external.points.empty());
  CHECK_FALSE(failed.findings().external.any);
  replayed.loader_alone(
      4, 20, [](Facts& f) { leave_idle(f, 2), f.external->way = ExternalWay::replayed; });
  CHECK(kinds(replayed.findings()) == Kinds{});
  CHECK(replayed.findings().external.any);
}

TEST_CASE("external: what costs most comes first", "[unit][analysis]") {
  PythonRun run;
  run.loader_alone(4, 20, [](Facts& f) {
    leave_idle(f, 1), f.external->workers_start_ns = ms(1000),
                      f.external->same_draws = {{"rng", "", 4, false}};
  });
  CHECK(kinds(run.findings()) ==
        Kinds{"same augmentation", "workers without data", "start-up each epoch"});
}

TEST_CASE("external: what was seen of the loader, a batch and a step, as means of the rounds",
          "[unit][analysis]") {
  PythonRun run;
  run.noise = 0;
  run.loader_alone(4, 20, [](Facts& f) {
    f.external->getitem = ExternalTime{ms(6000), 1600};
    f.external->collate = ExternalTime{ms(300), 100};
    f.external->pin = ExternalTime{0, 0};
    f.external->core_wait_main_ns = ms(50);
    f.external->memory = ExternalMemory{100, 3200, 0, 0, 1600, {}};
    f.start.first_batch_ns = ms(250);
  });
  const ExternalPoint p = run.findings().external.points.at(0);
  CHECK(*p.getitem_ms == Approx(60));
  CHECK(*p.collate_ms == Approx(3));
  CHECK_FALSE(p.pin_ms);  // never: not measured
  CHECK_FALSE(p.handover_ms);
  CHECK(*p.core_wait_main_ms == Approx(0.5));
  CHECK(*p.first_batch_ms == Approx(250));
  CHECK(*p.growth_per_sample_bytes == Approx(2));
  CHECK(p.rounds == 5);
  CHECK(p.workers == 4);
}

// 60 ms in __getitem__ and 3 in the collate function a batch, over three times the batches of the
// window.
TEST_CASE(
    "external: of batches that are handed over, times a batch are over those that were counted",
    "[unit][analysis]") {
  PythonRun run;
  run.noise = 0;
  run.pipeline(4, 20, 12, [](Facts& f) {
    f.external->way = ExternalWay::hand_over;
    f.external->getitem = ExternalTime{ms(18'000), 4800};
    f.external->collate = ExternalTime{ms(900), 300};
    f.external->handover = ExternalTime{ms(290), 290};
    f.external->hooks_ns = ms(30);
  });
  const ExternalPoint p = run.findings().external.points.at(0);
  CHECK(*p.getitem_ms == Approx(60));
  CHECK(*p.collate_ms == Approx(3));
  CHECK(*p.handover_ms == Approx(1));
  CHECK(*p.hooks_ms == Approx(0.1));
}

TEST_CASE("external: the ways of all modes are known, ablations apart", "[unit][analysis]") {
  PythonRun run;
  run.loader_alone(2, 20);
  const auto t = run.trial(0, Mode::trainer);
  run.fill(
      t, [&] { return run.facts(ExternalWay::replayed, 10, 0, 0); },
      [](Facts& f) { f.external->trainer_call = "train.py:train_step"; });
  const auto ways = run.findings().external.ways;
  CHECK(ways[0] == std::vector{ExternalWay::self_timed});
  CHECK(ways[1] == std::vector{ExternalWay::replayed});
  CHECK(ways[2].empty());
  CHECK(run.findings().external.loaders == std::vector<std::string>{"python"});
}

}  // namespace benchbench::external_test
