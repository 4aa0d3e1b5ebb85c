// The order of rounds.
#include <map>
#include <set>

#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_order {

std::vector<PlannedRun> round_of(const Plan& plan, std::uint32_t round) {
  std::vector<PlannedRun> slots;
  for (const PlannedRun& s : plan.order)
    if (s.round == round) slots.push_back(s);
  return slots;
}

TEST_CASE("order: every trial runs once a round, the anchor at start, middle and end",
          "[unit][plan]") {
  const Plan plan = plan_text(kSixAxes + "measure: {rounds: 4}\n");
  REQUIRE(plan.anchor == trial_of(plan, plan.points[0], Mode::trainer).index);
  for (std::uint32_t round = 0; round < 4; ++round) {
    const std::vector<PlannedRun> slots = round_of(plan, round);
    std::map<std::uint32_t, int> runs;
    for (const PlannedRun& s : slots) ++runs[s.trial];
    for (const Trial& t : plan.trials)
      CHECK(runs[t.index] == (t.skip ? 0 : t.index == plan.anchor ? 3 : 1));
    CHECK(slots.front().trial == plan.anchor);
    CHECK(slots.front().repeat == 0);
    CHECK(slots.back().trial == plan.anchor);
    CHECK(slots.back().repeat == 2);
    const auto middle =
        std::find_if(slots.begin(), slots.end(), [](const PlannedRun& s) { return s.repeat == 1; });
    REQUIRE(middle != slots.end());
    CHECK(middle->trial == plan.anchor);
    CHECK(std::abs((middle - slots.begin()) - static_cast<std::ptrdiff_t>(slots.size() / 2)) <= 2);
  }
  CHECK(std::is_sorted(plan.order.begin(), plan.order.end(),
                       [](const PlannedRun& a, const PlannedRun& b) { return a.round < b.round; }));
}

TEST_CASE("order: the modes of a point run side by side", "[unit][plan]") {
  const Plan plan = plan_text(kSixAxes);
  for (const Point& p : plan.points) {
    std::vector<std::uint32_t> own;  // trials that serve this point alone
    for (const auto& [mode, t] : p.trials)
      if (plan.trials[t].points.size() == 1 && !plan.trials[t].skip) own.push_back(t);
    for (std::uint32_t round = 0; round < plan.rounds; ++round) {
      const std::vector<PlannedRun> slots = round_of(plan, round);
      std::vector<std::ptrdiff_t> at;
      for (std::size_t i = 0; i < slots.size(); ++i)
        if (std::find(own.begin(), own.end(), slots[i].trial) != own.end())
          at.push_back(static_cast<std::ptrdiff_t>(i));
      CHECK(at.size() == own.size());
      if (!at.empty()) CHECK(at.back() - at.front() == static_cast<std::ptrdiff_t>(at.size()) - 1);
    }
  }
}

TEST_CASE("order: rounds differ, a seed repeats them, another one changes them", "[unit][plan]") {
  const auto trials = [](const std::vector<PlannedRun>& slots) {
    std::vector<std::uint32_t> t;
    for (const PlannedRun& s : slots) t.push_back(s.trial);
    return t;
  };
  const Plan plan = plan_text(kSixAxes), again = plan_text(kSixAxes),
             other = plan_text(kSixAxes + "measure: {seed: 1}\n");
  CHECK(trials(round_of(plan, 0)) != trials(round_of(plan, 1)));
  CHECK(trials(plan.order) == trials(again.order));
  CHECK(trials(plan.order) != trials(other.order));
  CHECK(plan.digest == again.digest);
  CHECK(plan.digest != other.digest);
}

TEST_CASE("order: over many rounds each of a point's modes comes first about as often",
          "[unit][plan]") {
  const Plan plan =
      plan_text(kMock + "measure: {rounds: 400}\nsweep: {loader.num_workers: [0, 1]}\n");
  const Point& p = plan.points[1];
  int loader_first = 0;
  for (std::uint32_t round = 0; round < 400; ++round)
    for (const PlannedRun& s : round_of(plan, round)) {
      if (s.trial != p.trials[0].second && s.trial != p.trials[2].second) continue;
      loader_first += s.trial == p.trials[0].second;
      break;
    }
  CHECK(loader_first > 150);
  CHECK(loader_first < 250);
}

TEST_CASE("order: without a trainer mode the base's first trial is the anchor", "[unit][plan]") {
  const Plan plan = plan_text(kMock + "measure: {modes: [loader, pipeline]}\n");
  CHECK(plan.anchor == trial_of(plan, plan.points[0], Mode::loader).index);
  CHECK(round_of(plan, 0).size() == 4);
}

}  // namespace plan_order
}  // namespace benchbench::test
