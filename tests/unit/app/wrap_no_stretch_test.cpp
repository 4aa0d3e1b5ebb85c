// Tests what a report says of a script without a stretch.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/app/run/outputs.h"
#include "harness/app/wrap/ending/wrap_ending.h"
#include "harness/part/catalog.h"
#include "harness/report/external/job_words.h"
#include "tests/unit/app/wrapped_script.h"

namespace benchbench::wrap_kept_test {

TEST_CASE("wrap: a script without a stretch has a record of what is known of it",
          "[unit][app][wrap]") {
  Wrapped nothing, hung;
  CHECK_FALSE(nothing.kept.finish(nothing.run));
  HangSeen seen;
  seen.stacks = {{.pid = 7,
                  .worker = 0,
                  .threads = {{"MainThread", {{"train.py:28", "__getitem__", true}}}},
                  .lock = WrapHeldLock{"LOCK", "report", "train.py:44", true}}};
  const Journal journal = hung.finish(notice_ending(nullptr, seen));
  CHECK(hung.kept.rounds() == 0);
  const Findings f = analyse(journal.plan, journal.records, &built_in_catalog());
  REQUIRE(f.external.findings.size() == 1);
  const ExternalFinding& lock = f.external.findings.front();
  CHECK(name_of(lock.fault) == "lock held at fork");
  CHECK(lock.where == "train.py:28");
  CHECK(lock.what == "LOCK, which thread \"report\" held (train.py:44)");
  CHECK(exit_code_of(f, journal.plan, false) == 0);
  const auto ending = make_ending(nullptr, seen, {});
  CHECK(ending["hang"]["processes"][0]["lock"]["thread"] == "report");
  CHECK(ending["hang"]["processes"][0]["threads"][0]["frames"][0]["where"] == "train.py:28");
}

// A script that was killed, before a stretch was over or before it was steady.
TEST_CASE("wrap: a script that was killed has what it had said of its job", "[unit][app][wrap]") {
  WrapHello hello;
  hello.pid = ::getpid();
  WrapLoader trained;
  trained.trains = true;
  trained.own = {{"batch_size", std::int64_t{4}}};
  ExternalLedger ledger;
  ledger.batches = 1000;
  ledger.rows = {{.state = "step", .trains = true, .ns = 5'000'000'000, .count = 1000}};
  for (const bool steady : {true, false}) {
    CAPTURE(steady);
    Wrapped w;
    WrapRun early(w.request, *w.runtime);
    early.connected(hello);
    WrapRun& run = steady ? w.run : early;
    run.spent(::getpid(), ledger, {trained});
    run.ended(::getpid(), {});  // its connection is gone
    REQUIRE(w.kept.finish(run));
    const Journal journal = RunFolder::read(w.request.folder);
    REQUIRE(journal.records.size() == 1);
    CHECK(journal.records[0].status == Status::aborted);
    const auto& external = journal.records[0].facts.external;
    REQUIRE((external && external->ledger));
    CHECK(external->ledger->batches == 1000);
  }
}

TEST_CASE("wrap: what needs a stretch to be said is no answer alone", "[unit][app][wrap]") {
  const ExternalNoticed remade{"loader each epoch", "train_loader", "train.py:9", 3, 0, 0};
  Wrapped alone, hung;
  CHECK_FALSE(alone.kept.finish(alone.run, {remade}));
  hung.finish(notice_ending(nullptr, HangSeen{}));
  Findings f = analyse(hung.kept.plan(), hung.kept.records(), &built_in_catalog());
  CHECK(exit_code_of(f, hung.kept.plan(), false) == 0);
  f.external.points.at(0).facts.noticed = {remade};
  CHECK(exit_code_of(f, hung.kept.plan(), false) == 8);
}

TEST_CASE("wrap: steps without a loader are known by their rate", "[unit][app][wrap]") {
  Wrapped w;
  WrapEnd end;
  end.reason = WrapReason::no_loader;
  end.steps.timed = 100, end.steps.before = std::chrono::seconds{3};
  end.steps.backward = end.steps.rest = std::chrono::milliseconds{500};
  w.finish(notice_ending(&end, std::nullopt));
  const Findings f = analyse(w.kept.plan(), w.kept.records(), &built_in_catalog());
  const ExternalPoint* seen = f.external.at(0);
  REQUIRE(seen);
  CHECK(words_without_stretch(*seen) ==
        "The steps get their batches without a DataLoader: 25 steps/s (40 ms each, over 100 "
        "steps): 75 % of that passes before the backward, which is the batch and the forward, 12 % "
        "in the backward, 12 % after it, which is the optimizer.");
}

}  // namespace benchbench::wrap_kept_test
