// The trials of a session: judged, stored, counted.
#include "harness/app/session/session.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "tests/scratch_folder.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::session_test {
namespace {

// Trials that are SKIPPED, and so need no child; their folder.
class Skipped {
 public:
  explicit Skipped(std::uint32_t trials) : parent_(test::make_scratch_folder("session")) {
    plan.trials.resize(trials);
    for (std::uint32_t i = 0; i < trials; ++i) {
      plan.trials[i].index = i;
      plan.trials[i].skip = "no such device";
      plan.order.push_back({i, 0, 0});
    }
  }
  ~Skipped() { std::filesystem::remove_all(parent_); }
  Skipped(const Skipped&) = delete;
  Skipped& operator=(const Skipped&) = delete;

  std::string folder() const { return parent_ + "/run"; }
  OpenedRun begin() const { return begin_run(folder(), plan, {}); }
  // Returns what the journal holds.
  std::vector<TrialRecord> stored() const { return RunFolder::read(folder()).records; }
  Plan plan;

 private:
  const std::string parent_;
};

TrialRecord failed_record() {
  TrialRecord record;
  record.status = Status::failed;
  return record;
}

}  // namespace

TEST_CASE("session: a record is stored before its watch is called, and the next trial starts",
          "[unit][app]") {
  Skipped run(2);
  Session session({}, run.begin());
  std::vector<std::size_t> stored;
  const SessionWatch watch{
      .started = [&](const Trial&, const PlannedRun&) { stored.push_back(run.stored().size()); },
      .finished = [&](const TrialRecord&, double) { stored.push_back(run.stored().size()); }};
  CHECK(session.run(run.plan, run.plan.order, {}, watch) == SupervisorEnd::complete);
  CHECK(stored == std::vector<std::size_t>{0, 1, 1, 2});
  CHECK(session.records().size() == 2);
  CHECK_FALSE(session.records()[0].took_ns);
}

TEST_CASE("session: records and times are kept where they are asked for", "[unit][app]") {
  Skipped run(1);
  Session session({}, run.begin(), {.records = false, .times = true});
  session.run(run.plan, run.plan.order);
  CHECK(session.records().empty());
  REQUIRE(run.stored().size() == 1);
  CHECK(run.stored()[0].took_ns.value_or(-1) >= 0);
  CHECK(session.seconds() ==
        Approx(1e-9 * static_cast<double>(*run.stored()[0].took_ns)).margin(1e-6));
}

TEST_CASE("session: without a folder nothing is stored or judged", "[unit][app]") {
  Skipped run(1);
  Session session({}, std::nullopt);
  session.run(run.plan, run.plan.order);
  CHECK_FALSE(std::filesystem::exists(run.folder()));
  CHECK(session.records().size() == 1);
}

TEST_CASE("session: what a resumed run has counts, and nothing runs where every trial failed",
          "[unit][app]") {
  Skipped run(1);
  Session fresh({}, run.begin());
  CHECK_FALSE(fresh.nothing_runs());
  OpenedRun resumed{RunFolder::create(run.folder() + "-2", run.plan, {}), {failed_record()}};
  resumed.records[0].planned.round = 3;
  Session session({}, std::move(resumed));
  CHECK(session.nothing_runs());
  CHECK(session.last_round() == 3);
  session.run(run.plan, run.plan.order);  // SKIPPED says nothing
  CHECK(session.nothing_runs());
}

TEST_CASE("session: a stored record has its verdict, a trial that was ended early its own reason",
          "[unit][app]") {
  Skipped run(1);
  Session session({}, run.begin());
  test::MadeRun made;
  const auto point = made.point({}, made.settings(1));
  TrialRecord judged = made.record(made.trial(point, Mode::loader), 0, test::good_facts(2000));
  judged.status = Status::valid;
  judged.facts.content.wrong = 1;
  judged.raw_series["get"] = {1, 2};
  session.store(judged);
  CHECK(judged.status == Status::invalid);
  REQUIRE(judged.reasons.size() >= 1);
  CHECK(judged.raw_series.empty());
  TrialRecord early;
  early.status = Status::invalid;
  early.reasons = {{"", true, "ended early"}};
  session.store(early);
  REQUIRE(early.reasons.size() == 1);
  CHECK(early.reasons[0].text == "ended early");
}

TEST_CASE("session: a record that was measured elsewhere is stored, counts and is kept",
          "[unit][app]") {
  Skipped run(1);
  Session session({}, run.begin());
  TrialRecord record = failed_record();
  record.planned.round = 2;
  record.raw_series["get"] = {1, 2};
  session.store(record);
  REQUIRE(run.stored().size() == 1);
  CHECK(run.stored()[0].series.size() == 1);
  CHECK(session.nothing_runs());
  CHECK(session.last_round() == 2);
  REQUIRE(session.records().size() == 1);
  CHECK(session.records()[0].raw_series.empty());
}

TEST_CASE("session: a record that cannot be written neither counts nor is kept", "[unit][app]") {
  Skipped run(1);
  Session session({}, run.begin());
  std::filesystem::remove_all(run.folder() + "/series");
  std::ofstream(run.folder() + "/series") << "in the way";
  TrialRecord record = failed_record();
  record.raw_series["get"] = {1, 2};
  CHECK_THROWS_AS(session.store(record), StoreError);
  CHECK_FALSE(session.nothing_runs());
  CHECK(session.records().empty());
}

TEST_CASE("session: measure.isolation is that of the plan, and in children none is round",
          "[unit][app]") {
  const auto with = [](const char* how) {
    Plan plan;
    if (how) plan.scenario.base.set("measure.isolation", *Value::parse(ParameterType::text, how));
    return plan;
  };
  CHECK(read_isolation(with(nullptr)) == Isolation::round);
  CHECK(read_isolation(with("trial")) == Isolation::trial);
  CHECK(read_isolation(with("none")) == Isolation::none);
  CHECK(read_isolation(with("none"), true) == Isolation::round);
  CHECK(read_isolation(with("trial"), true) == Isolation::trial);
}

}  // namespace benchbench::session_test
