// The identities of a trial, each with one term that is nearly all of its sum: losing 1 % of that
// term is 1 % of the sum, and 0.5 % is what may be missing.
#pragma once
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/analysis/rules/rules.h"
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

// A trial in which one term is nearly all of each sum.
struct IdentityCase {
  const char* what;
  const char *make, *step;
  bool loader_bound;
};
inline constexpr IdentityCase kIdentityCases[] = {{"loader bound", "12ms", "300us", true},
                                                  {"trainer bound", "600us", "8ms", false}};

inline Trial trial_of(const IdentityCase& c) {
  return TrialOfMocks("synthetic", "timed",
                      {{"loader.batch_time", c.make},
                       {"trainer.step_time", c.step},
                       {"loader.max_jobs", "4"},
                       {"measure.window", "200ms"},
                       {"measure.window_batches", "5"},
                       {"measure.warmup", "1ms"}})
      .trial();
}

inline void check_workers(const Facts& f) {
  REQUIRE(f.workers.each.size() == 2);
  for (const WorkerTimes& w : f.workers.each)
    CHECK(std::abs(off_by(w.fill_ns + w.slot_wait_ns + w.queue_ns, f.window.ns)) <= 0.005);
}

inline void check_trainer(const Facts& f) {
  const LoopTimes& l = f.window.loop;
  REQUIRE(l.core_wait_ns.has_value());
  CHECK(std::abs(off_by(
            l.get_ns + *l.core_wait_ns + l.accounting_ns + l.step_ns + l.after_ns + l.report_ns,
            f.window.ns)) <= 0.005);
  CHECK(f.window.stages[static_cast<std::size_t>(Stage::get_blocked)].ns == l.get_ns);
}

// The depth over time is what the stays of the batches add up to, to the nanosecond.
inline void check_queue(const Facts& f) {
  REQUIRE(f.queue.batches > 0);
  CHECK(f.queue.stay_ns == f.queue.depth_ns);
  CHECK(f.queue.deepest <= f.parts.max_jobs);
}

// What holds at any speed.
inline void check_identities(const IdentityCase& c, const TrialRecord& record) {
  INFO(c.what);
  check_workers(record.facts);
  check_trainer(record.facts);
  check_queue(record.facts);
  CHECK(broken_identities(record) == "");
}

// How much more of the time the terms that should be nearly all of it have than they must, as a
// share: of the one that has least.
inline double spare_of_the_largest_terms(const IdentityCase& c, const Facts& f) {
  const auto spare = [](std::int64_t term, double least, std::int64_t whole) {
    return static_cast<double>(term) / (least * static_cast<double>(whole)) - 1;
  };
  double least =
      spare(c.loader_bound ? f.window.loop.get_ns : f.window.loop.step_ns, 0.7, f.window.ns);
  for (const WorkerTimes& w : f.workers.each)
    least = std::min(least, spare(c.loader_bound ? w.fill_ns : w.slot_wait_ns, 0.7, f.window.ns));
  // Batches wait in the queue nearly all the time.
  if (!c.loader_bound) least = std::min(least, spare(f.queue.depth_ns, 2.5, f.queue.seen_ns));
  return least;
}

}  // namespace benchbench::test
