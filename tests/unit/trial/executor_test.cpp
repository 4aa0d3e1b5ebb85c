#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {
namespace executor {

TrialRecord simulated(std::string_view loader, std::string_view trainer,
                      TrialOfMocks::Changes changes) {
  return run_simulated(TrialOfMocks(loader, trainer, changes).trial());
}

StageTotal stage_of(const Facts& facts, Stage stage) {
  return facts.window.stages[static_cast<std::size_t>(stage)];
}

void check_accounting(const Facts& f) {
  CHECK(f.accounting.issued ==
        f.accounting.delivered + f.accounting.dropped + f.accounting.in_flight);
  CHECK(f.accounting.duplicated == 0);
  CHECK(f.accounting.missing == 0);
  CHECK(f.accounting.delivered >= f.window.samples);
}

}  // namespace executor
using namespace executor;

TEST_CASE("executor: constant times give the exact rate, loader bound", "[unit][trial]") {
  const TrialRecord record =
      simulated("synthetic", "timed", {{"loader.batch_time", "6ms"}, {"trainer.step_time", "2ms"}});
  INFO(reasons_of(record));
  REQUIRE(record.status == Status::valid);
  const Facts& f = record.facts;
  // Two workers of 6 ms a batch: two batches of 4 every 6 ms, and a window of whole pairs.
  CHECK(f.window.ns >= 1'000'000'000);
  CHECK(f.window.ns == 3'000'000 * static_cast<std::int64_t>(f.window.steps));
  CHECK(f.window.burst == 2);
  CHECK(f.window.steps % 2 == 0);
  CHECK(f.window.samples == 4 * f.window.steps);
  CHECK(f.start.steady);
  CHECK(f.window.step.p50 == 2e6);
  // The first and the last pair are left out. A pair's steps take 4 of its 6 ms: one of its two
  // waits is 2 ms, the other none.
  CHECK(f.window.get_blocked.n == f.window.steps - 4);
  CHECK(f.window.get_blocked.mean == 1e6);
  CHECK(f.simulated);
  CHECK(f.parts.slots == f.parts.max_jobs + 1);
  CHECK(record.raw_series.at("step").size() == f.window.steps);
  check_accounting(f);
}

TEST_CASE("executor: the host timeline adds up to the window", "[unit][trial]") {
  const Facts f =
      simulated("synthetic", "timed", {{"loader.batch_time", "7ms"}, {"trainer.step_time", "2ms"}})
          .facts;
  CHECK(stage_of(f, Stage::get_blocked).ns + stage_of(f, Stage::forward).ns == f.window.ns);
  CHECK(stage_of(f, Stage::forward).count == f.window.steps);
  CHECK(f.workers.wall_ns == 2 * f.window.ns);
  CHECK(f.workers.fill_ns + f.workers.slot_wait_ns + f.workers.queue_ns == f.workers.wall_ns);
  CHECK(f.workers.slot_wait_ns == 0);  // loader bound: never short of a credit
}

TEST_CASE("executor: trainer bound, the workers wait for tokens and the trainer for nothing",
          "[unit][trial]") {
  const Facts f =
      simulated("synthetic", "timed", {{"loader.batch_time", "1ms"}, {"trainer.step_time", "5ms"}})
          .facts;
  CHECK(stage_of(f, Stage::get_blocked).ns == 0);
  CHECK(f.window.ns == static_cast<std::int64_t>(f.window.steps) * 5'000'000);
  CHECK(static_cast<double>(f.workers.slot_wait_ns) / static_cast<double>(f.workers.wall_ns) ==
        Approx(0.9).margin(0.01));
}

TEST_CASE("executor: with no workers the load lies within get_blocked", "[unit][trial]") {
  const Facts f =
      simulated(
          "synthetic", "timed",
          {{"loader.num_workers", "0"}, {"loader.batch_time", "3ms"}, {"trainer.step_time", "2ms"}})
          .facts;
  CHECK(f.window.ns == static_cast<std::int64_t>(f.window.steps) * 5'000'000);
  CHECK(stage_of(f, Stage::get_blocked).ns ==
        static_cast<std::int64_t>(f.window.steps) * 3'000'000);
  CHECK(f.workers.fill_ns == static_cast<std::int64_t>(f.window.steps) * 3'000'000);
  CHECK(f.workers.fill_ns == f.workers.wall_ns);
  CHECK(f.workers.count == 0);
  check_accounting(f);
}

TEST_CASE("executor: observer level 0 counts and nothing else", "[unit][trial]") {
  const TrialRecord record =
      simulated("synthetic", "timed", {{"measure.observer", "0"}, {"trainer.step_time", "5ms"}});
  REQUIRE(record.status == Status::valid);
  CHECK(record.facts.window.steps == 200);
  CHECK(record.facts.window.pace_range_ns == 0);  // what the rate's interval needs
  CHECK(record.facts.window.get_blocked.n == 0);
  CHECK(stage_of(record.facts, Stage::forward).count == 0);
  CHECK(record.raw_series.empty());
  check_accounting(record.facts);
}

TEST_CASE("executor: observer level 2 keeps single values", "[unit][trial]") {
  const TrialRecord record =
      simulated("synthetic", "timed", {{"measure.observer", "2"}, {"trainer.step_time", "5ms"}});
  REQUIRE(record.raw_series.count("value_forward") == 1);
  CHECK(record.raw_series.at("value_forward").size() == record.facts.window.steps);
  CHECK(record.raw_series.at("value_forward").front() == 5'000'000);
  // They become files, and the store takes no others.
  for (const auto& [name, values] : record.raw_series) {
    INFO(name);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
  }
}

TEST_CASE("executor: window and warm-up are as asked", "[unit][trial]") {
  SECTION("by time") {
    const Facts f =
        simulated("synthetic", "timed", {{"measure.window", "2s"}, {"trainer.step_time", "10ms"}})
            .facts;
    CHECK(f.window.ns == 2'000'000'000);
    CHECK(f.window.steps == 200);
  }
  SECTION("by batches, where those take longer") {
    const Facts f = simulated("synthetic", "timed",
                              {{"measure.window", "10ms"},
                               {"measure.window_batches", "20"},
                               {"trainer.step_time", "10ms"}})
                        .facts;
    CHECK(f.window.steps == 20);
  }
  SECTION("a fixed warm-up") {
    const Facts f = simulated("synthetic", "timed",
                              {{"measure.warmup", "300ms"}, {"trainer.step_time", "10ms"}})
                        .facts;
    CHECK(f.start.warmup_ns == 300'000'000);
    CHECK(f.start.warmup_steps == 30);
  }
}

TEST_CASE("executor: a short tail is dropped or handed over, as drop_last says", "[unit][trial]") {
  // Epochs of 10 samples in batches of 4: 2 whole ones and a tail of 2.
  const Facts dropped =
      simulated("synthetic", "timed", {{"loader.samples", "10"}, {"trainer.step_time", "10ms"}})
          .facts;
  CHECK(dropped.accounting.dropped > 0);
  CHECK(dropped.window.samples == 4 * dropped.window.steps);
  check_accounting(dropped);
  const Facts kept = simulated("synthetic", "timed",
                               {{"loader.samples", "10"},
                                {"trainer.step_time", "10ms"},
                                {"loader.drop_last", "false"},
                                {"measure.window", "3s"}})
                         .facts;
  CHECK(kept.accounting.dropped == 0);
  CHECK(kept.window.steps == 300);
  CHECK(kept.window.samples == 1000);  // 3 steps an epoch of 10
  CHECK(kept.epochs.completed >= 100);
  check_accounting(kept);
}

TEST_CASE("executor: an epoch without a whole batch is FAILED with what to do", "[unit][trial]") {
  const TrialRecord record = simulated("synthetic", "timed", {{"loader.samples", "3"}});
  CHECK(record.status == Status::failed);
  CHECK(reasons_of(record).find("an epoch of 3 samples has no full batch of 4") !=
        std::string::npos);
  CHECK(reasons_of(record).find("drop_last: false") != std::string::npos);
}

TEST_CASE("executor: a part that cannot run in virtual time is refused", "[unit][trial]") {
  PartDescription real_time = *built_in_catalog().find(PartKind::loader, "synthetic")->description;
  real_time.simulated = false;
  const auto built_in = built_in_catalog().rows();
  std::vector<PartRow> rows(built_in.begin(), built_in.end());
  for (PartRow& row : rows)
    if (row.description->kind == PartKind::loader && row.description->name == "synthetic")
      row.description = &real_time;
  const Catalog catalog(rows);
  const ExecutorContext context{.catalog = catalog,
                                .environment = {},
                                .dataset = {},
                                .expected_digest = {},
                                .simulated = true,
                                .stop = nullptr,
                                .progress = {}};
  const TrialRecord record =
      run_trial(TrialOfMocks("synthetic", "discard", {}).trial(), {}, context);
  CHECK(record.status == Status::failed);
  INFO(reasons_of(record));
  CHECK(reasons_of(record).find("the loader \"synthetic\" cannot run under the simulated clock") !=
        std::string::npos);
}

TEST_CASE("executor: absent hardware is SKIPPED with the reason", "[unit][trial]") {
  const TrialRecord pinned = simulated("synthetic", "discard", {{"loader.pin_memory", "true"}});
  CHECK(pinned.status == Status::skipped);
  CHECK(reasons_of(pinned).find("pinned") != std::string::npos);
  CHECK(simulated("synthetic", "discard", {{"trainer.device", "cuda:0"}}).status ==
        Status::skipped);
  Trial trial = TrialOfMocks("synthetic", "discard", {}).trial();
  trial.skip = "needs CUDA";
  CHECK(run_simulated(trial).status == Status::skipped);
}

TEST_CASE("executor: an unknown part is FAILED with the nearest spelling", "[unit][trial]") {
  const TrialRecord record = simulated("synthetik", "discard", {});
  CHECK(record.status == Status::failed);
  CHECK(reasons_of(record).find("synthetic") != std::string::npos);
}

// On the real clock, and ended by it after the least timeout there is: each trial would take three
// seconds.
TEST_CASE("executor: a trial that takes too long is FAILED, at its timeout", "[unit][trial]") {
  const auto timed_out = [](std::string_view loader_time, std::string_view step_time) {
    const ExecutorContext context{.catalog = built_in_catalog(),
                                  .environment = {},
                                  .dataset = {},
                                  .expected_digest = {},
                                  .stop = nullptr,
                                  .progress = {}};
    const TrialRecord record = run_trial(TrialOfMocks("synthetic", "timed",
                                                      {{"measure.timeout", "1s"},
                                                       {"loader.batch_time", loader_time},
                                                       {"trainer.step_time", step_time},
                                                       {"measure.warmup", "0s"},
                                                       {"measure.window", "3s"},
                                                       {"measure.window_batches", "1"}})
                                             .trial(),
                                         {}, context);
    CHECK(record.status == Status::failed);
    CHECK(reasons_of(record).find("timed out after 1s") != std::string::npos);
    return record.facts;
  };
  const Facts slow_steps = timed_out("1ms", "300ms");
  CHECK(slow_steps.accounting.delivered <= 16);  // steps begun at 0, 300, 600 and 900 ms
  check_accounting(slow_steps);
  // Also where it is the loader that the trainer waits for.
  CHECK(timed_out("3s", "1ms").accounting.delivered == 0);
}

TEST_CASE("executor: hours of virtual time need no longer timeout", "[unit][trial]") {
  const TrialRecord record = simulated("synthetic", "timed",
                                       {{"loader.batch_time", "1min"},
                                        {"trainer.step_time", "2min"},
                                        {"measure.timeout", "1s"},
                                        {"measure.window", "10h"}});
  INFO(reasons_of(record));
  CHECK(record.status == Status::valid);
  CHECK(record.facts.window.ns >= 10 * 3600 * std::int64_t{1'000'000'000});
}

// One sample in 40 takes 100 ms longer, any other batch 4 ms, and a step 10 ms: one worker stuck in
// a slow batch leaves three that make more than the trainer takes, up to the eight batches that may
// be under way.
TEST_CASE("executor: in order the trainer waits for a slow batch, out of order for none",
          "[unit][trial]") {
  const auto run = [](std::string_view in_order) {
    return simulated("faulty", "timed",
                     {{"loader.samples", "400"},
                      {"loader.height", "2"},
                      {"loader.width", "2"},
                      {"loader.batch_time", "4ms"},
                      {"loader.slow_sample_every", "40"},
                      {"loader.slow_sample_time", "100ms"},
                      {"loader.num_workers", "4"},
                      {"loader.in_order", in_order},
                      {"trainer.step_time", "10ms"},
                      {"measure.window", "4s"},
                      {"measure.warmup", "1s"}})
        .facts;
  };
  const Facts ordered = run("true"), free = run("false");
  // 104 ms, less the steps of seven batches and of the one in hand
  CHECK(ordered.window.get_blocked.max == 24e6);
  CHECK(free.window.get_blocked.max == 0);
  CHECK(free.window.steps == 400);
  CHECK(ordered.window.steps < free.window.steps);
}

TEST_CASE("executor: a stop ends the trial as ABORTED, its books in order", "[unit][trial]") {
  std::atomic<bool> stop{false};
  int reports = 0;
  ExecutorContext context{.catalog = built_in_catalog(),
                          .environment = {},
                          .dataset = {},
                          .expected_digest = {},
                          .simulated = true,
                          .stop = &stop,
                          .progress = {}};
  context.progress = [&](const TrialProgress& progress) {
    reports += progress.phase == Phase::measuring;
    if (reports == 2) stop = true;
  };
  const Trial trial = TrialOfMocks("synthetic", "timed",
                                   {{"measure.window", "100s"}, {"trainer.step_time", "10ms"}})
                          .trial();
  const TrialRecord record = run_trial(trial, {}, context);
  CHECK(record.status == Status::aborted);
  CHECK(record.facts.accounting.delivered > 0);
  check_accounting(record.facts);
}

TEST_CASE("executor: the cached batch is the one its loader made", "[unit][trial]") {
  TrialOfMocks cached("cached_batch", "timed",
                      {{"loader.num_workers", "0"}, {"trainer.step_time", "1ms"}});
  cached.repeat_a_synthetic_batch();
  const TrialRecord trainer_mode = run_simulated(cached.trial());
  INFO(reasons_of(trainer_mode));
  REQUIRE(trainer_mode.status == Status::valid);
  const TrialRecord pipeline = simulated("synthetic", "timed", {{"trainer.step_time", "1ms"}});
  CHECK(trainer_mode.facts.parts.batch_digest.size() == 32);
  CHECK(trainer_mode.facts.parts.batch_digest == pipeline.facts.parts.batch_digest);
  CHECK(trainer_mode.facts.window.steps == 1000);
  CHECK(trainer_mode.facts.window.ns == 1'000'000'000);
  check_accounting(trainer_mode.facts);
}

TEST_CASE("executor: a cached batch that no loader makes is FAILED with what to name instead",
          "[unit][trial]") {
  const TrialRecord record = simulated("cached_batch", "timed", {});
  CHECK(record.status == Status::failed);
  INFO(reasons_of(record));
  CHECK(reasons_of(record).find("cached_batch was given no batch to repeat") != std::string::npos);
  CHECK(reasons_of(record).find("loader.of names the loader that makes it") != std::string::npos);
}

TEST_CASE("executor: an exponential loader is as fast as the chain says", "[unit][trial]") {
  const Facts f = simulated("synthetic", "timed",
                            {{"loader.num_workers", "1"},
                             {"loader.max_jobs", "3"},
                             {"loader.batch_time", "1ms"},
                             {"loader.distribution", "exponential"},
                             {"trainer.step_time", "1ms"},
                             {"trainer.distribution", "exponential"},
                             {"measure.window", "100s"}})
                      .facts;
  CHECK(static_cast<double>(f.window.steps) / 100e3 == Approx(0.8).epsilon(0.01));  // W = 1, B = 2
}

TEST_CASE("executor: 180,000 steps with 8 workers in virtual time", "[unit][trial]") {
  const auto start = std::chrono::steady_clock::now();
  const TrialRecord record = simulated("synthetic", "timed",
                                       {{"loader.num_workers", "8"},
                                        {"loader.batch_size", "1"},
                                        {"loader.samples", "8192"},
                                        {"loader.fill", "none"},
                                        {"loader.batch_time", "8ms"},
                                        {"trainer.step_time", "1ms"},
                                        {"measure.window", "180s"}});
  const Facts& f = record.facts;
  INFO(reasons_of(record));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  WARN("180,000 steps in virtual time took " << seconds << " s");
  CHECK(f.window.steps >= 180'000);
  CHECK(f.window.samples == f.window.steps);
}

}  // namespace benchbench::test
