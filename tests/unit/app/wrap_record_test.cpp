// Tests what the record of a stretch says.
#include <catch2/catch.hpp>

#include <algorithm>

#include "harness/app/wrap/wrap_record.h"
#include "harness/record/trace_events.h"
#include "harness/store/series_file.h"
#include "tests/unit/app/wrapped_script.h"

namespace benchbench::wrap_kept_test {

TEST_CASE(
    "wrap: the record of a stretch has what was seen of its processes, and T nothing of a loader",
    "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  w.finish();
  WrapPlanned planned;
  planned.why = "a batch takes more than a quarter of the memory that is free";
  for (const WrapKind kind : {WrapKind::full, WrapKind::trainer, WrapKind::loader}) {
    SeenStretch seen = *w.run.stretches(WhichRank::lead).front();
    seen.stretch.kind = kind;
    seen.stretch.result.facts.getitem = seen.stretch.result.facts.collate = ExternalTime{1, 1};
    seen.stretch.result.facts.workers.resize(2);
    seen.started_at = "then";
    seen.tree.emplace().observed = std::chrono::seconds{1};
    seen.tree->runnable_mean = 3;
    seen.tree->runnable_workers_mean = 2;
    seen.memory.emplace().time = std::chrono::seconds{1};
    seen.tree->main_core_wait_ns = 250'000'000, seen.tree->workers_core_wait_ns = 500'000'000;
    seen.tree->most_core_wait_ns = 400'000'000;
    seen.used.emplace().throttled_s = 0.5;
    seen.used->shared = SharedUse{2, 1, {}};  // read a while before and after the stretch of 1 s
    const TrialRecord record =
        record_of(w.kept.plan(), seen, planned, nullptr, observe_environment());
    const ExternalFacts& facts = *record.facts.external;
    const bool loads = kind != WrapKind::trainer;
    CHECK(record.started_at == "then");
    CHECK(facts.runnable_mean == 3.0);
    CHECK(facts.runnable_workers_mean == 2.0);
    CHECK(facts.memory.has_value() == (kind == WrapKind::full));
    CHECK(record.facts.cpu.throttled_s == 0.5);
    CHECK(record.facts.cpu.others_s == 0.5);
    CHECK_FALSE(record.facts.cpu.run_delay_trainer_s);
    CHECK(record.facts.cpu.run_delay_most_s.value() == Approx(0.4));
    CHECK(facts.getitem.has_value() == loads);
    CHECK(facts.collate.has_value() == loads);
    CHECK(facts.workers.size() == (loads ? 2 : 0));
    CHECK(record.environment.cuda == observe_environment().cuda);
    // Why only F was measured.
    CHECK(
        std::ranges::count(record.facts.notices, "neither L nor T was measured: " + planned.why) ==
        (kind == WrapKind::full ? 1 : 0));
  }
}

TEST_CASE("wrap: memory is looked at only where the script runs as it is", "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  for (const SeenStretch* seen : w.run.stretches(WhichRank::lead))
    CHECK(seen->memory.has_value() == (seen->stretch.kind == WrapKind::full));
}

TEST_CASE("wrap: a stretch is judged as any trial is", "[unit][app][wrap]") {
  Wrapped w;
  w.measures(WrapKind::full, 0, [](WrapStretch& brief) {
    brief.result.segments = {{0, 1000}};
    brief.result.steps = 1, brief.result.samples = 4;
    brief.result.get_ns = brief.result.step_ns = {500};
  });
  w.measures(WrapKind::full, 1);
  w.finish();
  CHECK(w.kept.records()[0].status == Status::invalid);
  // The rule of its duration.
  CHECK(std::ranges::find(w.kept.records()[0].reasons, "R07", &Reason::rule) !=
        w.kept.records()[0].reasons.end());
  CHECK(w.kept.records()[1].status == Status::valid);
}

TEST_CASE("wrap: a loop that keeps its batches has no epochs", "[unit][app][wrap]") {
  for (const char* kind : {"batches without a fetch", "snapshots"}) {
    Wrapped w;
    w.measures_round(0);
    WrapEnd end;
    end.reason = WrapReason::answer;
    end.seen = true;
    end.served.facts.noticed.push_back({kind, "itertools.cycle", "train.py:9", 1, 0, 0});
    end.served.facts.epoch_batches = 100;  // of one pass
    w.ends(end);
    w.finish();
    const auto say_epochs = [](const TrialRecord& r) { return r.facts.epochs.samples.has_value(); };
    CHECK(std::ranges::count_if(w.kept.records(), say_epochs) ==
          (kind == std::string("snapshots") ? 2 : 0));  // of F and L
  }
}

TEST_CASE("wrap: with --trace the first F keeps its waits and steps", "[unit][app][wrap]") {
  Wrapped w;
  w.request.traces = true;
  w.measures_round(0);
  w.measures_round(1);
  w.keep();
  w.finish();
  std::size_t traces = 0;
  for (const TrialRecord& record : w.kept.records())
    for (const SeriesFile& series : record.series) {
      if (series.name != "trace") continue;
      ++traces;
      CHECK(record.trial.mode == Mode::pipeline);
      CHECK(record.planned.round == 0);
      const auto events = trace_events(read_series(w.kept.folder(), series));
      REQUIRE(events.size() == 200);
      CHECK(events[2] == TraceEvent{kTraceTrainer, static_cast<std::int64_t>(Stage::get_blocked),
                                    10'000'000, 1'000'000});
      CHECK(events[3] == TraceEvent{kTraceTrainer, kTraceStep, 11'000'000, 9'000'000});
    }
  CHECK(traces == 1);
}

TEST_CASE("wrap: a script that changes the batches that are held for T is said to",
          "[unit][app][wrap]") {
  Wrapped w;
  const auto changes = [](WrapStretch& stretch) {
    stretch.result.facts.distinct = 8;
    stretch.result.facts.changed = 3;
  };
  w.measures(WrapKind::trainer, 0);
  w.measures(WrapKind::trainer, 1, changes);
  w.measures(WrapKind::full, 1, changes);
  w.finish();
  for (const std::size_t i : {0u, 1u, 2u})
    CHECK(w.has_notice(i, "the script changes its batches in place: ") == (i == 1));
}

TEST_CASE("wrap: that workers still worked is said of T alone, and only where they did",
          "[unit][app][wrap]") {
  Wrapped w;
  const auto works = [](WrapStretch& stretch) { stretch.idle = false; };
  w.measures(WrapKind::trainer, 0);
  w.measures(WrapKind::trainer, 1, works);
  w.measures(WrapKind::full, 1, works);
  w.finish();
  for (const std::size_t i : {0u, 1u, 2u})
    CHECK(w.has_notice(i, "the workers had not come to rest") == (i == 1));
}

TEST_CASE("wrap: the record has the device, and that steps on one were never tried",
          "[unit][app][wrap]") {
  Wrapped w, without;
  w.plans(true, [](WrapSteady& p) { p.device = "cuda:1", p.device_name = "NVIDIA H200"; });
  for (Wrapped* each : {&w, &without}) {
    each->measures_round(0);  // T, F, L
    each->finish();
    for (const std::size_t i : {0u, 1u, 2u})
      CHECK(each->has_notice(i, "steps ran on cuda:1: wrap takes the times of steps from events") ==
            (each == &w && i < 2));
  }
  CHECK(w.kept.records()[0].environment.cuda == "NVIDIA H200 (cuda:1, as the script's torch says)");
}

TEST_CASE("wrap: of the copy that was tried the record has its own start, gap and epochs",
          "[unit][app][wrap]") {
  Wrapped w;
  w.request.order.other = {{"num_workers", std::int64_t{4}}};
  w.plans(true, [](WrapSteady& p) {
    p.changed = p.loader;
    p.changed->own["num_workers"] = std::int64_t{4};
    p.dropped = {"in_order false is not applied"};
  });
  w.measures_round(0);
  w.measures(WrapKind::changed_full, 0);
  w.measures(WrapKind::changed_loader, 0);
  WrapEnd end;
  end.reason = WrapReason::answer;
  end.seen = true;
  end.notes = {"seen of the loader"};
  end.served.epochs = 7, end.served.startup_ns = 70, end.served.facts.start_method = "fork",
  end.served.facts.cpu_count = 8;
  end.changed = end.served;
  end.changed->epochs = 5, end.changed->startup_ns = 50, end.changed->first_batch_ns = 40,
  end.changed->facts.start_method = "spawn";
  // The gap is 10 ms more than two mean waits.
  end.changed->epoch_gap_ns = 12'000'000, end.changed->epoch_gap_batches = 2;
  ExternalFacts& known = end.changed->facts;
  known.workers_start_ns = 1, known.epoch_start_ns = 2, known.direct_ns = 3;
  known.same_draws.resize(1), known.noticed.resize(2);
  // These are of the process.
  end.served.facts.threads = 6, end.served.facts.shm_free_bytes = 10,
  end.served.facts.shm_bytes = 20;
  w.ends(end);
  w.finish();
  REQUIRE(w.kept.records().size() == 5);
  for (const std::size_t i : {0u, 1u, 2u, 3u, 4u}) {
    const TrialRecord& record = w.kept.records()[i];
    const bool trains = i == 0, changed = i > 2;
    CAPTURE(i);
    CHECK(record.facts.workers.count == (trains ? 0u : changed ? 4u : 2u));
    CHECK(record.facts.external->cpu_count == 8u);
    CHECK(record.facts.external->threads == 6u);
    CHECK(record.facts.external->shm_free_bytes == 10u);
    CHECK(record.facts.external->shm_bytes == 20u);
    CHECK(record.facts.external->workers_start_ns.value_or(0) == (changed ? 1 : 0));
    CHECK(record.facts.external->epoch_start_ns.value_or(0) == (changed ? 2 : 0));
    CHECK(record.facts.external->direct_ns.value_or(0) == (changed ? 3 : 0));
    CHECK(record.facts.external->same_draws.size() == (changed ? 1 : 0));
    CHECK(record.facts.external->noticed.size() == (changed ? 2 : 0));
    CHECK(record.facts.external->start_method == (trains ? "" : changed ? "spawn" : "fork"));
    CHECK(record.facts.epochs.completed == (trains ? 0u : changed ? 5u : 7u));
    CHECK(record.facts.epochs.gap_ns ==
          (changed ? std::optional<std::int64_t>(10'000'000) : std::nullopt));
    CHECK(record.facts.start.startup_ns == (changed ? 50 : 0));
    CHECK(record.facts.start.first_batch_ns == (changed ? 40 : 0));
    CHECK(w.has_notice(i, "seen of the loader") == !trains);
    CHECK(w.has_notice(i, "--try: in_order false is not applied") == (i == 1));
    CHECK_FALSE(w.has_notice(i, "neither L nor T"));
  }
}

TEST_CASE(
    "wrap: of a copy that said nothing in the end, "
    "what the script's own loader did is not taken for its",
    "[unit][app][wrap]") {
  Wrapped w;
  w.request.order.other = {{"num_workers", std::int64_t{4}}};
  w.plans(true, [](WrapSteady& p) {
    p.changed = p.loader, p.changed->own["num_workers"] = std::int64_t{4};
  });
  w.measures(WrapKind::changed_full, 0);
  WrapEnd end;
  end.served.epochs = 7;
  w.ends(end);
  w.finish();
  CHECK(w.kept.records().at(0).facts.epochs.completed == 0);
}

}  // namespace benchbench::wrap_kept_test
