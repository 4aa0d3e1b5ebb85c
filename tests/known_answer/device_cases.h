// Trials of a device that copies and steps, with known times: tests/known_answer/device holds the
// emulated accelerator to the equations in virtual time, and the same trials on the real clock keep
// the times that they have there.
#pragma once
#include <catch2/catch.hpp>
#include <cstdio>
#include <string_view>

#include "tests/control.h"
#include "tests/known_answer/real_trial.h"

namespace benchbench::test {

inline constexpr double kBatchBytes = 16 * (2 * 2 * 2 + 8);  // as TrialOfMocks has them, and labels

// Where the device waits for the host each step it took up to four bare hand-overs, and machines
// differ.
inline constexpr int kHopsInTurn = 8;

struct DeviceCase {
  const char* what;
  const char *pinned, *non_blocking, *stream, *in_flight, *kernels, *log_every;

  // True if the device waits for the host each step: to be given a batch, and to wake up.
  bool in_turn() const {
    return std::string_view(in_flight) == "1" || std::string_view(log_every) == "1";
  }
  // A copy takes a quarter of the step from pinned memory, and half of it from pageable memory.
  double copy_share() const { return std::string_view(pinned) == "true" ? 0.25 : 0.5; }
  // What a step takes in a window of so many steps, as a share of its own time: where copies have a
  // stream of their own, only the window's first one is not behind the step before.
  double equation(double steps) const {
    const bool hidden = std::string_view(stream) == "own" && !in_turn();
    return 1 + copy_share() / (hidden ? steps : 1);
  }
};
inline constexpr DeviceCase kDeviceCases[] = {
    {"pageable, current", "false", "false", "current", "2", "1", "none"},
    {"pageable, own", "false", "false", "own", "2", "1", "none"},
    {"pinned, current", "true", "true", "current", "2", "1", "none"},
    {"pinned, own", "true", "true", "own", "2", "1", "none"},
    {"pinned, blocking", "true", "false", "own", "2", "4", "none"},
    {"pinned, one buffer", "true", "true", "current", "1", "4", "none"},
    {"pinned, read back each step", "true", "true", "own", "2", "4", "1"}};

// How long all steps are, and how exactly they are to keep that.
struct DeviceSteps {
  const char* time;
  Nanoseconds ns;
  const char* window;
  double tolerance;
  double pinned_rate() const { return 4 * kBatchBytes * 1e9 / static_cast<double>(ns.count()); }
};

inline Trial trial_on(const char* device, const DeviceCase& c, const DeviceSteps& steps) {
  char pinned[40], pageable[40];
  std::snprintf(pinned, sizeof pinned, "%.0fB/s", steps.pinned_rate());
  std::snprintf(pageable, sizeof pageable, "%.0fB/s", steps.pinned_rate() / 2);
  TrialOfMocks mocks("synthetic", "timed",
                     {{"loader.num_workers", "1"},
                      {"loader.batch_time", "100us"},
                      {"loader.batch_size", "16"},
                      {"loader.fill", "none"},
                      {"loader.wait", "sleep"},
                      {"loader.pin_memory", c.pinned},
                      {"trainer.device", device},
                      {"trainer.device_wait", "block"},
                      {"trainer.step_time", steps.time},
                      {"trainer.kernels", c.kernels},
                      {"trainer.non_blocking", c.non_blocking},
                      {"trainer.copy_stream", c.stream},
                      {"trainer.in_flight", c.in_flight},
                      {"trainer.emulated.pinned", pinned},
                      {"trainer.emulated.pageable", pageable},
                      {"measure.window", steps.window},
                      {"measure.window_batches", "5"},
                      {"measure.warmup", "40ms"}});
  if (std::string_view(c.log_every) != "none") mocks.change({{"trainer.log_every", c.log_every}});
  return mocks.trial();
}

inline double seconds_a_step(const TrialRecord& record) {
  INFO(reasons_of(record));
  REQUIRE(record.status == Status::valid);
  return 1e-9 * static_cast<double>(record.facts.window.ns) /
         static_cast<double>(record.facts.window.steps);
}

// How many bare hand-overs a step may take besides its known time: `of_case` of each case.
using Hops = int (*)(const DeviceCase& of_case);

inline TimedTrial timed_on(const char* device, const DeviceCase& c, const DeviceSteps& steps,
                           Hops hops) {
  const TrialRecord simulated = run_simulated(trial_on("emulated", c, steps));
  const double known = seconds_a_step(simulated);
  INFO(c.what << " in virtual time");
  CHECK(known * 1e9 / static_cast<double>(steps.ns.count()) ==
        Approx(c.equation(static_cast<double>(simulated.facts.window.steps)))
            .epsilon(2 * steps.tolerance));
  const auto longer = [=] {
    return seconds_a_step(run_on_real_clock(trial_on(device, c, steps))) / known - 1;
  };
  return {c.what, longer, -steps.tolerance, steps.tolerance, hops(c)};
}

inline void judge_device(const char* device, const DeviceSteps& steps, Hops hops) {
  std::vector<TimedTrial> trials;
  for (const DeviceCase& c : kDeviceCases) trials.push_back(timed_on(device, c, steps, hops));
  judge_by_control({2, steps.ns}, steps.tolerance / 2, trials);
}

}  // namespace benchbench::test
