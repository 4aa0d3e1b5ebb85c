// The trace has a track per stream: with a stream of their own copies overlap with steps, on the
// steps' stream they never do.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "harness/record/trace_events.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::device_trace {
namespace {

std::vector<TraceEvent> traced(const char* stream) {
  // A copy of 96 bytes, labels and what is before them among them, takes 0.5 ms.
  const TrialRecord record = run_simulated(TrialOfMocks("synthetic", "timed",
                                                        {{"loader.batch_time", "10us"},
                                                         {"loader.pin_memory", "true"},
                                                         {"trainer.device", "emulated"},
                                                         {"trainer.step_time", "1ms"},
                                                         {"trainer.non_blocking", "true"},
                                                         {"trainer.copy_stream", stream},
                                                         {"trainer.emulated.pinned", "192kB/s"},
                                                         {"measure.trace", "true"},
                                                         {"measure.window", "50ms"}})
                                               .trial());
  INFO(reasons_of(record));
  return trace_events(record.raw_series.at("trace"));
}

std::vector<TraceEvent> of_kind(const std::vector<TraceEvent>& all, std::int64_t kind) {
  std::vector<TraceEvent> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const TraceEvent& e) { return e.kind == kind; });
  return some;
}

std::int64_t overlap(const std::vector<TraceEvent>& copies, const std::vector<TraceEvent>& steps) {
  std::int64_t ns = 0;
  for (const TraceEvent& c : copies)
    for (const TraceEvent& s : steps)
      ns += std::max<std::int64_t>(0, std::min(c.begin_ns + c.value, s.begin_ns + s.value) -
                                          std::max(c.begin_ns, s.begin_ns));
  return ns;
}

}  // namespace

TEST_CASE("device: copies lie on a track of their own where they have a stream of their own",
          "[known_answer][device]") {
  for (const bool own : {false, true}) {
    INFO((own ? "own" : "current"));
    const auto events = traced(own ? "own" : "current");
    const auto copies = of_kind(events, kTraceCopy), steps = of_kind(events, kTraceWork);
    REQUIRE(copies.size() > 20);
    REQUIRE(steps.size() > 20);
    for (const TraceEvent& c : copies) CHECK(c.track == (own ? kTraceCopies : kTraceCompute));
    for (const TraceEvent& s : steps) {
      CHECK(s.track == kTraceCompute);
      // A step counts from when its batch is there: launching is among it.
      CHECK(s.value == Approx(1e6).margin(4000));
    }
    for (const TraceEvent& c : copies) CHECK(c.value == Approx(0.5e6).margin(4000));
    if (own) {
      CHECK(static_cast<double>(overlap(copies, steps)) >
            0.9 * 0.5e6 * static_cast<double>(copies.size() - 2));
    } else {
      CHECK(overlap(copies, steps) == 0);
    }
    // It is the device's, and so not on the trainer's track.
    CHECK(of_kind(events, static_cast<std::int64_t>(Stage::forward)).empty());
  }
}

TEST_CASE("device: what a step costs the host is metered, and its kernels' time",
          "[known_answer][device]") {
  const Facts f = run_simulated(TrialOfMocks("synthetic", "timed",
                                             {{"trainer.device", "emulated"},
                                              {"trainer.step_time", "1ms"},
                                              {"trainer.kernels", "10"},
                                              {"trainer.emulated.launch_call", "7us"},
                                              {"trainer.log_every", "1"},
                                              {"measure.window", "50ms"}})
                                    .trial())
                      .facts;
  const auto per_step = [&](Stage s) {
    return static_cast<double>(f.window.stages[static_cast<std::size_t>(s)].ns) /
           static_cast<double>(f.window.steps);
  };
  REQUIRE(f.window.steps > 10);
  CHECK(per_step(Stage::enqueue) == Approx(70e3));
  CHECK(per_step(Stage::forward) == Approx(1e6));
  CHECK(per_step(Stage::d2h) > 3000);            // the call, and four bytes
  CHECK(per_step(Stage::sync_blocked) > 900e3);  // all kernels but what was launched meanwhile
  REQUIRE(f.device);
  CHECK(f.device->steps == f.window.steps);
  CHECK(f.device->span_ns + f.device->gaps_ns == f.window.ns);
  CHECK(f.device->copied_bytes == f.device->copies * 96);
}

}  // namespace benchbench::test::device_trace
