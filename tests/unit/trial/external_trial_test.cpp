// The external executor, with a process and answers of the test's own.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/process_tree.h"
#include "harness/part/part_maker.h"
#include "harness/record/trace_events.h"
#include "tests/unit/trial/outside_process.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::external_trial_test {
namespace {

using namespace std::chrono_literals;
using test::TrialOfMocks;

constexpr std::int64_t kMs = 1'000'000;

// What the next session does, and what it was asked for.
struct Play {
  std::function<void(ExternalListener&)> start;
  std::function<ExternalResult(ExternalListener&)> run;
  int pid = 0;
  std::uint32_t trials_before = 0;
  std::string loader, trainer, root, device;  // `use` as the order's settings have it
  ExternalOrder order;
};
Play* play = nullptr;

class PlayedSession final : public ExternalSession {
 public:
  void start(ExternalListener& listener) override {
    if (play->start) play->start(listener);
  }
  ExternalResult run(ExternalListener& listener) override { return play->run(listener); }
  int pid() const noexcept override { return play->pid; }
  std::uint32_t trials_before() const noexcept override { return play->trials_before; }
};

std::unique_ptr<ExternalSession> play_session(const ExternalOrder& order) {
  play->order = order;
  play->loader = order.loader ? order.loader->text("use") : "";
  play->trainer = order.trainer ? order.trainer->text("use") : "";
  play->root = order.root;
  play->device = order.device;
  return std::make_unique<PlayedSession>();
}

Catalog played_catalog() {
  std::vector<PartRow> rows(built_in_catalog().rows().begin(), built_in_catalog().rows().end());
  for (PartRow& row : rows)
    if (row.description->external) row.maker.external = {play_session, nullptr};
  return Catalog(rows);
}

// 40 steps of 2 ms of waiting and 3 ms of stepping, in two segments.
ExternalResult even_steps(bool stepped) {
  ExternalResult r;
  r.segments = {{1'000 * kMs, 1'100 * kMs}, {1'150 * kMs, 1'250 * kMs}};
  r.steps = 40;
  r.samples = 160;
  r.get_ns.assign(40, stepped ? 2 * kMs : 5 * kMs);
  if (stepped) r.step_ns.assign(40, 3 * kMs);
  r.startup_ns = 7 * kMs;
  r.first_batch_ns = 9 * kMs;
  r.warmup_ns = 50 * kMs;
  r.warmup_steps = 12;
  r.epochs = 2;
  r.epoch_gap_ns = 50 * kMs, r.epoch_gap_batches = stepped ? 6 : 1;
  if (stepped) r.loss_first = 2.5;
  r.facts.versions = "Python 3.11.2";
  r.facts.epoch_samples = 80;
  r.facts.getitem = ExternalTime{300 * kMs, 160};
  r.facts.hooks_ns = 6 * kMs;
  r.notices = {"prefetch_factor was dropped"};
  return r;
}

class Played : private Play {
 public:
  Played(std::string_view loader_use, std::string_view trainer_use,
         TrialOfMocks::Changes changes = {})
      : trial(loader_use, trainer_use, changes) {
    if (loader_use == "python") trial.change({{"loader.call", "f"}});
    if (trainer_use == "python") trial.change({{"trainer.call", "f"}});
    play = this;
    pid = outside.pid();
    run = [stepped = trainer_use == "python"](ExternalListener& listener) {
      listener.progressed(ExternalPhase::warming_up, 0, 0, {});
      listener.segment_begins({});
      listener.look();
      listener.segment_ends();
      return even_steps(stepped);
    };
  }
  ~Played() { play = nullptr; }
  Played(const Played&) = delete;
  TrialRecord record() {
    const Catalog catalog = played_catalog();
    ExecutorContext context{.catalog = catalog,
                            .environment = {},
                            .dataset = {"image_folder", "/data/here"},
                            .expected_digest = {},
                            .simulated = simulated,
                            .stop = &stop,
                            .progress = {}};
    context.environment.cores_available = 2;
    context.progress = [this](const TrialProgress& p) { phases.push_back(p.phase); };
    return run_trial(trial.trial(), {.trial = 0, .round = round, .repeat = 0}, context);
  }
  Play& script() { return *this; }

  TrialOfMocks trial;
  test::OutsideProcess outside;
  std::atomic<bool> stop{false};
  bool simulated = false;
  std::uint32_t round = 1;
  std::vector<Phase> phases;
};

std::string text_of(const TrialRecord& record) { return test::reasons_of(record); }

bool says(const TrialRecord& record, std::string_view word) {
  return std::ranges::any_of(record.facts.notices,
                             [&](const std::string& n) { return n.find(word) != n.npos; });
}

const StageTotal& stage(const TrialRecord& record, Stage which) {
  return record.facts.window.stages[static_cast<std::size_t>(which)];
}

}  // namespace

TEST_CASE("external trial: self-timed facts have what the process said, and no step",
          "[unit][trial]") {
  Played played("python", "discard", {{"loader.num_workers", "3"}, {"loader.batch_size", "4"}});
  // It answered: it is there, with all that it begins with.
  REQUIRE(played.outside.ask("allocate(8)").empty());
  const TrialRecord record = played.record();
  CAPTURE(text_of(record));
  REQUIRE(record.status == Status::valid);
  const Facts& f = record.facts;
  CHECK(f.window.ns == 200 * kMs);
  CHECK(f.window.samples == 160);
  CHECK(f.window.steps == 40);
  CHECK(f.window.get_blocked.p50 == 5 * kMs);
  CHECK(f.window.get_blocked.n == 38);
  CHECK(f.window.step.n == 0);
  CHECK(f.window.loop.step_ns == 0);
  CHECK(stage(record, Stage::get_blocked).ns == 200 * kMs);
  CHECK(stage(record, Stage::read).count == 0);
  CHECK(f.external->getitem->ns == 300 * kMs);
  CHECK(stage(record, Stage::collate).count == 0);
  CHECK(stage(record, Stage::forward).count == 0);
  CHECK(f.window.steadiness == SteadinessKind::steady);
  CHECK(f.start.startup_ns >= 7 * kMs);
  CHECK(f.start.first_batch_ns == 9 * kMs);
  CHECK(f.start.warmup_steps == 12);
  CHECK(f.epochs.completed == 2);
  CHECK(f.epochs.gap_ns == 45 * kMs);  // a batch is waited for 5 ms anyhow
  CHECK(f.epochs.samples == 80);
  CHECK(f.workers.count == 3);
  CHECK(f.workers.wall_ns == 0);
  CHECK(f.cpu.cores_available == 2);
  REQUIRE(f.cpu.loader_s);
  CHECK(*f.cpu.trainer_s == 0);
  REQUIRE(f.external);
  CHECK(f.external->way == ExternalWay::self_timed);
  CHECK(f.external->versions == "Python 3.11.2");
  CHECK(says(record, "prefetch_factor was dropped"));
  CHECK(says(record, "conservation (R01) was not measured: loader python"));
  CHECK(record.raw_series.at("get_blocked").size() == 40);
  CHECK(record.raw_series.count("step") == 0);
  CHECK(f.instrument.overhead_share >= 6.0 / 800);
  CHECK(f.instrument.overhead_share < 0.2);
  CHECK(f.peak_memory_bytes.value_or(0) > 8 << 20);
  CHECK(f.peak_memory_bytes.value_or(0) < 64 << 20);
  CHECK(played.phases.front() == Phase::starting);
}

TEST_CASE(
    "external trial: the order has the harness's keys, the round's seeds and the data's folder",
    "[unit][trial]") {
  Played played("python", "discard",
                {{"loader.num_workers", "3"},
                 {"loader.batch_size", "8"},
                 {"loader.prefetch_factor", "5"},
                 {"loader.in_order", "false"},
                 {"loader.access", "random"},
                 {"measure.window", "2s"},
                 {"measure.window_batches", "7"},
                 {"measure.observer", "0"}});
  const TrialRecord record = played.record();
  REQUIRE(record.status == Status::valid);
  const Play& asked = played.script();
  CHECK(asked.loader == "python");
  CHECK(asked.trainer.empty());
  CHECK(asked.root == "/data/here");
  CHECK(asked.order.way == ExternalWay::self_timed);
  CHECK(asked.order.keys.num_workers == 3u);
  CHECK(asked.order.keys.batch_size == 8u);
  CHECK(asked.order.keys.prefetch_factor == 5u);
  CHECK(asked.order.keys.in_order == false);
  CHECK(asked.order.keys.drop_last == true);
  CHECK(asked.order.keys.shuffle == true);
  CHECK(asked.order.window == 2s);
  CHECK(asked.order.window_batches == 7);
  CHECK(asked.order.observer == 0);
  CHECK_FALSE(asked.order.warmup);
  CHECK(asked.order.timeout == 600s);
  const std::uint64_t seed = asked.order.loader_seed;
  CHECK(seed != asked.order.trainer_seed);
  // At observer level 0 nothing is known but rates.
  CHECK(record.facts.window.get_blocked.n == 0);
  CHECK(stage(record, Stage::read).count == 0);
  CHECK(record.raw_series.count("get_blocked") == 0);
  CHECK(record.facts.window.samples == 160);
}

TEST_CASE("external trial: a trace has each wait and step, and the gap between segments",
          "[unit][trial]") {
  Played played("python", "python", {{"measure.trace", "true"}});
  CHECK_FALSE(played.record().raw_series.contains("trace"));  // of the first round alone
  played.round = 0;
  const std::vector<TraceEvent> events = trace_events(played.record().raw_series.at("trace"));
  const auto wait = static_cast<std::int64_t>(Stage::get_blocked);
  REQUIRE(events.size() == 80);
  CHECK(events[0] == TraceEvent{kTraceTrainer, wait, 0, 2 * kMs});
  CHECK(events[1] == TraceEvent{kTraceTrainer, kTraceStep, 2 * kMs, 3 * kMs});
  CHECK(events[2].begin_ns == 5 * kMs);
  CHECK(events[39].begin_ns + events[39].value == 100 * kMs);
  CHECK(events[40] == TraceEvent{kTraceTrainer, wait, 150 * kMs, 2 * kMs});
  CHECK(events.back().begin_ns + events.back().value == 250 * kMs);
}

TEST_CASE("external trial: a trace has the workers' batches that were begun in the window",
          "[unit][trial]") {
  Played played("python", "python", {{"measure.trace", "true"}});
  played.round = 0;
  played.script().run = [](ExternalListener&) {
    ExternalResult r = even_steps(true);
    r.fills = {{0, 990 * kMs, 20 * kMs}, {1, 1'010 * kMs, 30 * kMs}, {0, 1'250 * kMs, 1}};
    return r;
  };
  const std::vector<TraceEvent> events = trace_events(played.record().raw_series.at("trace"));
  REQUIRE(events.size() == 81);
  CHECK(events.back() == TraceEvent{trace_track_of_worker(1), kTraceFill, 10 * kMs, 30 * kMs});
}

TEST_CASE("external trial: all there, waits and steps add up to the window", "[unit][trial]") {
  Played played("python", "python", {{"trainer.intra_op_threads", "2"}});
  const TrialRecord record = played.record();
  CAPTURE(text_of(record));
  REQUIRE(record.status == Status::valid);
  const Facts& f = record.facts;
  CHECK(f.external->way == ExternalWay::all_there);
  CHECK(f.epochs.gap_ns == 38 * kMs);  // six batches are waited for 2 ms each anyhow
  CHECK(f.window.loop.get_ns == 80 * kMs);
  CHECK_FALSE(
      f.window.loop.core_wait_ns.has_value());  // Python does not say when a batch was there
  CHECK(f.window.loop.step_ns == 120 * kMs);
  CHECK(stage(record, Stage::forward).ns == 120 * kMs);
  CHECK(f.window.step.p50 == 3 * kMs);
  CHECK(f.parts.loss_first == 2.5);
  CHECK(f.parts.intra_op_threads == 2);
  CHECK(record.raw_series.at("step").size() == 40);
  CHECK(played.script().trainer == "python");
}

TEST_CASE("external trial: replayed batches are those of the prototype, at the rate that was set",
          "[unit][trial]") {
  Played played("rate_limited", "python", {{"loader.rate", "500/s"}});
  Trial trial = played.trial.trial();
  for (const auto& [key, text] :
       std::initializer_list<std::pair<const char*, const char*>>{{"use", "python"}, {"call", "g"}})
    trial.settings.set(std::string("loader.of.") + key, {ParameterType::text, std::string(text)});
  trial.settings.set("loader.of.num_workers", {ParameterType::integer, std::int64_t{6}});
  const Catalog catalog = played_catalog();
  ExecutorContext context{.catalog = catalog,
                          .environment = {},
                          .dataset = {},
                          .expected_digest = {},
                          .stop = nullptr,
                          .progress = {}};
  const TrialRecord record = run_trial(trial, {}, context);
  CAPTURE(text_of(record));
  REQUIRE(record.status == Status::valid);
  CHECK(record.facts.external->way == ExternalWay::replayed);
  const Play& asked = played.script();
  CHECK(asked.loader == "python");
  CHECK(asked.order.rate == 500.0);
  CHECK(asked.order.keys.num_workers == 6u);
  CHECK_FALSE(record.facts.epochs.samples);
  CHECK(record.facts.cpu.loader_s == 0.0);
}

TEST_CASE("external trial: data are as they are where cold was asked for, with the reason",
          "[unit][trial]") {
  Played played("python", "discard");
  Trial trial = played.trial.trial();
  trial.settings.set("dataset.format", {ParameterType::text, std::string("image_folder")});
  trial.settings.set("dataset.cache", {ParameterType::choice, std::string("cold")});
  const Catalog catalog = played_catalog();
  ExecutorContext context{.catalog = catalog,
                          .environment = {},
                          .dataset = {},
                          .expected_digest = {},
                          .stop = nullptr,
                          .progress = {}};
  const TrialRecord record = run_trial(trial, {}, context);
  CHECK(record.facts.cache.asked == "cold");
  CHECK(record.facts.cache.state.degree == CacheDegree::as_is);
  CHECK(record.facts.cache.state.why.find("read ahead") == std::string::npos);
  CHECK(record.facts.cache.state.why.find("reads ahead") != std::string::npos);
  CHECK(says(record,
             "dataset.cache: cold was requested; a loader in a process of its own reads ahead"));
}

TEST_CASE("external trial: what ends it is the record's, and nothing it started is left",
          "[unit][trial]") {
  Played played("python", "python");
  const int worker = played.outside.number("worker(True)");
  SECTION("an error of the user's code") {
    played.script().run = [](ExternalListener&) -> ExternalResult {
      throw PartError("ValueError: no such sample");
    };
    const TrialRecord record = played.record();
    CHECK(record.status == Status::failed);
    CHECK(text_of(record) == "ValueError: no such sample\n");
    CHECK(record.facts.external->way == ExternalWay::all_there);
  }
  SECTION("a package that is absent") {
    played.script().start = [](ExternalListener&) {
      throw DeviceError("needs torch: No module named 'torch'");
    };
    const TrialRecord record = played.record();
    CHECK(record.status == Status::skipped);
  }
  SECTION("a stop that is asked for") {
    played.script().start = [&](ExternalListener& listener) {
      played.stop = true;
      listener.look();
    };
    CHECK(played.record().status == Status::aborted);
  }
  SECTION("its timeout") {
    played.trial.change({{"measure.timeout", "1s"}});
    played.script().start = [&](ExternalListener& listener) {
      const auto runtime = make_real_runtime();
      for (;; runtime->spend(5ms, Spend::sleep)) listener.look();
    };
    CHECK_THAT(text_of(played.record()), Catch::StartsWith("timed out after 1s"));
  }
  SECTION("its own end") { CHECK(played.record().status == Status::valid); }
  CHECK_FALSE(see_process(worker));
  CHECK(descendants_of(::getpid()).empty());
}

TEST_CASE(
    "external trial: of a message of several lines the first is the reason, "
    "the others are its details",
    "[unit][trial]") {
  Played played("python", "discard");
  played.script().run = [](ExternalListener&) -> ExternalResult {
    PartError error("ValueError: row 7\nis broken", "look at row 7");
    error.set_details("Traceback of it");
    throw error;
  };
  const TrialRecord record = played.record();
  REQUIRE(record.reasons.size() == 1);
  CHECK(record.reasons[0].text == "ValueError: row 7; look at row 7");
  CHECK(record.reasons[0].details == "is broken\nTraceback of it");
}

TEST_CASE("external trial: what fails in a process of others is tried in one of its own",
          "[unit][trial]") {
  Played played("python", "discard");
  std::vector<bool> shared;
  played.script().run = [&](ExternalListener&) -> ExternalResult {
    shared.push_back(played.script().order.shares);
    if (shared.size() == 1) throw PartError("the number of threads is set once a process");
    return even_steps(false);
  };
  SECTION("that ran others") {
    played.script().trials_before = 2;
    const TrialRecord record = played.record();
    CHECK(shared == std::vector{true, false});
    CHECK(record.status == Status::valid);
    REQUIRE(record.facts.external);
    CHECK(record.facts.external->why_fresh ==
          "the trial failed in the process of the trial before: "
          "the number of threads is set once a process");
  }
  SECTION("that ran none") {
    CHECK(played.record().status == Status::failed);
    CHECK(shared == std::vector{true});
  }
  SECTION("not where each trial has a process of its own anyway") {
    played.trial.change({{"measure.isolation", "trial"}});
    played.record();
    CHECK(shared == std::vector{false});
  }
  SECTION("not where a stop was asked for") {
    played.script().trials_before = 2;
    played.script().start = [&](ExternalListener&) { played.stop = true; };
    CHECK(played.record().status != Status::valid);
    CHECK(shared == std::vector{true});
  }
}

TEST_CASE("external trial: what cannot be is refused with a sentence", "[unit][trial]") {
  Played played("python", "python");
  SECTION("virtual time") {
    played.simulated = true;
    CHECK(text_of(played.record()).find("cannot run under the simulated clock") !=
          std::string::npos);
  }
  SECTION("work after the step") {
    played.trial.change({{"trainer.log_every", "3"}});
    CHECK(text_of(played.record())
              .find("trainer.log_every has no effect on a step in a process of its own") == 0);
  }
  SECTION("a trace is not recorded, and the trial is measured") {
    played.trial.change({{"measure.trace", "true"}});
    Trial trial = played.trial.trial();
    trial.mode = Mode::pipeline;
    const Catalog catalog = played_catalog();
    ExecutorContext context{.catalog = catalog,
                            .environment = {},
                            .dataset = {},
                            .expected_digest = {},
                            .stop = nullptr,
                            .progress = {}};
    const TrialRecord record = run_trial(trial, {}, context);
    CHECK(record.status == Status::valid);
    CHECK(says(record, "no trace: the events of this trial are in a process of its own"));
  }
}

}  // namespace benchbench::external_trial_test
