#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "harness/analysis/history/thresholds.h"
#include "harness/core/random.h"
#include "harness/core/units.h"
#include "tests/unit/analysis/kept_nights.h"

namespace benchbench {
namespace history_test {

std::vector<double> noise(std::size_t nights, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<double> v(nights);
  for (double& x : v) x = 0.02 * random.normal();
  return v;
}

std::vector<Alert> judged(const std::vector<double>& logs) {
  SeriesJudge judge;
  for (const double v : logs) judge.add({v, false, false});
  return judge.alerts();
}

std::vector<Alert> judged(const std::vector<double>& logs, const std::vector<double>& widths) {
  SeriesJudge judge;
  for (std::size_t i = 0; i < logs.size(); ++i) judge.add({logs[i], false, false, widths[i]});
  return judge.alerts();
}

// 0 before night `at`, and `value` from there on.
std::vector<double> step_at(std::size_t at, double value, std::size_t nights) {
  std::vector<double> v(nights, 0.0);
  for (std::size_t i = at; i < nights; ++i) v[i] = value;
  return v;
}

TEST_CASE("history: a step is one alert with its nights and size", "[unit][analysis]") {
  auto logs = noise(60);
  for (std::size_t i = 40; i < 60; ++i) logs[i] += std::log(0.8);
  const auto alerts = judged(logs);
  REQUIRE(alerts.size() == 1);
  CHECK(alerts[0].kind == ChangeKind::step);
  CHECK(alerts[0].first == 40);
  CHECK(alerts[0].last_before == 39);
  CHECK(alerts[0].told == 43);
  CHECK(alerts[0].ratio == Approx(0.8).margin(0.02));
  CHECK(alerts[0].worse());
}

TEST_CASE("history: one bad night, and two in a row, raise nothing", "[unit][analysis]") {
  auto logs = noise(60);
  logs[30] += std::log(0.7);
  CHECK(judged(logs).empty());
  logs[31] += std::log(0.7);
  CHECK(judged(logs).empty());
}

TEST_CASE("history: the same values every night, and a change of them in virtual time",
          "[unit][analysis]") {
  std::vector<double> logs(40, 1.0);
  CHECK(judged(logs).empty());
  for (std::size_t i = 20; i < 40; ++i) logs[i] += std::log(1.05);
  const auto alerts = judged(logs);
  REQUIRE(alerts.size() == 1);
  CHECK(alerts[0].first == 20);
  CHECK_FALSE(alerts[0].worse());
}

TEST_CASE("history: under 10 nights nothing is said", "[unit][analysis]") {
  std::vector<double> logs(9, 0.0);
  for (std::size_t i = 5; i < 9; ++i) logs[i] = std::log(0.5);
  CHECK_FALSE(look_for_change(logs));
  logs.insert(logs.begin(), 0.0);
  CHECK(look_for_change(logs));
}

TEST_CASE("history: nights that are not judged count for nothing, whatever their value",
          "[unit][analysis]") {
  SeriesJudge judge;
  auto logs = noise(30);
  for (std::size_t i = 0; i < 30; ++i) {
    judge.add({logs[i], false, false});
    judge.add({logs[i] - 1, true, false});
    judge.add({std::nullopt, false, false});
    judge.add({std::numeric_limits<double>::quiet_NaN(), false, false});
    judge.add({-std::numeric_limits<double>::infinity(), false, false});
  }
  CHECK(judge.alerts().empty());
  CHECK(judge.judged() == 30);
}

TEST_CASE("history: 16 wide nights, slower by a fifth from the 12th on, are a change",
          "[unit][analysis]") {
  const auto logs = step_at(11, -std::log(1.2), 16);
  const auto alerts = judged(logs, std::vector<double>(16, 0.06));
  REQUIRE(alerts.size() == 1);
  CHECK(alerts[0].first == 11);
  CHECK(alerts[0].told == 14);  // the fourth changed night
  CHECK(alerts[0].ratio == Approx(1 / 1.2));
  CHECK(judged(logs, std::vector<double>(16, 0.19)).empty());  // log(1.2) is 0.18
}

TEST_CASE("history: wide nights that may have been as fast as those before are no change",
          "[unit][analysis]") {
  const auto logs = step_at(20, -0.05, 40);
  CHECK(judged(logs).size() == 1);
  CHECK(judged(logs, step_at(20, 0.06, 40)).empty());
  CHECK(judged(logs, step_at(20, 0.01, 40)).size() == 1);  // 0.04 is left
}

TEST_CASE("history: wide nights before faster ones may have been as fast, not the faster ones slow",
          "[unit][analysis]") {
  auto logs = step_at(11, 0.05, 16);
  CHECK(judged(logs).size() == 1);
  auto before = step_at(11, -0.06, 16);
  for (double& width : before) width += 0.06;
  CHECK(judged(logs, before).empty());
  CHECK(judged(logs, step_at(11, 0.06, 16)).size() == 1);
}

TEST_CASE("history: a drift through wide nights counts beyond what they may have been faster by",
          "[unit][analysis]") {
  std::vector<double> logs(40);
  for (std::size_t i = 0; i < 40; ++i) logs[i] = -0.05 * static_cast<double>(i) / 39;
  REQUIRE(look_for_change(logs));
  CHECK(look_for_change(logs)->kind == ChangeKind::drift);
  // The slower half may have been at -0.025: a line through both halves falls by that, under 3 %.
  CHECK_FALSE(look_for_change(logs, step_at(20, 0.06, 40)));
  auto early = step_at(20, -0.06, 40);
  for (double& width : early) width += 0.06;
  CHECK(look_for_change(logs, early));
}

TEST_CASE("history: thresholds fall with the nights that are known", "[unit][analysis]") {
  CHECK(split_threshold(6, 4) > split_threshold(20, 4));
  CHECK(split_threshold(20, 4) > split_threshold(46, 4));
  CHECK(split_threshold(6, 4) > 10);
  CHECK(line_threshold(20) > line_threshold(50));
}

TEST_CASE("history: canaries that moved, and a machine that stays as it became",
          "[unit][analysis]") {
  std::vector<Canaries> nights(40, Canaries{{"a", 100.0}});
  nights[20]["a"] = 96.9;
  nights[21]["a"] = 97.1;
  for (std::size_t i = 25; i < 40; ++i) nights[i]["a"] = 110;
  const auto judged = judge_canaries(nights);
  CHECK(judged[20].moved);
  CHECK(judged[20].series == "a");
  CHECK_FALSE(judged[21].moved);
  CHECK_FALSE(judged[24].moved);
  CHECK(judged[25].moved);
  CHECK(judged[34].moved);
  CHECK(judged[34].new_machine);
  CHECK_FALSE(judged[35].moved);
  CHECK_FALSE(judge_canaries({{{"a", 100}}, {{"a", 50}}})[1].moved);  // too few nights to say
}

TEST_CASE("history: the self-check tells a one-sided history of months from chance",
          "[unit][analysis]") {
  std::vector<std::pair<std::size_t, bool>> changes;
  for (std::size_t i = 0; i < 11; ++i) changes.emplace_back(i, true);
  CHECK(self_check(changes, 60).biased);
  CHECK_FALSE(self_check(changes, 59).biased);
  CHECK(self_check(changes, 60).p == Approx(2 / 2048.0));
  changes.pop_back();
  CHECK_FALSE(self_check(changes, 60).biased);
  changes.insert(changes.end(), 5, {3, true});  // other series, same night
  CHECK(self_check(changes, 60).worse == 10);
  CHECK_FALSE(self_check({}, 60).biased);
}

KeptHistory kept(const std::vector<double>& rates, const std::string& machine = "m") {
  test::KeptNights nights(0);
  for (const double rate : rates) nights.add("s", rate);
  for (KeptRun& run : nights.all.runs) run.machine = machine;
  return nights.all;
}

TEST_CASE("history: nights with what changed, machines apart, runs in any order",
          "[unit][analysis]") {
  std::vector<double> rates(20, 100.0);
  for (std::size_t i = 15; i < 20; ++i) rates[i] = 90;
  KeptHistory all = kept(rates);
  for (std::size_t i = 0; i < 20; ++i)
    all.runs[i].surroundings = {{"kernel", i < 15 ? "6.1" : "6.8"}};
  const KeptHistory other = kept(std::vector<double>(3, 50.0), "n");
  all.runs.insert(all.runs.begin(), other.runs.rbegin(), other.runs.rend());
  const History history = make_history(all);
  REQUIRE(history.machines.size() == 2);
  const MachineHistory& m = history.machines[0];
  CHECK(m.machine == "m");
  REQUIRE(m.nights.size() == 20);
  CHECK(m.nights[15].changed == std::vector<std::string>{"kernel: 6.1 -> 6.8"});
  CHECK(m.nights[14].changed.empty());
  REQUIRE(m.series.size() == 1);
  REQUIRE(m.series[0].alerts.size() == 1);
  CHECK(m.series[0].alerts[0].first == 15);
  CHECK(history.machines[1].series[0].judged == 3);
}

TEST_CASE(
    "history: what unchanged nights differ by, without changes and nights that are not judged, "
    "from ten nights on",
    "[unit][analysis]") {
  std::vector<double> rates;
  for (int i = 0; i < 30; ++i) rates.push_back(i % 2 == 0 ? 100 : 102);
  for (int i = 0; i < 12; ++i) rates.push_back(i % 2 == 0 ? 80 : 81.6);
  const History history = make_history(kept(rates));
  REQUIRE(history.machines.at(0).series.at(0).alerts.size() == 1);
  CHECK(history.machines[0].spread.value() == Approx(0.02));  // and not the change of a fifth
  KeptHistory moved = kept(std::vector<double>(20, 100.0));
  moved.series["c"] = {"canaries", "base", "pipeline_rate", true};
  for (std::size_t i = 0; i < moved.runs.size(); ++i) {
    moved.runs[i].values.push_back({"c", i == 12 ? 150.0 : 100.0, 10});
    if (i == 12) moved.runs[i].values[0].median = 70;
  }
  CHECK(make_history(moved).machines.at(0).spread.value() == Approx(0));
  CHECK_FALSE(make_history(kept(std::vector<double>(9, 100.0))).machines.at(0).spread);
  CHECK(make_history(kept(std::vector<double>(10, 100.0))).machines.at(0).spread);
}

TEST_CASE("history: wide nights say nothing of what nights differ by", "[unit][analysis]") {
  KeptHistory all = kept(std::vector<double>(16, 100.0));
  for (KeptRun& run : all.runs) run.values[0].width = 0.06;
  CHECK_FALSE(make_history(all).machines.at(0).spread);
  for (std::size_t i = 0; i < 4; ++i) all.runs[i].values[0].width = 0;
  all.runs[2].values[0].median = 102;
  CHECK(make_history(all).machines.at(0).spread.value() == Approx(0.02));
  // A change that begins on a wide night is not what its neighbours differ by.
  std::vector<double> rates(30, 100.0);
  rates.resize(42, 80.0);
  KeptHistory changed = kept(rates);
  changed.runs[30].values[0].width = 0.06;
  const History history = make_history(changed);
  REQUIRE(history.machines.at(0).series.at(0).alerts.size() == 1);
  CHECK(history.machines[0].series[0].alerts[0].first == 30);
  CHECK(history.machines[0].spread.value() == Approx(0));
}

TEST_CASE("history: a canary's wide night says nothing of the machine", "[unit][analysis]") {
  KeptHistory all = kept(std::vector<double>(12, 100.0));
  all.series["c"] = {"canaries", "base", "pipeline_rate", true};
  for (KeptRun& run : all.runs) run.values.push_back({"c", 100, 10});
  all.runs[7].values[1] = {"c", 90, 0, 0.06};
  CHECK_FALSE(make_history(all).machines.at(0).nights[7].canaries.moved);
  all.runs[7].values[1].width = 0;
  CHECK(make_history(all).machines.at(0).nights[7].canaries.moved);
}

TEST_CASE("history: of a night with several runs the last value counts; NaN and 0 are no values",
          "[unit][analysis]") {
  KeptHistory all = kept({100, 100, std::numeric_limits<double>::quiet_NaN(), 0});
  for (KeptRun& run : all.runs) run.labels = {{"night", "one"}};
  const History one = make_history(all);
  REQUIRE(one.machines.size() == 1);
  CHECK(one.machines[0].nights.size() == 1);
  CHECK(one.machines[0].nights[0].folders.size() == 4);
  const SeriesHistory& s = one.machines[0].series[0];
  REQUIRE(s.not_judged.size() == 1);
  CHECK(s.not_judged[0].night == 0);
  CHECK(s.not_judged[0].reason == "fewer than half of its rounds were VALID");
  CHECK(make_history({}).machines.empty());
}

}  // namespace history_test
}  // namespace benchbench
