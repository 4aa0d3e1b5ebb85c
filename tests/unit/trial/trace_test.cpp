// A window's trace against its facts, in virtual time where both are exact.
#include <catch2/catch.hpp>
#include <map>

#include "harness/core/error.h"
#include "harness/pipeline/trace_recorder.h"
#include "harness/record/trace_events.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {
namespace trace {

TrialRecord traced(TrialOfMocks::Changes changes, PlannedRun slot = {}, std::string extra = "") {
  TrialOfMocks mocks("synthetic", "timed",
                     {{"measure.trace", "true"},
                      {"loader.batch_time", "3ms"},
                      {"loader.distribution", "exponential"},
                      {"trainer.step_time", "2ms"},
                      {"trainer.distribution", "exponential"}});
  mocks.change(changes);
  Trial trial = mocks.trial();
  trial.ablation = Ablation::parse(extra).value();
  ExecutorContext context{.catalog = built_in_catalog(),
                          .environment = {},
                          .dataset = {},
                          .expected_digest = {},
                          .simulated = true,
                          .stop = nullptr,
                          .progress = {}};
  return run_trial(trial, slot, context);
}

std::vector<TraceEvent> events_of(const TrialRecord& record) {
  INFO(reasons_of(record));
  REQUIRE(record.raw_series.count("trace") == 1);
  return trace_events(record.raw_series.at("trace"));
}

// How much of the spans of one kind lies within 0..window.
std::int64_t sum_of(const std::vector<TraceEvent>& events, std::int64_t track, std::int64_t kind,
                    std::int64_t window) {
  std::int64_t sum = 0;
  for (const TraceEvent& e : events)
    if (e.track == track && e.kind == kind)
      sum += std::min(e.begin_ns + e.value, window) - std::max<std::int64_t>(e.begin_ns, 0);
  return sum;
}

std::int64_t kind_of(Stage stage) { return static_cast<std::int64_t>(stage); }

// "" where spans of each track are in order and lie apart or one within the other.
std::string broken_nesting(const std::vector<TraceEvent>& events) {
  std::map<std::int64_t, std::vector<std::int64_t>> open;  // ends of the spans around
  std::map<std::int64_t, std::int64_t> last;
  for (const TraceEvent& e : events) {
    if (e.kind == kTraceDepth) continue;
    if (last.count(e.track) && e.begin_ns < last[e.track]) return "out of order";
    last[e.track] = e.begin_ns;
    auto& ends = open[e.track];
    while (!ends.empty() && ends.back() <= e.begin_ns) ends.pop_back();
    if (!ends.empty() && e.begin_ns + e.value > ends.back())
      return "overlap at " + std::to_string(e.begin_ns);
    ends.push_back(e.begin_ns + e.value);
  }
  return "";
}

TraceEvent event(std::int64_t kind, std::int64_t begin, std::int64_t length) {
  return {1, kind, begin, length};
}

}  // namespace trace
using namespace trace;

TEST_CASE("trace: sums are the facts' own", "[unit][trial]") {
  for (const char* workers : {"0", "1", "3"}) {
    INFO(workers << " workers");
    const TrialRecord record = traced({{"loader.num_workers", workers}});
    const Facts& f = record.facts;
    const auto events = events_of(record);
    CHECK(broken_nesting(events) == "");
    CHECK(sum_of(events, kTraceTrainer, kind_of(Stage::get_blocked), f.window.ns) ==
          f.window.loop.get_ns);
    CHECK(sum_of(events, kTraceTrainer, kTraceStep, f.window.ns) == f.window.loop.step_ns);
    CHECK(sum_of(events, kTraceTrainer, kind_of(Stage::forward), f.window.ns) ==
          f.window.loop.step_ns);
    for (std::uint32_t w = 0; w < f.workers.count; ++w) {
      const std::int64_t track = trace_track_of_worker(w);
      CHECK(sum_of(events, track, kTraceFill, f.window.ns) == f.workers.each[w].fill_ns);
      CHECK(sum_of(events, track, kind_of(Stage::slot_wait), f.window.ns) ==
            f.workers.each[w].slot_wait_ns);
    }
    if (f.workers.count == 0)
      CHECK(sum_of(events, kTraceTrainer, kTraceFill, f.window.ns) == f.window.loop.get_ns);
  }
}

TEST_CASE("trace: the queue's depth changes by one and never passes the tokens", "[unit][trial]") {
  const TrialRecord record = traced({});
  std::int64_t depth = -1, changes = 0;
  for (const TraceEvent& e : events_of(record)) {
    if (e.kind != kTraceDepth) continue;
    CHECK(e.track == kTraceQueue);
    if (depth >= 0) REQUIRE(std::abs(e.value - depth) == 1);
    REQUIRE(e.value <= static_cast<std::int64_t>(record.facts.parts.max_jobs));
    depth = e.value;
    ++changes;
  }
  CHECK(static_cast<double>(changes) ==
        Approx(2.0 * static_cast<double>(record.facts.window.steps)).margin(10));
}

TEST_CASE("trace: what follows a step has its span, with its stage inside", "[unit][trial]") {
  const TrialRecord record =
      traced({{"trainer.postprocess.every", "10"}, {"trainer.postprocess.time", "7ms"}});
  const auto events = events_of(record);
  CHECK(broken_nesting(events) == "");
  CHECK(sum_of(events, kTraceTrainer, kTraceAfter, record.facts.window.ns) ==
        record.facts.window.loop.after_ns);
  CHECK(sum_of(events, kTraceTrainer, kind_of(Stage::postprocess), record.facts.window.ns) ==
        record.facts.window.loop.after_ns);
}

TEST_CASE("trace: only a pipeline's first window, and only where asked", "[unit][trial]") {
  CHECK(traced({}).raw_series.count("trace") == 1);
  CHECK(traced({}, {.trial = 0, .round = 1, .repeat = 0}).raw_series.count("trace") == 0);
  CHECK(traced({}, {.trial = 0, .round = 0, .repeat = 2}).raw_series.count("trace") == 0);
  CHECK(traced({}, {}, "free:decode").raw_series.count("trace") == 0);
  CHECK(traced({{"measure.trace", "false"}}).raw_series.count("trace") == 0);
  const TrialRecord rates_only = traced({{"measure.observer", "0"}});
  CHECK(rates_only.raw_series.count("trace") == 0);
  REQUIRE(rates_only.facts.notices.size() == 1);
  CHECK(rates_only.facts.notices[0].find("measure.observer is 0") != std::string::npos);
}

TEST_CASE("trace: the first 25,000 events are kept and the others counted", "[unit][trial]") {
  const TrialRecord record = traced({{"measure.window", "40s"}});
  const auto events = events_of(record);
  CHECK(events.size() <= kMaxTraceEvents);
  CHECK(events.size() > kMaxTraceEvents - 10);
  CHECK(record.raw_series.at("trace").size() <= 100'000);  // what a series keeps unthinned
  REQUIRE(record.facts.notices.size() == 1);
  CHECK(record.facts.notices[0].find("25000 events") != std::string::npos);
  CHECK(broken_nesting(events) == "");
}

TEST_CASE("trace: tracing changes no number, in virtual time", "[unit][trial]") {
  const Facts with = traced({}).facts, without = traced({{"measure.trace", "false"}}).facts;
  CHECK(with.window.steps == without.window.steps);
  CHECK(with.window.loop.get_ns == without.window.loop.get_ns);
}

TEST_CASE("trace: stages told at once are laid out within their fill", "[unit][trial]") {
  const auto decode = kind_of(Stage::decode), transform = kind_of(Stage::transform),
             read = kind_of(Stage::read);
  // Two samples: read apart, decode and transform told together at its end.
  const auto out = laid_out({event(read, 10, 5), event(decode, 25, 15), event(transform, 32, 8),
                             event(read, 40, 5), event(decode, 55, 15), event(transform, 62, 8),
                             event(kTraceFill, 5, 66)});
  CHECK(out == std::vector<TraceEvent>{event(kTraceFill, 5, 66), event(read, 10, 5),
                                       event(decode, 17, 15), event(transform, 32, 8),
                                       event(read, 40, 5), event(decode, 47, 15),
                                       event(transform, 62, 8)});
  CHECK(broken_nesting(out) == "");
}

TEST_CASE("trace: a stage that says more than its span is cut to it", "[unit][trial]") {
  const auto out = laid_out({event(kTraceStep, 0, 10), event(kind_of(Stage::postprocess), 2, 28),
                             event(kTraceAfter, 20, 10)});
  CHECK(out == std::vector<TraceEvent>{event(kTraceStep, 0, 10), event(kTraceAfter, 20, 10),
                                       event(kind_of(Stage::postprocess), 20, 10)});
}

TEST_CASE("trace: a series that is none is refused", "[unit][trial]") {
  CHECK_THROWS_AS(trace_events(std::vector<std::int64_t>{0, 101, 5}), StoreError);
  CHECK_THROWS_AS(trace_events(std::vector<std::int64_t>{0, 99, 5, 5}), StoreError);
  CHECK(trace_events({}).empty());
}

}  // namespace benchbench::test
