// The certainty of the answer on a wrapped script: which part of it more rounds could change.
#include "harness/analysis/conclusion/answer.h"

#include <catch2/catch.hpp>

#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace answer_test {

ExternalFinding costing(double share, std::uint32_t rounds = 1) {
  ExternalFinding found;
  found.fault = ExternalFault::threads;
  found.share = share;
  found.ms = Estimate{100 * share, 100 * share, 100 * share, rounds};
  return found;
}

// A script whose side is settled in one round, while other programs take `others` cores.
Findings found(std::vector<ExternalFinding> findings, double others = 0) {
  Findings f;
  f.points.resize(1);
  f.points[0].rounds = 1, f.points[0].settled = true;
  f.conclusion.subject = 0;
  f.external.points.resize(1);
  f.external.findings = std::move(findings);
  f.cores.emplace();
  f.cores->others = others;
  return f;
}

Plan wrapped_plan() {
  Plan plan;
  plan.scenario.base.set("measure.class", test::words("stretch"));
  return plan;
}

TEST_CASE("answer: a first advice is open where another finding may cost as much",
          "[unit][analysis][wrap]") {
  CHECK_FALSE(is_first_advice_open(found({})));
  CHECK_FALSE(is_first_advice_open(found({costing(0.3)})));
  CHECK_FALSE(is_first_advice_open(found({costing(0.3), costing(0.1)})));
  CHECK(is_first_advice_open(found({costing(0.3), costing(0.27)})));
  Findings more = found({costing(0.3, 10), costing(0.27, 10)});
  CHECK_FALSE(is_first_advice_open(more));  // ten rounds know it
  more.cores.reset();                       // other programs may run, which are not known
  CHECK(is_first_advice_open(more));
}

TEST_CASE("answer: an open advice and stretches that are all INVALID need another round",
          "[unit][analysis][wrap]") {
  CHECK_FALSE(needs_another_round(found({costing(0.3)})));
  CHECK(needs_another_round(found({costing(0.025)})));
  Findings refused = found({});
  refused.points[0].mode_status = {Status::valid, Status::invalid, Status::valid};
  CHECK(needs_another_round(refused));
  refused.points[0].mode_status = {Status::valid, Status::noisy, std::nullopt};
  CHECK_FALSE(needs_another_round(refused));
}

TEST_CASE("answer: there is one once the base has a usable mode, or something of a script is known",
          "[unit][analysis][wrap]") {
  Plan plan = wrapped_plan();
  Findings f = found({});
  CHECK_FALSE(has_answer(f, plan));  // no point was planned
  plan.points.resize(1), plan.trials.resize(1);
  plan.points[0].trials = {{Mode::loader, 0}};
  f.points[0].mode_status = {Status::invalid, std::nullopt, std::nullopt};
  CHECK_FALSE(has_answer(f, plan));
  f.external.points[0].facts.noticed = {{.kind = std::string(kHang), .what = {}, .where = {}}};
  CHECK(is_known_without_stretch(f.external.points[0]));
  CHECK(has_answer(f, plan));
  f = found({});
  f.points[0].mode_status = {Status::noisy, std::nullopt, std::nullopt};
  CHECK(has_answer(f, plan));
  f.points[0].mode_status = {Status::skipped, Status::valid, std::nullopt};
  CHECK_FALSE(has_answer(f, plan));
}

TEST_CASE("answer: a first advice is open where its finding may cost less than one has to",
          "[unit][analysis][wrap]") {
  CHECK(is_first_advice_open(found({costing(0.025)})));
  CHECK_FALSE(is_first_advice_open(found({costing(0.025, 10)})));
}

TEST_CASE("answer: a finding of one round is not certain while other programs run",
          "[unit][analysis][wrap]") {
  CHECK(is_first_advice_open(found({costing(0.3)}, 0.5)));
  Findings two = found({costing(0.3)}, 0.5);
  two.points[0].rounds = 2;  // a cost of the whole run is one value
  CHECK_FALSE(is_first_advice_open(two));
}

TEST_CASE("answer: rounds do not change what they do not measure", "[unit][analysis][wrap]") {
  ExternalFinding lock = costing(1);
  lock.ms.reset();
  CHECK_FALSE(is_first_advice_open(found({lock, costing(0.3)}, 0.5)));
  lock.share = 0;
  CHECK_FALSE(is_first_advice_open(found({lock})));
}

TEST_CASE("answer: what could be another one is the side, then the settings, then the advice",
          "[unit][analysis][wrap]") {
  Findings f = found({costing(0.025)});
  CHECK(open_part(f) == OpenPart::advice);
  f.conclusion.doubt = Doubt::few_rounds;  // of settings, as the side is settled
  CHECK(open_part(f) == OpenPart::settings);
  f.points[0].settled = false;
  CHECK(open_part(f) == OpenPart::side);
  CHECK(open_part(found({})) == OpenPart::none);
}

TEST_CASE("answer: noise is for --detail where it cannot change the answer",
          "[unit][analysis][wrap]") {
  for (const auto& [share, open] : {std::pair(0.3, false), {0.025, true}}) {
    Findings f = found({costing(share)});
    CHECK(part_open_by_noise(f) == OpenPart::none);
    f.points[0].status = Status::noisy;
    f.points[0].mode_status[0] = Status::noisy, f.points[0].mode_status[1] = Status::invalid;
    CHECK((part_open_by_noise(f) != OpenPart::none) == open);
    const Findings shown = hide_noise(f, wrapped_plan());
    CHECK((shown.points[0].status == Status::noisy) == open);
    CHECK((shown.points[0].mode_status[0] == Status::noisy) == open);
    CHECK(shown.points[0].mode_status[1] == Status::invalid);
    CHECK(hide_noise(f, Plan{}).points[0].status == Status::noisy);
  }
}

}  // namespace answer_test
}  // namespace benchbench
