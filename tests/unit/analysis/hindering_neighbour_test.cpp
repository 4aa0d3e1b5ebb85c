// Who may have cost most of the contention, with records whose shares are known.
#include "harness/analysis/summary/hindering_neighbour.h"

#include <catch2/catch.hpp>
#include <vector>

#include "harness/analysis/summary/point_summary.h"
#include "tests/unit/analysis/python_run.h"

namespace benchbench::hindering_neighbour_test {
namespace {

// Facts of a window of 1 s on 64 cores, of whose rate other programs may have cost that share: they
// had 60 cores, and a thread of the trial waited for one.
void lose(TrialRecord& r, double share) {
  r.environment.cpus_usable = 64;
  r.facts.cpu.user_s = 0.5, r.facts.cpu.system_s = 0;
  r.facts.cpu.others_s = 60, r.facts.cpu.run_delay_most_s = share;
}

TrialRecord lost(double share) {
  TrialRecord r;
  r.facts = test::good_facts(250);
  lose(r, share);
  return r;
}

TrialRecord stolen(double share) {
  TrialRecord r = lost(0);
  r.facts.cpu.steal_share = share;
  return r;
}

TrialRecord on_gpu() {
  TrialRecord r = lost(0);
  r.facts.gpu.emplace().foreign = 1;
  return r;
}

// Contention is half of the step.
Verdict half() {
  Verdict v;
  v.side = Side::contention;
  v.step_ms = Estimate{10, 10, 10, 5}, v.side_cost_ms = Estimate{5, 5, 5, 5};
  return v;
}

using Records = std::vector<TrialRecord>;

std::optional<Neighbour> found(const Verdict& verdict, const Records& pipeline) {
  std::vector<JudgedRecord> all;
  for (const TrialRecord& r : pipeline) all.push_back(test::judged(r));
  return hindering_neighbour(verdict, all);
}

// Returns n trials, of which `other` is the first and the rest are not disturbed.
Records with_one(std::size_t n, const TrialRecord& other) {
  Records all(n, lost(0));
  all.front() = other;
  return all;
}

}  // namespace

TEST_CASE("hindering neighbour: who may have cost half of the contention, by kind",
          "[unit][analysis]") {
  CHECK(found(half(), Records(5, lost(0.26))) == Neighbour::programs);
  CHECK(found(half(), Records(5, stolen(0.26))) == Neighbour::guests);
  CHECK(found(half(), Records(5, on_gpu())) == Neighbour::on_gpu);
  CHECK_FALSE(found(half(), Records(5, lost(0.24))));
  CHECK_FALSE(found(half(), Records(5, stolen(0.24))));
  CHECK_FALSE(found(half(), {}));
}

TEST_CASE("hindering neighbour: one trial of twenty explains no contention of half the step",
          "[unit][analysis]") {
  for (const TrialRecord& other : {lost(0.031), lost(0.9), stolen(0.02), on_gpu()}) {
    const Records all = with_one(20, other);
    REQUIRE(test::judged(all[0]).reasons.at(0).rule == "R09");
    CHECK_FALSE(found(half(), all));
  }
  CHECK(found(half(), with_one(2, lost(0.6))) == Neighbour::programs);  // 30 % over both
}

TEST_CASE("hindering neighbour: the kind that may have cost most, by what R09 doubts",
          "[unit][analysis]") {
  CHECK(found(half(), {lost(0.6), stolen(0.8)}) == Neighbour::guests);
  CHECK(found(half(), {lost(0.8), stolen(0.6)}) == Neighbour::programs);
  Verdict little = half();
  little.side_cost_ms = Estimate{0.3, 0.3, 0.3, 5};
  CHECK_FALSE(found(little, Records(5, lost(0.029))));  // which is VALID
  CHECK(found(little, Records(5, lost(0.031))) == Neighbour::programs);
}

TEST_CASE("hindering neighbour: a side that is named needs none", "[unit][analysis]") {
  Verdict named = half();
  named.side = Side::loader;
  CHECK_FALSE(found(named, Records(5, lost(0.9))));
}

TEST_CASE("hindering neighbour: the pipeline's own trials count, not those of a side alone",
          "[unit][analysis]") {
  // F is half of the trainer's rate.
  const auto hindered_by = [](Mode disturbed) {
    test::MadeRun run;
    const auto p = run.point({}, run.settings(2));
    for (const auto& [mode, rate] :
         {std::pair(Mode::loader, 1000.0), {Mode::trainer, 500.0}, {Mode::pipeline, 250.0}}) {
      const auto trial = run.trial(p, mode);
      for (std::uint32_t round = 0; round < 5; ++round) {
        TrialRecord& r = run.record(trial, round, test::good_facts(rate));
        lose(r, mode == disturbed ? 0.3 : 0);
      }
    }
    const JudgedTrials trials(run.plan, run.records);
    const PointFindings point = summarise_point(run.plan, run.plan.points[p], trials);
    CHECK(point.side == Side::contention);
    CHECK(point.status == Status::noisy);
    return point.hindered_by;
  };
  CHECK(hindered_by(Mode::pipeline) == Neighbour::programs);
  CHECK_FALSE(hindered_by(Mode::loader));
  CHECK_FALSE(hindered_by(Mode::trainer));
}

// A wrapped script whose F is a quarter of L and T, with windows of 8 s in which others may have
// cost that share.
PointFindings script_with(double share) {
  test::PythonRun run;
  SettingsMap s = run.python_settings(2);
  s.set("measure.class", test::words("stretch"));
  const auto p = run.point({}, s);
  run.fill(run.trial(p, Mode::loader), [&] { return run.self_timed(20, 2); }, {});
  run.fill(run.trial(p, Mode::trainer), [&] { return run.facts(ExternalWay::replayed, 20, 0, 0); },
           {});
  run.fill(run.trial(p, Mode::pipeline),
           [&] { return run.facts(ExternalWay::all_there, 80, 40, 2); }, {});
  for (TrialRecord& r : run.records) {
    if (r.trial.mode != Mode::pipeline) continue;
    lose(r, 8 * share);
    r.facts.cpu.others_s = 8 * 60;
  }
  return run.findings().points.at(0);
}

TEST_CASE("hindering neighbour: a script's contention that others may have cost is not settled",
          "[unit][analysis]") {
  const PointFindings alone = script_with(0.01), hindered = script_with(0.6);
  CHECK(alone.side == Side::contention);
  CHECK(alone.settled == true);
  CHECK(hindered.side == Side::contention);
  CHECK(hindered.hindered_by == Neighbour::programs);
  CHECK(hindered.settled == false);
}

}  // namespace benchbench::hindering_neighbour_test
