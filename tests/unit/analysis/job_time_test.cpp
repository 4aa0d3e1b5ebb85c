// A job's time, divided: known parts, and what is said of them.
#include <map>

#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/external/job_time.h"
#include "tests/unit/analysis/python_run.h"

namespace benchbench {
namespace job_time_test {

using test::ms;
using test::PythonRun;

// A row of the loader that trains.
ExternalSpent train(const char* state, double milliseconds, std::uint64_t count) {
  return {.state = state,
          .loader = "train",
          .where = "train.py:40",
          .trains = true,
          .ns = ms(milliseconds),
          .count = count};
}
// A row of a loader whose four workers are started for each pass.
ExternalSpent valid(const char* state, double milliseconds, std::uint64_t count) {
  return {.state = state,
          .loader = "valid",
          .made = "train.py:36",
          .where = "train.py:50",
          .workers = 4,
          .ns = ms(milliseconds),
          .count = count};
}

// 100 batches of 10 samples; 40 % within steps, 50 % in validations, 10 % in saves.
ExternalLedger validating() {
  ExternalLedger ledger{100, false, {}};
  ledger.rows = {train("step", 350, 100), train("wait", 50, 99), valid("iter", 100, 5),
                 valid("first", 250, 5),  valid("wait", 30, 45), valid("step", 70, 50),
                 valid("shutdown", 50, 5)};
  ledger.rows.push_back(
      {.state = "save", .saver = "torch.save", .where = "train.py:60", .ns = ms(100), .count = 2});
  return ledger;
}

TEST_CASE("job time: shares add up to the whole, and the rate is over all of it",
          "[unit][analysis]") {
  const auto job = divide_job(validating(), 10);
  REQUIRE(job);
  CHECK(job->seconds == Approx(1));
  CHECK(job->rate == Approx(1000));
  CHECK(job->step_share == Approx(0.35));
  CHECK(job->wait_share == Approx(0.05));
  CHECK(job->outside_share == Approx(0.6));
  CHECK(job->seconds_a_sample == Approx(0.6e-3));
  REQUIRE(job->outside.size() == 6);
  CHECK(job->outside.front().state == "first");
  CHECK(job->outside.front().share == Approx(0.25));
  CHECK(job->outside.back().state == "wait");
}

TEST_CASE("job time: what a loader's workers cost at each pass is found together",
          "[unit][analysis]") {
  ExternalLedger ledger = validating();
  const auto restarted = find_started_workers(*divide_job(ledger, 10));
  REQUIRE(restarted);
  CHECK(restarted->share == Approx(0.4));
  CHECK(restarted->made == "train.py:36");
  CHECK(restarted->count == 5);
  SECTION("not where the workers stay") {
    for (ExternalSpent& row : ledger.rows) row.workers = 0;
  }
  SECTION("not where something else costs more") { ledger.rows.back().ns = ms(500); }
  SECTION("not of the training's own epochs") {
    for (ExternalSpent& row : ledger.rows) row.trains = true;
  }
  SECTION("not of one pass alone") {
    for (ExternalSpent& row : ledger.rows) row.count = 1;
  }
  CHECK_FALSE(find_started_workers(*divide_job(ledger, 10)));
}

TEST_CASE("job time: what was before the first step comes once", "[unit][analysis]") {
  ExternalLedger ledger{100, false, {train("step", 900, 100), train("first", 600, 1)}};
  ledger.rows[1].before_ns = ms(600), ledger.rows[1].before = 1;
  const auto once = divide_job(ledger, 10);
  CHECK(once->outside_share == 0);
  CHECK(once->once_seconds == Approx(0.6));
  CHECK(once->rate == Approx(1000 / 0.9));
  CHECK(once->rate_with_start == Approx(1000 / 1.5));
  // The first epoch has such a beginning, too, if each one does.
  ledger.rows[1].ns = ms(1800), ledger.rows[1].count = 3;
  CHECK(divide_job(ledger, 10)->outside_share == Approx(1.8 / 2.7));
  // Others that take less stand for it.
  ledger.rows[1].ns = ms(800);
  CHECK(divide_job(ledger, 10)->outside_share == Approx(0.3 / 1.2));
}

// Three epochs began within 157 batches, though one has 76.
TEST_CASE("job time: of a job that was seen in parts, epochs begin as often as their length says",
          "[unit][analysis]") {
  ExternalLedger ledger{157, false, {train("step", 2860, 157), train("first", 3600, 3)}};
  CHECK(divide_job(ledger, 10, 76)->outside_share ==
        Approx(1.2 * 157 / 76 / (2.86 + 1.2 * 157 / 76)));
  CHECK(divide_job(ledger, 10)->outside_share == Approx(3.6 / 6.46));
  ledger.whole = true;
  CHECK(divide_job(ledger, 10, 76)->outside_share == Approx(3.6 / 6.46));
}

// An iterator for each of 100 steps, of a loader whose epoch has 76 batches.
TEST_CASE("job time: iterators of one batch are no epochs", "[unit][analysis]") {
  const ExternalLedger ledger{100, false, {train("step", 900, 100), train("iter", 6400, 100)}};
  const auto job = divide_job(ledger, 10, 76);
  CHECK(job->seconds == Approx(7.3));
  CHECK(job->rate == Approx(1000 / 7.3));
}

TEST_CASE("job time: nothing is said of nothing", "[unit][analysis]") {
  CHECK_FALSE(divide_job({}, 10));
  CHECK_FALSE(divide_job({0, false, {train("step", 5, 1)}}, 10));
}

Findings findings_with(const ExternalLedger& ledger) {
  PythonRun run;
  run.noise = 0;
  run.pipeline(2, 20, 0.1, [&](Facts& f) {
    f.external->ledger = ledger;
    f.epochs.samples = PythonRun::kEpoch;
  });
  return run.findings();
}

TEST_CASE("job time: a validation that takes half of the job is a finding, with its place",
          "[unit][analysis]") {
  const Findings f = findings_with(validating());
  REQUIRE(f.external.findings.size() == 1);
  const ExternalFinding& found = f.external.findings.front();
  CHECK(found.fault == ExternalFault::outside_steps);
  CHECK(found.share == Approx(0.6));
  CHECK(found.where == "train.py:50");
  CHECK(found.what == "valid");
  CHECK(found.workers == 4);
  REQUIRE(f.external.at(0));
  CHECK(f.external.at(0)->job->outside_share == Approx(0.6));
}

TEST_CASE("job time: a loader that each epoch makes anew starts workers that would stay",
          "[unit][analysis]") {
  PythonRun run;
  run.noise = 0;
  ExternalNoticed valid{"loader each epoch", "valid", "train.py:36", 4, 0, 0};
  ExternalNoticed train{"loader each epoch", "train", "train.py:44", 4, 0, 0};
  valid.numbers = {{"remade", 4}, {"kept", 0}}, train.numbers = {{"remade", 5}, {"kept", 1}};
  run.pipeline(4, 20, 0.1, [&](Facts& f) {
    f.external->ledger = validating();
    f.external->noticed = {valid, train};
    f.external->persistent_workers = true;
    f.epochs.gap_ns = ms(400), f.external->epoch_start_ns = ms(400);
  });
  std::map<ExternalFault, std::int64_t> remade;
  for (const ExternalFinding& found : run.findings().external.findings)
    remade[found.fault] = found.number("remade");
  CHECK(remade == std::map<ExternalFault, std::int64_t>{{ExternalFault::epoch_startup, 5},
                                                        {ExternalFault::outside_steps, 4}});
}

TEST_CASE("job time: a fifth of the job, or beginnings of its own epochs, are no finding",
          "[unit][analysis]") {
  ExternalLedger some = validating();
  for (ExternalSpent& row : some.rows)
    if (row.trains) row.ns *= 8;
  CHECK(findings_with(some).external.findings.empty());
  CHECK(findings_with({100, false, {train("step", 100, 100), train("first", 900, 5)}})
            .external.findings.empty());
}

// How often it comes is not known of what came once.
TEST_CASE("job time: what came once is no finding, but where all of the job was seen",
          "[unit][analysis]") {
  ExternalLedger once = validating();
  for (ExternalSpent& row : once.rows)
    if (!row.trains && row.state != "wait" && row.state != "step") row.count = 1;
  CHECK(findings_with(once).external.findings.empty());
  CHECK(divide_job(once, 10)->outside_share == Approx(0.6));
  SECTION("all of it was seen") { once.whole = true; }
  SECTION("saves come twice") {
    once.rows.back().count = 2, once.rows.back().ns = ms(300);
    CHECK(findings_with(once).external.findings.front().where == "train.py:60");
  }
  SECTION("one pass of three was before the first step") {
    for (ExternalSpent& row : once.rows)
      if (row.state == "iter") row.count = 3, row.before = 1;
  }
  CHECK(findings_with(once).external.findings.size() == 1);
}

TEST_CASE("job time: two passes of which one was before the first step are one",
          "[unit][analysis]") {
  ExternalLedger ledger = validating();
  ledger.rows.pop_back();
  for (ExternalSpent& row : ledger.rows)
    if (row.state == "iter") row.count = 2, row.before = 1;
  CHECK(findings_with(ledger).external.findings.empty());
}

TEST_CASE("job time: what is in no loop comes as often as the training's epochs begin",
          "[unit][analysis]") {
  const auto share = [](std::uint64_t epochs) {
    const ExternalSpent between{.state = "other", .ns = ms(500)};
    return share_beside_epochs(*divide_job(
        {100, false, {train("step", 500, 100), train("iter", 0, epochs), between}}, 10));
  };
  CHECK(share(1) == 0);
  CHECK(share(2) == Approx(0.5));
}

// 3,200 samples an epoch: in a job whose 100 batches take 1 s, and at 16 in 20 ms.
TEST_CASE("job time: an epoch has all that is outside of its steps", "[unit][analysis]") {
  const ExternalLedger ledger = validating();
  const double samples_a_batch = PythonRun::kBatch;
  const Findings f = findings_with(ledger);
  CHECK(*epoch_seconds(f, 0) == Approx(PythonRun::kEpoch / (100 * samples_a_batch)));
  CHECK(*epoch_seconds(findings_with({}), 0) == Approx(4));
}

}  // namespace job_time_test
}  // namespace benchbench
