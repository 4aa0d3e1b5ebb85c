// Trials in a process of their own: what cannot be known of them fires no rule, and what is known
// still does.
#include <catch2/catch.hpp>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/rules/rules.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::external_rules_test {
namespace {

using test::kSecond;

StageTotal& stage(TrialRecord& r, Stage s) {
  return r.facts.window.stages[static_cast<std::size_t>(s)];
}

// As the external executor makes it: 100 steps of 10 ms, nothing of ids, bytes, content, queue or
// the workers' times.
TrialRecord external_record(ExternalWay way) {
  TrialRecord r;
  r.trial.mode = way == ExternalWay::self_timed ? Mode::loader
                 : way == ExternalWay::replayed ? Mode::trainer
                                                : Mode::pipeline;
  r.trial.settings.set("dataset.format", test::words("image_folder"));
  Facts& f = r.facts;
  f.window.ns = kSecond;
  f.window.steps = 100;
  f.window.samples = 3200;
  f.window.get_blocked = {.mean = 4e6, .p50 = 4e6, .p90 = 4e6, .p99 = 4e6, .max = 4e6, .n = 98};
  stage(r, Stage::get_blocked) = {400'000'000, 100};
  if (way != ExternalWay::self_timed) {
    f.window.step = {.mean = 6e6, .p50 = 6e6, .p90 = 6e6, .p99 = 6e6, .max = 6e6, .n = 98};
    stage(r, Stage::forward) = {600'000'000, 100};
    f.window.loop.get_ns = 400'000'000;
    f.window.loop.step_ns = 600'000'000;
  }
  stage(r, Stage::collate) = {3'500'000'000, 100};  // of four workers
  f.workers.count = 4;
  f.cpu = {.user_s = 1.5,
           .system_s = 0.1,
           .loader_s = {},
           .trainer_s = {},
           .cores_available = 2,
           .steal_share = 0,
           .throttled_s = 0,
           .page_faults = {}};
  f.instrument.overhead_share = 0.004;
  f.external.emplace().way = way;
  return r;
}

std::string said(const TrialRecord& r) {
  std::string text;
  for (const Reason& reason : judge(r).reasons) text += reason.rule + " " + reason.text + "\n";
  return text;
}

}  // namespace

TEST_CASE("external rules: no rule fires for what cannot be known", "[unit][analysis]") {
  for (const auto way : {ExternalWay::self_timed, ExternalWay::all_there, ExternalWay::replayed}) {
    TrialRecord r = external_record(way);
    CAPTURE(name_of(way));
    CHECK(said(r) == "");
    CHECK(judge(r).status == Status::valid);
    r.trial.settings.set("dataset.synthesize.samples", test::whole(64));
    CHECK(judge(r).status == Status::valid);
  }
}

TEST_CASE("external rules: rates alone, as at observer level 0, are valid", "[unit][analysis]") {
  TrialRecord r = external_record(ExternalWay::all_there);
  const Facts whole = r.facts;
  r.facts.window = {};
  r.facts.window.ns = whole.window.ns;
  r.facts.window.steps = whole.window.steps;
  r.facts.window.samples = whole.window.samples;
  r.facts.cpu = {};
  CHECK(said(r) == "");
}

TEST_CASE(
    "external rules: cold that is as it is is a doubt with its reason, "
    "and nothing is claimed of the cache",
    "[unit][analysis]") {
  TrialRecord r = external_record(ExternalWay::self_timed);
  r.facts.cache = {.asked = "cold",
                   .state = {CacheDegree::as_is, "a loader in a process of its own reads ahead"},
                   .method = {},
                   .resident_before = {},
                   .evictions = 0};
  CHECK(judge(r).status == Status::noisy);
  CHECK(said(r).find("R05 cold was requested but not verified (as_is: "
                     "a loader in a process of its own reads ahead)") == 0);
  r.facts.cache.asked = "as_is";
  CHECK(judge(r).status == Status::valid);
}

TEST_CASE("external rules: what is known is judged as ever", "[unit][analysis]") {
  const auto fires = [](const char* rule, auto&& change) {
    TrialRecord r = external_record(ExternalWay::all_there);
    change(r);
    CAPTURE(rule, said(r));
    CHECK(said(r).find(std::string(rule) + " ") != std::string::npos);
  };
  fires("I01", [](TrialRecord& r) { r.facts.window.loop.step_ns = 700'000'000; });
  fires("R06", [](TrialRecord& r) { r.facts.start.steady = false; });
  fires("R07", [](TrialRecord& r) { r.facts.window.steps = 4; });
  fires("R08", [](TrialRecord& r) { r.facts.cpu.throttled_s = 0.5; });
  fires("R16", [](TrialRecord& r) { r.facts.instrument.overhead_share = 0.02; });
  fires("R18", [](TrialRecord& r) { r.facts.window.samples = 0; });
}

TEST_CASE("external rules: work of the workers is no part of the host's timeline",
          "[unit][analysis]") {
  const TrialRecord r = external_record(ExternalWay::all_there);
  CHECK(std::abs(host_timeline(r.facts).residual_share) < 1e-9);
  const TrialRecord alone = external_record(ExternalWay::self_timed);
  CHECK(host_timeline(alone.facts).residual_share > 0);
}

}  // namespace benchbench::external_rules_test
