// The identities of a trial, each with one term that is nearly all of its sum: losing 1 % of that
// term is 1 % of the sum, and 0.5 % is what may be missing.
#pragma once
#include <catch2/catch.hpp>

#include "harness/analysis/rules.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {

inline double off_by(std::int64_t sum, std::int64_t whole) {
  return static_cast<double>(sum) / static_cast<double>(whole) - 1;
}

// Which rules of conservation and identity fired, and what they said.
inline std::string broken_identities(const TrialRecord& record) {
  std::string fired;
  for (const char* id : {"R01", "R18", "I01", "I02", "I03"})
    if (const auto firing = find_rule(id)->check(record))
      fired += std::string(id) + ": " + firing->text + "\n";
  return fired;
}

// `record`: of two workers for whom `nearly_all` names where time goes: "fill" or "slot_wait".
inline void check_workers(const TrialRecord& record, std::string_view nearly_all) {
  const Facts& f = record.facts;
  REQUIRE(f.workers.each.size() == 2);
  for (const WorkerTimes& w : f.workers.each) {
    CHECK(static_cast<double>(nearly_all == "fill" ? w.fill_ns : w.slot_wait_ns) >
          0.7 * static_cast<double>(f.window.ns));
    CHECK(std::abs(off_by(w.fill_ns + w.slot_wait_ns + w.queue_ns, f.window.ns)) <= 0.005);
  }
}

// Likewise of the trainer's thread: "get" or "step".
inline void check_trainer(const TrialRecord& record, std::string_view nearly_all) {
  const Facts& f = record.facts;
  const LoopTimes& l = f.window.loop;
  CHECK(static_cast<double>(nearly_all == "get" ? l.get_ns : l.step_ns) >
        0.7 * static_cast<double>(f.window.ns));
  CHECK(std::abs(off_by(l.get_ns + l.accounting_ns + l.step_ns + l.after_ns + l.report_ns,
                        f.window.ns)) <= 0.005);
  CHECK(f.window.stages[static_cast<std::size_t>(Stage::get_blocked)].ns == l.get_ns);
}

// Batches lie in the queue nearly all the time: the depth over time is what their stays add up to.
inline void check_queue(const TrialRecord& record, double min_depth) {
  const QueueFacts& q = record.facts.queue;
  REQUIRE(q.batches > 0);
  CHECK(static_cast<double>(q.depth_ns) > min_depth * static_cast<double>(q.seen_ns));
  CHECK(std::abs(off_by(q.stay_ns, q.depth_ns)) <= 0.005);
  CHECK(q.deepest <= record.facts.parts.max_jobs);
}

template <class Run>
void check_identities_of_trials(Run run) {
  const auto trial = [](const char* make, const char* step) {
    return TrialOfMocks("synthetic", "timed",
                        {{"loader.batch_time", make},
                         {"trainer.step_time", step},
                         {"loader.max_jobs", "4"},
                         {"measure.window", "200ms"},
                         {"measure.window_batches", "5"},
                         {"measure.warmup", "1ms"}})
        .trial();
  };
  {
    INFO("loader bound");
    const TrialRecord record = run(trial("12ms", "300us"));
    check_workers(record, "fill");
    check_trainer(record, "get");
    CHECK(broken_identities(record) == "");
  }
  {
    INFO("trainer bound");
    const TrialRecord record = run(trial("600us", "8ms"));
    check_workers(record, "slot_wait");
    check_trainer(record, "step");
    check_queue(record, 2.5);
    CHECK(broken_identities(record) == "");
  }
}

}  // namespace benchbench::test
