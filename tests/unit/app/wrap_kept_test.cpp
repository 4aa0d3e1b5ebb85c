#include "harness/app/wrap/wrap_kept.h"

#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "harness/app/run/outputs.h"
#include "harness/app/wrap/ending/wrap_ending.h"
#include "harness/record/trace_events.h"
#include "harness/report/external/job_words.h"
#include "harness/store/series_file.h"
#include "tests/scratch_folder.h"
#include "tests/unit/app/standard_error.h"
#include "tests/unit/app/wrapped_script.h"

namespace benchbench {
namespace wrap_kept_test {

TEST_CASE("wrap: a stretch is in the folder as soon as it has come, and what is missing is known",
          "[unit][app][wrap]") {
  Wrapped w;
  w.kept.keep(w.run);
  CHECK_FALSE(std::filesystem::exists(w.request.folder));
  w.measures(WrapKind::trainer, 0);
  w.kept.keep(w.run);
  w.kept.keep(w.run);
  const Journal killed = RunFolder::read(w.request.folder);
  REQUIRE(killed.records.size() == 1);
  CHECK(killed.records[0].trial.mode == Mode::trainer);
  CHECK(killed.records[0].series.size() > 0);
  CHECK(killed.plan.order.size() == 6);
}

TEST_CASE("wrap: what was measured before the training does not count", "[unit][app][wrap]") {
  Wrapped w(false);
  w.measures_round(0);
  w.kept.keep(w.run);
  CHECK_FALSE(std::filesystem::exists(w.request.folder));
  w.plans(true);
  w.measures(WrapKind::full, 0);
  w.kept.keep(w.run);
  CHECK(RunFolder::read(w.request.folder).records.size() == 1);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.records().size() == 1);
}

TEST_CASE("wrap: a loop that never trains is kept in the end", "[unit][app][wrap]") {
  Wrapped w(false);
  w.measures_round(0);
  REQUIRE(w.kept.finish(w.run));
  CHECK(RunFolder::read(w.request.folder).records.size() == 3);
}

TEST_CASE("wrap: where F alone has room, each is a round", "[unit][app][wrap]") {
  Wrapped w;
  w.plans(true, [](WrapSteady& steady) { steady.loop.distinct = 0; });
  w.measures(WrapKind::full, 0);
  w.measures(WrapKind::full, 1);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.rounds() == 2);
  CHECK(w.kept.plan().trials.size() == 1);
}

TEST_CASE("wrap: a script without a stretch has a record of what is known of it",
          "[unit][app][wrap]") {
  Wrapped nothing, hung;
  CHECK_FALSE(nothing.kept.finish(nothing.run));
  HangSeen seen;
  seen.stacks = {{.pid = 7,
                  .worker = 0,
                  .threads = {{"MainThread", {{"train.py:28", "__getitem__", true}}}},
                  .lock = WrapHeldLock{"LOCK", "report", "train.py:44", true}}};
  const auto noticed = notice_ending(nullptr, seen);
  REQUIRE(hung.kept.finish(hung.run, noticed));
  CHECK(hung.kept.rounds() == 0);
  const Journal journal = RunFolder::read(hung.request.folder);
  const Findings f = analyse(journal.plan, journal.records, &built_in_catalog());
  REQUIRE(f.external.findings.size() == 1);
  const ExternalFinding& lock = f.external.findings.front();
  CHECK(name_of(lock.fault) == "lock held at fork");
  CHECK(lock.where == "train.py:28");
  CHECK(lock.what == "LOCK, which thread \"report\" held (train.py:44)");
  CHECK(exit_code_of(f, journal.plan, false) == 0);
  const auto ending = nlohmann::json::parse(write_ending(nullptr, seen, {}));
  CHECK(ending["hang"]["processes"][0]["lock"]["thread"] == "report");
  CHECK(ending["hang"]["processes"][0]["threads"][0]["frames"][0]["where"] == "train.py:28");
}

TEST_CASE(
    "wrap: a script that was killed before a stretch was over has what it had said of its job",
    "[unit][app][wrap]") {
  Wrapped w;
  ExternalLedger ledger;
  ledger.batches = 1000;
  ledger.rows = {{.state = "step", .trains = true, .ns = 5'000'000'000, .count = 1000}};
  w.run.spent(::getpid(), ledger, {});
  w.run.ended(::getpid(), {});  // its connection is gone
  REQUIRE(w.kept.finish(w.run));
  const Journal journal = RunFolder::read(w.request.folder);
  REQUIRE(journal.records.size() == 1);
  CHECK(journal.records[0].status == Status::aborted);
  const auto& external = journal.records[0].facts.external;
  REQUIRE((external && external->ledger));
  CHECK(external->ledger->batches == 1000);
}

TEST_CASE("wrap: what needs a stretch to be said is no answer alone", "[unit][app][wrap]") {
  const ExternalNoticed remade{"loader each epoch", "train_loader", "train.py:9", 3, 0, 0};
  Wrapped alone, hung;
  CHECK_FALSE(alone.kept.finish(alone.run, {remade}));
  REQUIRE(hung.kept.finish(hung.run, notice_ending(nullptr, HangSeen{})));
  Findings f = analyse(hung.kept.plan(), hung.kept.records(), &built_in_catalog());
  CHECK(exit_code_of(f, hung.kept.plan(), false) == 0);
  f.external.points.at(0).facts.noticed = {remade};
  CHECK(exit_code_of(f, hung.kept.plan(), false) == 8);
}

TEST_CASE("wrap: a script that was killed before it was steady has what it had said of its job",
          "[unit][app][wrap]") {
  Wrapped w;
  WrapRun run(w.request, *w.runtime);
  WrapHello hello;
  hello.pid = ::getpid();
  run.connected(hello);
  WrapLoader trained;
  trained.name = "train_loader";
  trained.trains = true;
  trained.own = {{"batch_size", std::int64_t{4}}};
  ExternalLedger ledger;
  ledger.batches = 1000;
  ledger.rows = {{.state = "step", .trains = true, .ns = 5'000'000'000, .count = 1000}};
  run.spent(::getpid(), ledger, {trained});
  run.ended(::getpid(), {});
  REQUIRE(w.kept.finish(run));
  const Journal journal = RunFolder::read(w.request.folder);
  const auto& external = journal.records.at(0).facts.external;
  REQUIRE((external && external->ledger));
  CHECK(external->ledger->batches == 1000);
}

TEST_CASE("wrap: steps without a loader are known by their rate", "[unit][app][wrap]") {
  Wrapped w;
  WrapEnd end;
  end.reason = WrapReason::no_loader;
  end.steps.timed = 100, end.steps.before = std::chrono::seconds{3};
  end.steps.backward = end.steps.rest = std::chrono::milliseconds{500};
  REQUIRE(w.kept.finish(w.run, notice_ending(&end, std::nullopt)));
  const Findings f = analyse(w.kept.plan(), w.kept.records(), &built_in_catalog());
  const ExternalPoint* seen = f.external.at(0);
  REQUIRE(seen);
  CHECK(words_without_stretch(*seen) ==
        "The steps get their batches without a DataLoader: 25 steps/s (40 ms each, over 100 "
        "steps): 75 % of that passes before the backward, which is the batch and the forward, 12 % "
        "in the backward, 12 % after it, which is the optimizer.");
}

TEST_CASE("wrap: in the end the records are the same ones, with what was seen only then",
          "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  w.kept.keep(w.run);
  w.measures(WrapKind::loader, 1);
  WrapEnd end;
  end.reason = WrapReason::saver_called;
  end.seen = true;
  end.served.epochs = 7;
  w.run.ended(::getpid(), end);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.folder() == w.request.folder);
  CHECK(w.kept.rounds() == 1);
  const Journal journal = RunFolder::read(w.request.folder);
  REQUIRE(journal.records.size() == 4);
  CHECK(journal.plan.order.size() == 4);
  CHECK(journal.records[1].facts.epochs.completed == 7);
  CHECK(journal.records[1].series.at(0).file.starts_with("series/1-"));
  CHECK(journal.records[3].planned.round == 1);
  // The series in the folder are not held, too.
  for (const TrialRecord& record : w.kept.records()) CHECK(record.raw_series.empty());
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
    w.run.ended(::getpid(), end);
    REQUIRE(w.kept.finish(w.run));
    const auto say_epochs = [](const TrialRecord& r) { return r.facts.epochs.samples.has_value(); };
    CHECK(std::ranges::count_if(w.kept.records(), say_epochs) ==
          (kind == std::string("snapshots") ? 2 : 0));  // of F and L
  }
}

TEST_CASE("wrap: memory is looked at only where the script runs as it is", "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  for (const SeenStretch* seen : w.run.stretches(WhichRank::lead))
    CHECK(seen->memory.has_value() == (seen->stretch.kind == WrapKind::full));
}

TEST_CASE("wrap: what cannot be written is said once, and loses nothing of what is reported",
          "[unit][app][wrap]") {
  Wrapped w;
  w.measures(WrapKind::trainer, 0);
  w.kept.keep(w.run);
  std::filesystem::remove_all(w.request.folder + "/series");
  std::ofstream(w.request.folder + "/series") << "in the way";
  const std::string told = test::on_standard_error([&] {
    w.measures(WrapKind::full, 0);
    w.kept.keep(w.run);
    w.measures(WrapKind::loader, 0);
    w.kept.keep(w.run);
    CHECK(RunFolder::read(w.request.folder).records.size() == 1);
    REQUIRE(w.kept.finish(w.run));
  });
  const std::string_view words = "error: the record was not written: ";
  CHECK(told.starts_with(words));
  CHECK(told.find(words, 1) == std::string::npos);
  CHECK(told.find("the measuring goes on\n") != std::string::npos);
  CHECK(told.ends_with("benchbench: of 3 records the first 1 can be read: benchbench report " +
                       w.request.folder + "\n"));
  CHECK(w.kept.folder().empty());
  CHECK(w.kept.records().size() == 3);
  CHECK(w.kept.rounds() == 1);
}

TEST_CASE("wrap: what could not be written for a while is written in the end",
          "[unit][app][wrap]") {
  Wrapped w;
  const std::filesystem::path parent = std::filesystem::path(w.request.folder).parent_path();
  std::filesystem::remove(parent);
  std::ofstream(parent.string()) << "in the way";
  w.measures_round(0);
  w.kept.keep(w.run);
  std::filesystem::remove(parent);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.folder() == w.request.folder);
  CHECK(RunFolder::read(w.request.folder).records.size() == 3);
}

TEST_CASE("wrap: with --trace the first F keeps its waits and steps", "[unit][app][wrap]") {
  Wrapped w;
  w.request.traces = true;
  w.measures_round(0);
  w.measures_round(1);
  w.kept.keep(w.run);
  REQUIRE(w.kept.finish(w.run));
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

// Two ranks, of which the second one's loader is slower over both rounds, but not in the first.
TEST_CASE(
    "wrap: of ranks that train together one is kept, whose loader is the slowest over all rounds",
    "[unit][app][wrap]") {
  Wrapped w;
  WrapRun run(w.request, *w.runtime);
  WrapKept kept(w.request, observe_environment());
  for (const std::uint32_t rank : {0u, 1u}) {
    WrapHello hello;
    hello.pid = ::getpid() + static_cast<int>(rank);  // of the second only the number is used
    hello.interpreter = "/usr/bin/python3";
    WrapSteady steady;
    steady.loader.own = {{"num_workers", std::int64_t{2}}, {"batch_size", std::int64_t{4}}};
    steady.rank = rank;
    steady.world = 2;
    steady.loader.trains = true;
    run.connected(hello);
    CHECK(run.steady(hello.pid, steady));
  }
  const auto measures = [&](int rank, std::uint32_t round, std::int64_t batch_ns) {
    WrapStretch stretch;
    stretch.kind = WrapKind::loader;
    stretch.round = round;
    stretch.result.segments = {{0, 100 * batch_ns}};
    stretch.result.steps = 100;
    stretch.result.samples = 400;
    stretch.result.get_ns.assign(100, batch_ns);
    run.finished(::getpid() + rank, stretch);
  };
  measures(0, 0, 5'000'000);
  measures(1, 0, 4'000'000);
  kept.keep(run);
  CHECK(run.shown() == run.lead());
  measures(0, 1, 3'000'000);
  measures(1, 1, 6'000'000);
  kept.keep(run);
  CHECK(RunFolder::read(w.request.folder).records.size() == 2);
  CHECK(run.shown()->hello.rank == 1u);
  REQUIRE(kept.finish(run));
  const Journal journal = RunFolder::read(w.request.folder);
  REQUIRE(journal.records.size() == 2);
  const auto& ranks = journal.plan.ranks;
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].rank == 0);
  CHECK_FALSE(ranks[0].reported);
  REQUIRE(ranks[0].loader.size() == 2);
  CHECK(ranks[0].loader[0] == Approx(800));
  CHECK(ranks[0].loader[1] == Approx(1333.33));
  CHECK(ranks[1].rank == 1);
  CHECK(ranks[1].reported);
  REQUIRE(ranks[1].loader.size() == 2);
  CHECK(ranks[1].loader[0] == Approx(1000));
  CHECK(ranks[1].trainer.empty());
  CHECK(ranks[1].pipeline.empty());
  CHECK_FALSE(ranks[1].waited_share);
  for (const std::size_t round : {0u, 1u}) {
    const std::int64_t batch_ns = round == 0 ? 4'000'000 : 6'000'000;
    CHECK(journal.records[round].facts.window.ns == 100 * batch_ns);
    const auto& series = journal.records[round].series;
    const auto waits = std::ranges::find(series, "get_blocked", &SeriesFile::name);
    REQUIRE(waits != series.end());
    CHECK(read_series(kept.folder(), *waits).at(0) == batch_ns);
  }
}

TEST_CASE("wrap: of one process there are no ranks to compare", "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  REQUIRE(w.kept.finish(w.run));
  CHECK(RunFolder::read(w.request.folder).plan.ranks.empty());
}

TEST_CASE("wrap: a script that changes the batches that are held for T is said to",
          "[unit][app][wrap]") {
  Wrapped w;
  const auto measures = [&](WrapKind kind, std::uint32_t changed) {
    WrapStretch stretch;
    stretch.kind = kind;
    stretch.result.segments = {{0, 1'000'000'000}};
    stretch.result.steps = 100;
    stretch.result.samples = 400;
    stretch.result.facts.distinct = 8;
    stretch.result.facts.changed = changed;
    w.run.finished(::getpid(), stretch);
  };
  measures(WrapKind::trainer, 0);
  measures(WrapKind::trainer, 3);
  measures(WrapKind::full, 3);
  REQUIRE(w.kept.finish(w.run));
  const auto says = [&](std::size_t i) {
    return std::ranges::count_if(w.kept.records().at(i).facts.notices, [](const std::string& text) {
      return text.starts_with("the script changes its batches in place: ");
    });
  };
  CHECK(says(0) == 0);
  CHECK(says(1) == 1);
  CHECK(says(2) == 0);
}

// Of the record with that number, whether a notice begins like that.
bool notes(const WrapKept& kept, std::size_t i, const std::string& words) {
  return std::ranges::any_of(kept.records().at(i).facts.notices,
                             [&](const std::string& text) { return text.starts_with(words); });
}

TEST_CASE("wrap: that workers still worked is said of T alone, and only where they did",
          "[unit][app][wrap]") {
  Wrapped w;
  const char* words = "the workers had not come to rest";
  w.measures(WrapKind::trainer, 0);
  w.measures(WrapKind::trainer, 1, false);
  w.measures(WrapKind::full, 1, false);
  REQUIRE(w.kept.finish(w.run));
  CHECK_FALSE(notes(w.kept, 0, words));
  CHECK(notes(w.kept, 1, words));
  CHECK_FALSE(notes(w.kept, 2, words));
}

TEST_CASE("wrap: the record has the device, and that steps on one were never tried",
          "[unit][app][wrap]") {
  Wrapped w, without;
  w.plans(true, [](WrapSteady& p) { p.device = "cuda:1", p.device_name = "NVIDIA H200"; });
  for (Wrapped* each : {&w, &without}) {
    each->measures_round(0);  // T, F, L
    REQUIRE(each->kept.finish(each->run));
    for (const std::size_t i : {0u, 1u, 2u})
      CHECK(
          notes(each->kept, i, "steps ran on cuda:1: wrap takes the times of steps from events") ==
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
  w.run.ended(::getpid(), end);
  REQUIRE(w.kept.finish(w.run));
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
    CHECK(notes(w.kept, i, "seen of the loader") == !trains);
    CHECK(notes(w.kept, i, "--try: in_order false is not applied") == (i == 1));
    CHECK_FALSE(notes(w.kept, i, "neither L nor T"));
  }
}

TEST_CASE("wrap: why only F was measured is noted in its record", "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  REQUIRE(w.kept.finish(w.run));
  WrapPlanned planned;
  planned.why = "a batch takes more than a quarter of the memory that is free";
  for (const WrapKind kind : {WrapKind::full, WrapKind::loader}) {
    SeenStretch seen = *w.run.stretches(WhichRank::lead).front();
    seen.stretch.kind = kind;
    const std::vector<std::string>& noted =
        record_of(w.kept.plan(), seen, planned, nullptr, observe_environment()).facts.notices;
    CHECK((std::ranges::find(noted, "neither L nor T was measured: " + planned.why) !=
           noted.end()) == (kind == WrapKind::full));
  }
}

TEST_CASE(
    "wrap: the record of a stretch has what was seen of its processes, and T nothing of a loader",
    "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  REQUIRE(w.kept.finish(w.run));
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
    const TrialRecord record = record_of(w.kept.plan(), seen, {}, nullptr, observe_environment());
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
  }
}

TEST_CASE("wrap: after a record that could not be written none is, until the end",
          "[unit][app][wrap]") {
  Wrapped w;
  w.measures(WrapKind::trainer, 0);
  w.kept.keep(w.run);
  const std::string series = w.request.folder + "/series";
  std::filesystem::rename(series, series + ".away");
  std::ofstream(series) << "in the way";
  w.measures(WrapKind::full, 0);
  w.kept.keep(w.run);
  std::filesystem::remove(series);
  std::filesystem::rename(series + ".away", series);
  w.measures(WrapKind::loader, 0);
  w.kept.keep(w.run);
  // With more, one in the middle would be missing.
  CHECK(RunFolder::read(w.request.folder).records.size() == 1);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.folder() == w.request.folder);
  CHECK(RunFolder::read(w.request.folder).records.size() == 3);
}

TEST_CASE("wrap: a stretch is judged as any trial is", "[unit][app][wrap]") {
  Wrapped w;
  WrapStretch brief;
  brief.result.segments = {{0, 1000}};
  brief.result.steps = 1, brief.result.samples = 4;
  brief.result.get_ns = brief.result.step_ns = {500};
  w.run.finished(::getpid(), brief);
  w.measures(WrapKind::full, 1);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.records()[0].status == Status::invalid);
  // The rule of its duration.
  CHECK(std::ranges::find(w.kept.records()[0].reasons, "R07", &Reason::rule) !=
        w.kept.records()[0].reasons.end());
  CHECK(w.kept.records()[1].status == Status::valid);
}

TEST_CASE("wrap: a round that is not complete is none, and the plan has one all the same",
          "[unit][app][wrap]") {
  Wrapped w;
  w.measures(WrapKind::full, 0);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.rounds() == 0);
  CHECK(w.kept.plan().rounds == 1);
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
  w.run.ended(::getpid(), end);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.records().at(0).facts.epochs.completed == 0);
}

TEST_CASE("wrap: records of one second are in folders of their own", "[unit][app][wrap]") {
  const std::string parent = test::make_scratch_folder("state");
  const char* before = std::getenv("XDG_STATE_HOME");
  const std::optional<std::string> kept_before = before ? std::optional(before) : std::nullopt;
  ::setenv("XDG_STATE_HOME", parent.c_str(), 1);
  for (int i = 0; i < 3; ++i) {
    Wrapped w;
    w.request.folder.clear();
    w.measures_round(0);
    REQUIRE(w.kept.finish(w.run));
    CHECK(w.kept.folder().starts_with(parent + "/benchbench/wrap/train-"));
  }
  CHECK(std::distance(std::filesystem::directory_iterator(parent + "/benchbench/wrap"), {}) == 3);
  kept_before ? ::setenv("XDG_STATE_HOME", kept_before->c_str(), 1) : ::unsetenv("XDG_STATE_HOME");
  std::filesystem::remove_all(parent);
}

}  // namespace wrap_kept_test
}  // namespace benchbench
