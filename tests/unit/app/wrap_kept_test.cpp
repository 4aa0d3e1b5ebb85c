#include "harness/app/wrap/wrap_kept.h"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/record/trace_events.h"
#include "harness/store/series_file.h"
#include "tests/scratch_folder.h"

namespace benchbench {
namespace wrap_kept_test {

// A script that is this very process: what is read of it from /proc is there.
class Wrapped {
 public:
  explicit Wrapped(bool trains = true) : parent_(test::make_scratch_folder("wrap")) {
    request.words = {"python", "train.py"};
    request.script = "train.py";
    request.folder = parent_ + "/record";
    WrapHello hello;
    hello.pid = ::getpid();
    hello.interpreter = "/usr/bin/python3";
    run.connected(hello);
    plans(trains);
  }
  ~Wrapped() { std::filesystem::remove_all(parent_); }

  void plans(bool trains) {
    WrapPlanned planned;
    planned.rounds = 2;
    planned.stretch = std::chrono::seconds{1};
    planned.loader.name = "train_loader";
    planned.loader.trains = trains;
    planned.loader.own = {{"num_workers", std::int64_t{2}}, {"batch_size", std::int64_t{4}}};
    run.planned(::getpid(), planned);
  }
  void measures(WrapKind kind, std::uint32_t round) {
    WrapStretch stretch;
    stretch.kind = kind;
    stretch.round = round;
    stretch.result.segments = {{0, 1'000'000'000}};
    stretch.result.steps = 100;
    stretch.result.samples = 400;
    stretch.result.get_ns.assign(100, 1'000'000);
    if (kind != WrapKind::loader) stretch.result.step_ns.assign(100, 9'000'000);
    run.segment_begins(::getpid(), kind, {::getpid()});
    run.segment_ends(::getpid());
    run.finished(::getpid(), stretch);
  }
  void measures_round(std::uint32_t round) {
    for (const WrapKind kind : {WrapKind::trainer, WrapKind::full, WrapKind::loader}) measures(kind, round);
  }

  WrapRequest request;
  const std::unique_ptr<Runtime> runtime = make_real_runtime(Nanoseconds{0});
  WrapRun run{request, *runtime};
  WrapKept kept{request, observe_environment()};

 private:
  const std::string parent_;
};

TEST_CASE("wrap: a stretch is in the folder as soon as it has come, and what is missing is known", "[unit][app][wrap]") {
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
  WrapPlanned planned;
  planned.rounds = 2;
  planned.kinds = "F";
  planned.stretch = std::chrono::seconds{1};
  planned.loader.trains = true;
  w.run.planned(::getpid(), planned);
  w.measures(WrapKind::full, 0);
  w.measures(WrapKind::full, 1);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.rounds() == 2);
  CHECK(w.kept.plan().trials.size() == 1);
}

TEST_CASE("wrap: in the end the records are the same ones, with what was seen only then", "[unit][app][wrap]") {
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
}

TEST_CASE("wrap: memory is looked at only where the script runs as it is", "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  for (const SeenStretch* seen : w.run.stretches(Ranks::all)) CHECK(seen->memory.has_value() == (seen->stretch.kind == WrapKind::full));
}

TEST_CASE("wrap: what cannot be written is said once, and loses nothing of what is reported", "[unit][app][wrap]") {
  Wrapped w;
  w.measures(WrapKind::trainer, 0);
  w.kept.keep(w.run);
  std::filesystem::remove_all(w.request.folder + "/series");
  std::ofstream(w.request.folder + "/series") << "in the way";
  w.measures(WrapKind::full, 0);
  w.kept.keep(w.run);
  w.measures(WrapKind::loader, 0);
  w.kept.keep(w.run);
  CHECK(RunFolder::read(w.request.folder).records.size() == 1);
  REQUIRE(w.kept.finish(w.run));
  CHECK(w.kept.folder().empty());
  CHECK(w.kept.records().size() == 3);
  CHECK(w.kept.rounds() == 1);
}

TEST_CASE("wrap: what could not be written for a while is written in the end", "[unit][app][wrap]") {
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
      CHECK(events[2] == TraceEvent{kTraceTrainer, static_cast<std::int64_t>(Stage::get_blocked), 10'000'000, 1'000'000});
      CHECK(events[3] == TraceEvent{kTraceTrainer, kTraceStep, 11'000'000, 9'000'000});
    }
  CHECK(traces == 1);
}

TEST_CASE("wrap: of ranks that train together a stretch is kept once all of them have it", "[unit][app][wrap]") {
  Wrapped w;
  w.measures(WrapKind::full, 0);
  CHECK(w.run.stretches(Ranks::all).size() == 1);
  WrapRequest request = w.request;
  WrapRun run(request, *w.runtime);
  WrapPlanned planned;
  WrapStretch stretch;
  stretch.result.segments = {{0, 100}};
  stretch.result.steps = 1;
  for (const int rank : {0, 1}) {
    WrapHello hello;
    hello.pid = ::getpid() + rank;   // of the second only the number is used
    planned.rank = rank;
    planned.world = 2;
    CHECK(run.connected(hello));
    CHECK(run.planned(hello.pid, planned));
  }
  run.finished(::getpid(), stretch);
  CHECK(run.stretches(Ranks::all).empty());
  CHECK(run.stretches(Ranks::any).size() == 1);
  stretch.result.segments = {{0, 300}};
  run.finished(::getpid() + 1, stretch);
  REQUIRE(run.stretches(Ranks::all).size() == 1);
  CHECK(run.stretches(Ranks::all)[0]->stretch.result.segments[0].second == 300);
}

}  // namespace wrap_kept_test
}  // namespace benchbench
