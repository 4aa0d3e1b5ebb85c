#include "harness/analysis/rules.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace rules_test {

using test::good_facts;
using test::kSecond;

TrialRecord good_record() {
  TrialRecord r;
  r.trial.mode = Mode::pipeline;
  r.trial.settings.set("dataset.format", test::words("tar"));
  r.facts = good_facts(1000);
  return r;
}

StageTotal& stage(TrialRecord& r, Stage s) { return r.facts.stages[static_cast<std::size_t>(s)]; }

// What one rule needs to see: a change that must not fire it, and one that must.
struct RuleCase {
  std::string id;
  bool voids;
  std::function<void(TrialRecord&)> passes;
  std::function<void(TrialRecord&)> fires;
};

void users_data(TrialRecord& r) { r.trial.settings.set("dataset.path", test::words("photos")); }
void class_of(TrialRecord& r, const char* name, std::int64_t window, std::uint64_t steps) {
  r.trial.settings.set("measure.class", test::words(name));
  r.facts.window_ns = window;
  r.facts.steps = steps;
  r.facts.worker_wall_ns = r.facts.worker_fill_ns = window;
}

std::vector<RuleCase> cases() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      {"R01", true, [](auto& r) { r.facts.issued += 5, r.facts.dropped = 5; },
       [](auto& r) { r.facts.issued += 1; }},
      {"R01", true, [](auto&) {}, [](auto& r) { r.facts.duplicated = 1; }},
      {"R01", true, [](auto&) {}, [](auto& r) { r.facts.missing = 1; }},
      {"R02", true, [](auto& r) { r.facts.content_checked = 10; },
       [](auto& r) { r.facts.content_checked = 10, r.facts.content_wrong = 1; }},
      {"R03", true, [](auto& r) { r.facts.decode_warnings = 7; }, [](auto& r) { r.facts.decode_errors = 1; }},
      {"R03", false, [](auto& r) { users_data(r), r.facts.decode_errors = 1; },
       [](auto& r) { users_data(r), r.facts.decode_errors = 2; }},
      {"R03", true, [](auto& r) { users_data(r); },
       [](auto& r) { users_data(r), r.facts.decode_errors = r.facts.delivered / 90; }},
      {"R06", false, [](auto& r) { r.facts.slope_share = -0.09; },
       [](auto& r) { r.facts.slope_share = -0.11; }},
      {"R06", false, [](auto& r) { r.trial.mode = Mode::trainer, r.facts.slope_share = 0.04; },
       [](auto& r) { r.trial.mode = Mode::trainer, r.facts.slope_share = 0.06; }},
      {"R06", false, [](auto&) {}, [](auto& r) { r.facts.steady = false; }},
      {"R07", true, [](auto& r) { class_of(r, "normal", kSecond, 5); },
       [](auto& r) { class_of(r, "normal", kSecond - 1, 5); }},
      {"R07", true, [](auto&) {}, [](auto& r) { class_of(r, "normal", kSecond, 4); }},
      {"R07", true, [](auto& r) { class_of(r, "gate", 10 * kSecond, 100); },
       [](auto& r) { class_of(r, "gate", 10 * kSecond, 99); }},
      {"R07", true, [](auto& r) { class_of(r, "selftest", kSecond / 5, 100); },
       [](auto& r) { class_of(r, "selftest", kSecond / 6, 100); }},
      {"R08", false, [](auto& r) { r.facts.throttled_s = 0; }, [](auto& r) { r.facts.throttled_s = 0.01; }},
      {"R09", false, [](auto& r) { r.facts.steal_share = 0.01; },
       [](auto& r) { r.facts.steal_share = 0.011; }},
      {"R15", false, [](auto&) {}, [](auto& r) { r.environment.variables = {"OMP_NUM_THREADS=2"}; }},
      {"R16", false, [](auto& r) { r.facts.overhead_share = 0.01; },
       [](auto& r) { r.facts.overhead_share = 0.02; }},
      {"R16", true, [](auto&) {}, [](auto& r) { r.facts.overhead_share = 0.031; }},
      {"R18", true, [](auto& r) { r.facts.bytes_device = 0; }, [](auto& r) { r.facts.samples = 0; }},
      {"R18", true, [](auto&) {}, [nan](auto& r) { r.facts.loss_last = nan; }},
      {"R18", true, [](auto&) {}, [](auto& r) { r.facts.first_batch_ns = -1; }},
      {"R18", true, [](auto&) {}, [](auto& r) { r.facts.peak_memory_bytes = 0; }},
      {"R18", true, [](auto&) {}, [nan](auto& r) { r.facts.slope_share = nan; }},
      {"I01", true,
       [](auto& r) {
         stage(r, Stage::forward) = {r.facts.window_ns + 4'000'000, 100};
       },
       [](auto& r) {
         stage(r, Stage::forward) = {r.facts.window_ns + 6'000'000, 100};
       }},
      {"I02", false, [](auto& r) { r.facts.worker_queue_ns = 4'000'000; },
       [](auto& r) { r.facts.worker_queue_ns = 6'000'000; }},
  };
}

TEST_CASE("rules: each passes what it must and fires at what it must", "[unit][analysis]") {
  for (const RuleCase& c : cases()) {
    INFO(c.id);
    REQUIRE(find_rule(c.id));
    TrialRecord good = good_record(), bad = good_record();
    c.passes(good);
    c.fires(bad);
    CHECK(judge(good).reasons.empty());
    CHECK(judge(good).status == Status::valid);
    const Judgement judgement = judge(bad);
    REQUIRE(judgement.reasons.size() == 1);
    CHECK(judgement.reasons[0].rule == c.id);
    CHECK(judgement.reasons[0].voids == c.voids);
    CHECK_FALSE(judgement.reasons[0].text.empty());
    CHECK(judgement.status == (c.voids ? Status::invalid : Status::noisy));
  }
}

TEST_CASE("rules: every rule of the table has its cases", "[unit][analysis]") {
  const auto all = cases();
  for (const Rule& rule : validity_rules()) {
    INFO(rule.id);
    CHECK(std::any_of(all.begin(), all.end(), [&](const RuleCase& c) { return c.id == rule.id; }));
  }
}

TEST_CASE("rules: a judged record is judged the same again", "[unit][analysis]") {
  TrialRecord record = good_record();
  record.facts.slope_share = 0.5;
  record.reasons = {{"", false, "the executor's own doubt"}};
  const Judgement first = judge(record);
  record.reasons = first.reasons;
  record.status = first.status;
  const Judgement second = judge(record);
  CHECK(second.status == Status::noisy);
  CHECK(second.reasons.size() == 2);
}

TEST_CASE("rules: what did not run is not judged", "[unit][analysis]") {
  TrialRecord record = good_record();
  record.facts = {};
  record.status = Status::failed;
  record.reasons = {{"", true, "killed by signal 9"}};
  CHECK(judge(record).status == Status::failed);
  CHECK(judge(record).reasons.size() == 1);
}

TEST_CASE("rules: an error names the first file that could not be decoded", "[unit][analysis]") {
  TrialRecord record = good_record();
  record.facts.decode_errors = 1;
  record.facts.faults = {{7, "warning", "odd.jpg", "extraneous bytes"},
                         {9, "decode_error", "bad.jpg", "not a JPEG file"}};
  CHECK(judge(record).reasons.at(0).text.find("bad.jpg: not a JPEG file") != std::string::npos);
}

}  // namespace rules_test
}  // namespace benchbench
