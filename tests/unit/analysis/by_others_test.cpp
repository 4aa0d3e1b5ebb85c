// The cost of other programs to a trial, against a scheduler that is arithmetic: it gives each
// thread an equal part of the cores, and none more than it wants.
#include "harness/analysis/rules/by_others.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/analysis/rules/rules.h"
#include "harness/core/random.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::by_others_test {
namespace {

using Shares = std::vector<double>;  // of a core each

double sum_of(const Shares& shares) { return std::accumulate(shares.begin(), shares.end(), 0.0); }

// A thread that wants less than an equal part leaves the rest to the others.
Shares given(double cores, const Shares& wanted) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  Shares got(wanted.size());
  double left = cores;
  for (std::size_t i = 0; i < order.size(); ++i) {
    got[order[i]] = std::min(wanted[order[i]], left / static_cast<double>(order.size() - i));
    left -= got[order[i]];
  }
  return got;
}

// Threads of a trial, each of which wants a part of a core and sleeps for the rest, and loops of
// other programs, each of which wants a whole one.
struct Sharing {
  double cores;
  Shares wanted;
  std::size_t loops;
};

struct Seen {
  TrialRecord record;
  double lost;  // of what the trial's threads would have had alone
};

// A thread that had a share b of the w that it wants waited for 1 - b / w of the time: it slept
// (1 - w) / w for each second that it ran.
Seen seen(const Sharing& m) {
  const std::size_t n = m.wanted.size();
  Shares all = m.wanted;
  all.resize(n + m.loops, 1.0);
  const Shares got = given(m.cores, all);
  const Shares ours(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(n));
  Seen s;
  s.lost = 1 - sum_of(ours) / sum_of(given(m.cores, m.wanted));
  s.record.trial.mode = Mode::pipeline;
  s.record.facts = test::good_facts(1000);  // a window of 1 s
  s.record.environment.cpus_usable = static_cast<std::uint32_t>(m.cores);
  CpuFacts& cpu = s.record.facts.cpu;
  cpu.user_s = sum_of(ours), cpu.system_s = 0;
  cpu.others_s = sum_of(got) - sum_of(ours);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, 1 - got[i] / m.wanted[i]);
  cpu.run_delay_most_s = most;
  return s;
}

bool fires(const TrialRecord& record) {
  const auto reasons = judge(record).reasons;
  return std::ranges::any_of(reasons, [](const Reason& r) { return r.rule == "R09"; });
}

std::size_t drawn(Random& random, std::size_t from, std::size_t to) {
  return from + static_cast<std::size_t>(random.below(to - from + 1));
}

}  // namespace

TEST_CASE("by others: known answers", "[unit][analysis]") {
  // Five threads alone wait for each other, for 3 of 5 s.
  const Seen alone = seen({2, Shares(5, 1.0), 0});
  CHECK(alone.record.facts.cpu.run_delay_most_s.value() == Approx(0.6));
  CHECK(rules::by_others(alone.record)->lost_share == 0);
  // With two loops each of seven has 2/7; five alone have 2/5: 2/7 are lost, but for the ticks.
  const Seen two = seen({2, Shares(5, 1.0), 2});
  CHECK(two.lost == Approx(2.0 / 7));
  CHECK(rules::by_others(two.record)->lost_share == Approx(2.0 / 7).margin(0.01));
  CHECK(rules::by_others(two.record)->cores == Approx(4.0 / 7));
  // One thread of three has two thirds of a core, and waits for the other third.
  const Seen one = seen({2, {1.0}, 2});
  CHECK(one.lost == Approx(1.0 / 3));
  CHECK(rules::by_others(one.record)->lost_share == Approx(1.0 / 3));
  // There are cores for all of them.
  CHECK(rules::by_others(seen({64, Shares(5, 1.0), 2}).record)->lost_share == 0);
}

// 40 of 64 cores are ours; a loop is bound to the one that the trainer's thread is bound to.
TEST_CASE("by others: a trainer that waits though cores are left loses what it waits",
          "[unit][analysis]") {
  TrialRecord record = seen({64, Shares(40, 1.0), 1}).record;
  Facts& f = record.facts;
  f.window.loop = {100'000'000, 0, 900'000'000, 0, 0};
  f.cpu.run_delay_most_s = f.cpu.run_delay_trainer_s = 0.5;
  CHECK(rules::by_others(record)->lost_share == Approx(0.5));
  // The loader sets the pace: the trainer would have waited for its batches.
  f.window.loop = {600'000'000, 0, 400'000'000, 0, 0};
  CHECK(rules::by_others(record)->lost_share < 0.03);
  // A worker is the one that waits.
  f.window.loop = {100'000'000, 0, 900'000'000, 0, 0};
  f.cpu.run_delay_trainer_s = 0;
  CHECK(rules::by_others(record)->lost_share < 0.03);
}

TEST_CASE("by others: where it was not measured nothing is said", "[unit][analysis]") {
  TrialRecord record = seen({2, Shares(5, 1.0), 2}).record;
  REQUIRE(rules::by_others(record));
  for (const double wrong :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    record.facts.cpu.others_s = wrong;
    CHECK_FALSE(rules::by_others(record));
  }
  record.facts.cpu.others_s.reset();
  CHECK_FALSE(rules::by_others(record));
  record = seen({2, Shares(5, 1.0), 2}).record;
  record.facts.cpu.user_s.reset();
  CHECK_FALSE(rules::by_others(record));
  CHECK_FALSE(fires(record));
}

TEST_CASE("by others: of the CPUs that run.cpus leaves, else of those by affinity",
          "[unit][analysis]") {
  TrialRecord record = seen({4, Shares(5, 1.0), 2}).record;
  CHECK(rules::by_others(record)->cpus == 4);
  record.trial.settings.set("run.cpus", test::whole(2));
  CHECK(rules::by_others(record)->cpus == 2);
  record.trial.settings.set("run.cpus", test::words("two"));  // a store that was changed
  CHECK(rules::by_others(record)->cpus == 4);
}

TEST_CASE("by others: 2,000 drawn machines fire where other programs cost over 3 %, and only there",
          "[unit][analysis]") {
  Random random(34);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t threads = drawn(random, 1, 16);
    Sharing m{static_cast<double>(drawn(random, 1, 64)), Shares(threads, 1.0), drawn(random, 0, 8)};
    if (i % 2 == 0) m.cores = static_cast<double>(drawn(random, 1, 8));
    const bool alike = i % 4 < 2;
    double wanted = 0.02 + 0.98 * random.uniform();
    for (double& of_one : m.wanted) {
      if (!alike) wanted = 0.02 + 0.98 * random.uniform();
      of_one = wanted;
    }
    const Seen s = seen(m);
    CAPTURE(i, m.cores, threads, m.loops, s.lost);
    if (s.lost > 0.05) CHECK(fires(s.record));
    if (m.loops == 0) CHECK_FALSE(fires(s.record));
    // This scheduler is fair: the figure is the loss itself where all threads are alike, else more.
    if (alike && s.lost < 0.03) CHECK_FALSE(fires(s.record));
    CHECK(rules::by_others(s.record)->lost_share > s.lost - 0.03);
  }
}

}  // namespace benchbench::by_others_test
