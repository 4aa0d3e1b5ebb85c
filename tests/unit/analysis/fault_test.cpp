#include "harness/analysis/components/fault.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "harness/analysis/statistics/difference.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench::fault_test {
namespace {

double t_factor(double freedom) { return Shift{0, 1, freedom, 0}.half(); }

using ByRound = std::map<std::uint32_t, double>;

// Rounds with this mean whose 95 % interval has this half width.
ByRound rounds_of(double value, double half, std::uint32_t n = 10) {
  const double off = half * std::sqrt(n - 1.0) / t_factor(n - 1);
  ByRound rounds;
  for (std::uint32_t r = 0; r < n; ++r) rounds[r] = value + (r % 2 ? off : -off);
  return rounds;
}

Measured mean_of(const ByRound& rounds) {
  std::vector<double> values;
  for (const auto& [round, ms] : rounds) values.push_back(ms);
  return estimate_mean(values);
}

struct Taken {
  Component component;
  double ms;
  bool bounded = false;
  bool derived = false;
};

Substitutions taken(double step_ms, std::vector<Taken> components, double half = 0.002,
                    std::uint32_t n = 10) {
  Substitutions s;
  s.batch = 4;
  s.step_ms_by_round = rounds_of(step_ms, half, n);
  s.step_ms = mean_of(s.step_ms_by_round);
  for (const Taken& t : components) {
    Recovered r;
    r.component = t.component;
    r.planned = true;
    r.ms_by_round = rounds_of(t.ms, half, n);
    r.ms = mean_of(r.ms_by_round);
    r.share = t.ms / step_ms;
    r.bounded = t.bounded;
    r.derived = t.derived;
    s.components.push_back(r);
  }
  return s;
}

using enum Component;

}  // namespace

TEST_CASE("fault: the component that has grown most is named", "[unit][analysis]") {
  const Fault f = name_fault(taken(1, {{storage, 0.2}, {decode, 0.4}}),
                             taken(1.3, {{storage, 0.5}, {decode, 0.4}}));
  CHECK(f.naming == Naming::one);
  CHECK(f.named == std::vector{storage});
  CHECK(f.growths.front().ms.value == Approx(0.3));
  CHECK(f.growths.front().share == Approx(0.3 / 1.3));
  CHECK(f.step_growth_ms->value == Approx(0.3));
}

TEST_CASE("fault: what has not grown by 2 % of the step is none", "[unit][analysis]") {
  CHECK(name_fault(taken(1, {{storage, 0.2}}), taken(1.019, {{storage, 0.219}})).naming ==
        Naming::none);
  CHECK(name_fault(taken(1, {{storage, 0.2}}), taken(1.03, {{storage, 0.23}})).named ==
        std::vector{storage});
}

TEST_CASE("fault: a growth whose interval holds 0 is none", "[unit][analysis]") {
  CHECK(name_fault(taken(1, {{storage, 0.2}}, 0.05), taken(1.05, {{storage, 0.25}}, 0.05)).naming ==
        Naming::none);
}

TEST_CASE("fault: intervals are as wide as the number of components asks for", "[unit][analysis]") {
  const auto width = [](std::vector<Taken> components) {
    const Substitutions s = taken(1, components);
    const Estimate e = name_fault(s, s).growths.front().ms;
    return (e.high - e.low) / 2;
  };
  // One: Welch's t of two means of 10 with the same spread has 18 degrees of freedom.
  const double error = std::hypot(0.002, 0.002) / t_factor(9);
  CHECK(width({{storage, 0.2}}) == Approx(t_factor(18) * error));
  CHECK(width({{storage, 0.2}, {decode, 0.1}, {tail, 0}}) > 1.2 * t_factor(18) * error);
}

TEST_CASE("fault: runs of other numbers of rounds and other spread have Welch's degrees of freedom",
          "[unit][analysis]") {
  // scipy 1.10's ttest_ind(equal_var=False) has p = 0.0028627428 here, which is that of 3.090415
  // degrees of freedom; with 10 + 4 - 2 the interval were 0.309 to 0.516.
  const auto run = [](const std::vector<double>& step_ms) {
    Substitutions s;
    s.batch = 4;
    for (std::uint32_t r = 0; r < step_ms.size(); ++r) s.step_ms_by_round[r] = step_ms[r];
    s.step_ms = mean_of(s.step_ms_by_round);
    return s;
  };
  const Fault f = name_fault(run({1.00, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1.00, 1.01, 0.99}),
                             run({1.30, 1.45, 1.38, 1.52}));
  REQUIRE(f.step_growth_ms);
  CHECK(f.step_growth_ms->value == Approx(0.4125).epsilon(1e-9));
  CHECK(f.step_growth_ms->low == Approx(0.263805219003).epsilon(1e-9));
  CHECK(f.step_growth_ms->high == Approx(0.561194780997).epsilon(1e-9));
}

TEST_CASE("fault: two that have grown alike are a tie", "[unit][analysis]") {
  const Fault f = name_fault(taken(1, {{storage, 0.2}, {decode, 0.2}}),
                             taken(1.6, {{storage, 0.5}, {decode, 0.5}}));
  CHECK(f.naming == Naming::tie);
  CHECK(f.named.size() == 2);
}

TEST_CASE("fault: of growths alike, one that is not bounded by the other side is the one",
          "[unit][analysis]") {
  const Fault f = name_fault(taken(1, {{compute, 0.6, true}, {postprocess, 0.2}}),
                             taken(1.3, {{compute, 0.9, true}, {postprocess, 0.5}}));
  CHECK(f.named == std::vector{postprocess});
  const Fault both = name_fault(taken(1, {{compute, 0.6, true}, {postprocess, 0.2}}),
                                taken(1.3, {{compute, 0.9, true}, {postprocess, 0.5, true}}));
  CHECK(both.naming == Naming::tie);
}

TEST_CASE("fault: a cause of its own goes before what hides it", "[unit][analysis]") {
  // Larger batches even a tail out.
  CHECK(name_fault(taken(1, {{tiny_batch, 0.2}, {tail, 0}}),
                   taken(1.4, {{tiny_batch, 0.5}, {tail, 0.4}}))
            .named == std::vector{tail});
  CHECK(name_fault(taken(1, {{order, 0}, {straggler, 0}}),
                   taken(1.4, {{order, 0.4}, {straggler, 0.4}}))
            .named == std::vector{straggler});
  // A lock told from one worker's rate also grows where a slow sample holds up the others.
  CHECK(name_fault(taken(1, {{lock, 0, false, true}, {tail, 0}}),
                   taken(1.4, {{lock, 0.4, false, true}, {tail, 0.4}}))
            .named == std::vector{tail});
}

TEST_CASE("fault: four times the batch takes three quarters of a batch's own cost away",
          "[unit][analysis]") {
  const Fault f = name_fault(taken(1, {{tiny_batch, 0.15}}), taken(1.4, {{tiny_batch, 0.45}}));
  CHECK(f.named == std::vector{tiny_batch});
  CHECK(f.growths.front().ms.value == Approx(0.4));
  // Never more than the step grew by.
  const Fault capped =
      name_fault(taken(1, {{tiny_batch, 0.15}}), taken(1.32, {{tiny_batch, 0.45}}));
  CHECK(capped.growths.front().ms.value == Approx(0.32));
}

TEST_CASE("fault: what is done once a batch and has a component of its own is not the batch's",
          "[unit][analysis]") {
  // Four times the batch thins out a lock held in each call, and what a batch costs besides.
  const Fault both = name_fault(taken(1, {{tiny_batch, 0.2}, {lock, 0}}),
                                taken(1.6, {{tiny_batch, 0.65}, {lock, 0.4}}));
  CHECK(both.named == std::vector{lock});
  CHECK(both.growths[1].component == tiny_batch);
  CHECK(both.growths[1].ms.value == Approx(0.2));
  CHECK(name_fault(taken(1, {{tiny_batch, 0.2}, {lock, 0.1}}),
                   taken(1.4, {{tiny_batch, 0.5}, {lock, 0.1}}))
            .named == std::vector{tiny_batch});
}

TEST_CASE("fault: a batch of another size is compared by the sample", "[unit][analysis]") {
  Substitutions suspect = taken(0.5, {{storage, 0.2}});
  suspect.batch = 1;
  const Fault f = name_fault(taken(1, {{storage, 0.2}}), suspect);
  CHECK(f.step_growth_ms->value == Approx(1.0));
  CHECK(f.growths.front().ms.value == Approx(0.6));
  CHECK(f.growths.front().share == Approx(0.3));
}

TEST_CASE("fault: what the base had nothing of is compared with 0", "[unit][analysis]") {
  CHECK(name_fault(taken(1, {{storage, 0.2}}), taken(1.3, {{storage, 0.2}, {straggler, 0.3}}))
            .named == std::vector{straggler});
}

TEST_CASE("fault: one round names nothing", "[unit][analysis]") {
  Substitutions once = taken(1.3, {{storage, 0.5}});
  once.step_ms_by_round = {{0, 1.3}};
  CHECK(name_fault(taken(1, {{storage, 0.2}}), once).naming == Naming::not_measured);
  CHECK(name_fault(taken(1, {}), taken(1.3, {})).naming == Naming::not_measured);
}

TEST_CASE("fault: under five rounds it takes 10 % of the step", "[unit][analysis]") {
  const auto few = [](double step_ms, double ms) {
    return taken(step_ms, {{storage, ms}}, 0.002, 4);
  };
  CHECK(name_fault(few(1, 0.2), few(1.06, 0.26)).naming == Naming::none);
  CHECK(name_fault(few(1, 0.2), few(1.2, 0.4)).named == std::vector{storage});
}

TEST_CASE("fault: what steps differ by from round to round is in the interval",
          "[unit][analysis]") {
  // Half of each step is storage's: no share differs, the machine was slower while the suspect ran.
  const auto half_of_steps = [](ByRound steps) {
    Substitutions s = taken(1, {{storage, 0}});
    s.step_ms_by_round = steps;
    s.step_ms = mean_of(steps);
    for (auto& [round, ms] : steps) ms /= 2;
    s.components[0].ms_by_round = steps;
    s.components[0].ms = mean_of(steps);
    return s;
  };
  const Substitutions base = half_of_steps({{0, 9}, {1, 10}, {2, 11}, {3, 9}, {4, 11}}),
                      suspect =
                          half_of_steps({{0, 9.5}, {1, 10.5}, {2, 11.5}, {3, 9.5}, {4, 11.5}});
  const Fault apart = name_fault(base, suspect);
  CHECK(apart.naming == Naming::none);
  CHECK(apart.growths.front().ms.value == Approx(0.25));
  CHECK(apart.growths.front().ms.low < 0);
  // In the same rounds it is half a millisecond more in each of them.
  CHECK(name_fault(base, suspect, Rounds::shared).named == std::vector{storage});
}

TEST_CASE("fault: of shared rounds only those of both count", "[unit][analysis]") {
  const Substitutions base = taken(1, {{storage, 0.2}});
  Substitutions suspect = taken(1.3, {{storage, 0.5}});
  suspect.components[0].ms_by_round[10] = 100;
  CHECK(name_fault(base, suspect, Rounds::shared).growths.front().ms.value == Approx(0.3));
  suspect.step_ms_by_round = {{0, 1.3}, {20, 1.3}};
  CHECK(name_fault(base, suspect, Rounds::shared).naming == Naming::not_measured);
}

TEST_CASE("fault: what was to be measured and has no usable round is not 0", "[unit][analysis]") {
  Substitutions base = taken(1, {{storage, 0.2}, {copy, 0.3}});
  const Substitutions suspect = taken(1, {{storage, 0.2}, {copy, 0.3}});
  base.components[1].ms.reset();
  base.components[1].ms_by_round.clear();
  for (const Rounds rounds : {Rounds::apart, Rounds::shared}) {
    const Fault f = name_fault(base, suspect, rounds);
    CHECK(f.naming == Naming::none);
    CHECK(f.growths.size() == 1);
  }
  base.components[1].planned = false;  // the base copied nothing
  for (const Rounds rounds : {Rounds::apart, Rounds::shared})
    CHECK(name_fault(base, suspect, rounds).named == std::vector{copy});
}

}  // namespace benchbench::fault_test
