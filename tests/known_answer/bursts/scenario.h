// Lines of mocks drawn at random, from too short a window to a long one.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>

#include "harness/core/random.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/trial.h"
#include "tests/known_answer/bursts/oracle.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::bursts {

inline constexpr std::uint64_t kSeed = 20261201;

// A distribution of times by its name in a scenario, with the mean 1.
struct Spread {
  const char* distribution = "constant";
  double share = 0.5;

  double drawn(Random& random) const {
    const std::string_view name = distribution;
    if (name == "uniform") return random.uniform(1 - share, 1 + share);
    if (name == "exponential") return random.exponential(1);
    if (name == "lognormal") return std::exp(share * random.normal() - share * share / 2);
    return 1;
  }
};

struct Scenario {
  std::uint64_t number = 0;
  std::uint32_t workers = 0, max_jobs = 1, rows = 4;
  Dispatch dispatch = Dispatch::shared;
  bool in_order = true;
  bool rows_shared = false;               // all workers fill each batch
  std::int64_t make_ns = 0, step_ns = 0;  // a batch, or a row where rows are shared; a step
  Spread make, step;
  std::int64_t window_ns = 1;
  std::uint64_t batches = 1;
  std::string warm_up = "until_steady";

  std::int64_t at_once() const { return std::max<std::int64_t>(1, std::min(workers, max_jobs)); }
  std::int64_t burst() const { return workers < 2 ? 1 : rows_shared ? workers : at_once(); }
  // The mean time from one batch to the next, of all workers together.
  double batch_ns() const {
    const auto make_time = static_cast<double>(make_ns);
    if (rows_shared) return make_time * rows / workers;
    return make_time / static_cast<double>(at_once());
  }

  std::string text() const {
    return std::to_string(number) + ": " + std::to_string(workers) + " workers, " +
           std::to_string(max_jobs) + " jobs, " + std::string(name_of(dispatch)) +
           (in_order ? ", in order" : ", any order") +
           (rows_shared ? ", rows shared by " + std::to_string(rows) : "") + ", make " +
           make.distribution + " " + std::to_string(make_ns) + " ns, step " + step.distribution +
           " " + std::to_string(step_ns) + " ns, window " + std::to_string(window_ns) + " ns and " +
           std::to_string(batches) + " batches, warm-up " + warm_up;
  }
};

inline double log_uniform(Random& random, double low, double high) {
  return std::exp(random.uniform(std::log(low), std::log(high)));
}

inline Spread drawn_spread(Random& random) {
  switch (random.below(3)) {
    case 0:
      return {"uniform", log_uniform(random, 0.02, 1)};
    case 1:
      return {"exponential"};
    default:
      return {"lognormal", log_uniform(random, 0.02, 0.6)};
  }
}

// A step takes nothing, exactly what a batch takes, or a twentieth to twenty times that.
inline void draw_step(Random& random, Scenario& s) {
  const std::uint64_t kind = random.below(20);
  if (kind == 0 && !s.rows_shared) {
    s.step_ns = s.make_ns / s.at_once();
    s.make_ns = s.step_ns * s.at_once();
  } else if (kind > 4) {
    s.step_ns = std::llround(s.batch_ns() * log_uniform(random, 0.05, 20));
  }
}

inline void draw_workers(Random& random, bool constant, Scenario& s) {
  s.workers = static_cast<std::uint32_t>(random.below(17));
  const std::uint32_t many = std::max(1u, s.workers);
  s.max_jobs = random.below(2) ? many << random.below(3)
                               : 1 + static_cast<std::uint32_t>(random.below(3 * many));
  s.dispatch = static_cast<Dispatch>(random.below(3));
  s.in_order = random.below(2) > 0;
  s.rows_shared = constant && s.workers > 0 && random.below(10) == 0;
  if (!s.rows_shared) return;
  s.rows = 1 + static_cast<std::uint32_t>(random.below(32));
  s.dispatch = Dispatch::shared;
  s.max_jobs = std::max(s.max_jobs, s.workers);
}

// 0 to 16 workers, batches of 0.1 ms to 1 s, windows of 0.3 to 300 of them.
inline Scenario drawn_scenario(std::uint64_t number, bool constant) {
  Random random(mix_seed(kSeed, number, constant));
  Scenario s;
  s.number = number;
  draw_workers(random, constant, s);
  s.make_ns = std::llround(log_uniform(random, 1e5, 1e9));
  draw_step(random, s);
  if (!constant) s.make = drawn_spread(random);
  if (!constant && random.below(2)) s.step = drawn_spread(random);
  const double unit = s.batch_ns() + static_cast<double>(s.workers == 0 ? s.step_ns : 0);
  s.window_ns = std::llround(unit * log_uniform(random, 0.3, 300));
  s.batches = 1 + random.below(50);
  if (random.below(3) > 0) return s;
  const double share = random.below(2) ? random.uniform() : 0;
  s.warm_up = std::to_string(std::llround(share * static_cast<double>(s.window_ns))) + "ns";
  return s;
}

// Its loader alone, or its pipeline.
inline Trial trial_of(const Scenario& s, Mode mode) {
  TrialOfMocks mocks("synthetic", mode == Mode::loader ? "discard" : "timed", {});
  const auto set = [&](std::string_view key, const std::string& value) {
    mocks.change({{key, value}});
  };
  const auto ns = [](std::int64_t time) { return std::to_string(time) + "ns"; };
  set("loader.num_workers", std::to_string(s.workers));
  set("loader.max_jobs", std::to_string(s.max_jobs));
  set("loader.batch_size", std::to_string(s.rows));
  set("loader.dispatch", std::string(name_of(s.dispatch)));
  set("loader.in_order", s.in_order ? "true" : "false");
  set("loader.work_unit", s.rows_shared ? "sample" : "batch");
  set(s.rows_shared ? "loader.sample_time" : "loader.batch_time", ns(s.make_ns));
  set("loader.distribution", s.make.distribution);
  set("loader.spread", std::to_string(s.make.share));
  if (mode == Mode::pipeline) {
    set("trainer.step_time", ns(s.step_ns));
    set("trainer.distribution", s.step.distribution);
    set("trainer.spread", std::to_string(s.step.share));
  }
  set("measure.window", ns(s.window_ns));
  set("measure.window_batches", std::to_string(s.batches));
  set("measure.warmup", s.warm_up);
  set("measure.seed", std::to_string(s.number));
  return mocks.trial();
}

// The mean time of a step by the recurrence, ns.
inline double known_step_ns(const Scenario& s, Mode mode, std::size_t steps) {
  Random make(mix_seed(kSeed, s.number, 1)), step(mix_seed(kSeed, s.number, 2));
  const double step_ns = mode == Mode::loader ? 0 : static_cast<double>(s.step_ns);
  return mean_step(
      {.workers = s.workers,
       .credits = s.max_jobs,
       .in_order = s.in_order,
       .assigned = s.dispatch == Dispatch::shared        ? Assigned::to_the_first_free
                   : s.dispatch == Dispatch::round_robin ? Assigned::in_turn
                                                         : Assigned::to_the_least_loaded,
       .make = [&] { return static_cast<double>(s.make_ns) * s.make.drawn(make); },
       .step = [&] { return step_ns * s.step.drawn(step); }},
      steps);
}

}  // namespace benchbench::test::bursts
