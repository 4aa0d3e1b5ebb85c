// The last paragraph for programs: the same facts as in words.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/external/external_words.h"
#include "tests/unit/report/told_findings.h"
#include "tests/unit/report/values_of.h"

namespace benchbench::conclusion_json_test {

using test::exactly;
using test::ToldFindings;
using namespace test::told;
using Json = nlohmann::ordered_json;

TEST_CASE("conclusion json: what binds, what to use, the job and what comes next, as values",
          "[unit][report]") {
  ToldFindings t;
  t.add({{"loader.num_workers", "2"}}, 100, 500, 100, 3).status = Status::noisy;
  t.add({{"loader.num_workers", "4"}}, 200, 500, 200, 3);
  t.recommend(Choice::faster, 1, exactly(2, 3));
  t.f.epoch_samples = 5000;
  t.plan.points[1].settings.set("loader.use", test::words("native"));
  t.job = JobAsked{JobUnit::epochs, 72, 3.0};
  t.said();
  const auto v = conclusion_values(t.f, t.plan);
  CHECK(v["binds"] == "loader");
  CHECK(v["point"] == "num_workers=2 (base)");
  CHECK(v["takes_share"] == 1.0);
  CHECK(v["costs_share"] == Approx(0.8));
  CHECK(v["component"].is_null());
  CHECK(v["rounds"] == 3);
  CHECK(v["indicative"] == true);
  CHECK(v["noisy"] == true);
  CHECK(v["what_if"] == false);
  CHECK(v["use"] == "num_workers=4");
  CHECK(v["holds_for"] == "native");
  CHECK(v["headroom"] == "too little");
  CHECK(v["headroom_of"] == "num_workers=4");
  CHECK(v["least_headroom_of"].is_null());
  CHECK(v["epoch_samples"] == 5000);
  CHECK(v["epoch_seconds"] == 50.0);
  CHECK(v["epoch_seconds_after"] == 25.0);
  CHECK(v["job"]["unit"] == "epochs");
  CHECK(v["job"]["samples"] == 360000.0);
  CHECK(v["job"]["hours"] == Approx(1));
  CHECK(v["job"]["hours_after"] == Approx(0.5));
  CHECK(v["job"]["sum"] == Approx(3));
  CHECK(v["job"]["sum_after"] == Approx(1.5));
  CHECK(v["next"]["kind"] == "more_workers");
  CHECK(v["next"]["key"] == "loader.num_workers");
  CHECK(v["next"]["to"] == "8");
  CHECK(v["next"]["point"] == "num_workers=4");
  CHECK(v["advice"].size() == 2);
  REQUIRE(v["lines"].size() == 6);
  CHECK(v["lines"][0]["label"] == "binds");
  CHECK(v["lines"][5]["text"] == "Try num_workers: 8, which was not measured.");
}

TEST_CASE("conclusion json: the condition with the least headroom", "[unit][report]") {
  ToldFindings t;
  t.add({{"dataset.cache", "warm"}}, 500, 100, 99);
  t.add({{"dataset.cache", "cold"}}, 90, 100, 89);
  t.said();
  const auto v = conclusion_values(t.f, t.plan);
  CHECK(v["headroom_of"] == "cache=warm (base)");
  CHECK(v["headroom"] == "ample");
  CHECK(v["least_headroom_of"] == "cache=cold");
}

TEST_CASE("conclusion json: what is not known is null", "[unit][report]") {
  ToldFindings t;
  t.add({}, 0, 0, 0);
  t.said();
  const auto v = conclusion_values(t.f, t.plan);
  CHECK(v["binds"] == "not measured");
  for (const char* key : {"point", "takes_share", "costs_share", "component", "use", "headroom_of",
                          "epoch_samples", "epoch_seconds", "epoch_seconds_after", "job"}) {
    INFO(key);
    CHECK(v[key].is_null());
  }
  CHECK(v["next"]["kind"] == "none");
  t.f.points[0].unclear = true;
  t.conclude();
  CHECK(conclusion_values(t.f, t.plan)["binds"] == "unclear");
  const ToldFindings empty;
  CHECK(conclusion_values(empty.f, empty.plan)["next"]["point"].is_null());
}

// The user's loader with two workers, at which time goes to __getitem__.
ToldFindings user_loader() {
  ToldFindings t;
  t.add(kTwo, 100, 500, 100);
  t.plan.points[0].settings.set("loader.use", test::words("python"));
  t.f.external.loaders = {"python"};
  t.f.external.points.resize(1);
  ExternalPoint& seen = t.f.external.points.front();
  seen.workers = 2, seen.getitem_ms = 60, seen.collate_ms = 3;
  seen.facts.getitem_where = "train.py:31";
  return t;
}

ExternalFinding found(ExternalFault fault, std::string where = "") {
  ExternalFinding f;
  f.fault = fault, f.workers = 2, f.where = std::move(where);
  f.ms = exactly(3), f.step_ms = exactly(20), f.bytes = exactly(9e7);
  f.batches_an_epoch = 100, f.cores = 4, f.draws.resize(1);
  if (fault == ExternalFault::outside_steps) {
    f.job.emplace();
    JobPart& part = f.job->outside.emplace_back();
    part.state = "other", part.share = 1, part.comes_again = true;
  }
  return f;
}

Json advice_on(ToldFindings& t) {
  t.conclude();
  return advice_values(t.f, t.plan);
}

Json ids(const Json& advice) {
  Json all = Json::array();
  for (const Json& each : advice) all.push_back(each["id"]);
  return all;
}

TEST_CASE("advice json: findings' changes come before what is next, each with its place",
          "[unit][report]") {
  ToldFindings t = user_loader();
  t.f.external.findings = {found(ExternalFault::idle_workers, "train.py:9"),
                           found(ExternalFault::epoch_startup)};
  const Json advice = advice_on(t);
  REQUIRE(ids(advice) == Json({"divided_data", "persistent_workers", "own_code"}));
  CHECK(advice[0]["finding"] == "workers without data");
  CHECK(advice[0]["where"] == "train.py:9");
  CHECK(advice[1]["where"].is_null());
  CHECK(advice[2]["finding"].is_null());
  CHECK(advice[2]["where"] == "train.py:31");
  CHECK(advice[2]["arguments"]["part"] == "getitem");
}

TEST_CASE("advice json: a setting has its key and both values, what no setting does its component",
          "[unit][report]") {
  ToldFindings t = user_loader();
  t.f.external.points.front().batch = BatchTimes{.step_ms = 20,
                                                 .main_ms = 2,
                                                 .worker_ms = 40,
                                                 .worker_wait_ms = 0,
                                                 .cpu_ms = 42,
                                                 .cores = 16,
                                                 .workers = 2,
                                                 .largest_share = 0.5};
  const Json more = advice_on(t);
  REQUIRE(ids(more) == Json({"more_workers"}));
  CHECK(more[0]["arguments"] ==
        Json({{"component", "decode"}, {"key", "loader.num_workers"}, {"from", "2"}, {"to", "4"}}));
  ToldFindings trainer;
  trainer.add(kTwo, 500, 100, 100);
  const Json by_hand = advice_on(trainer);
  REQUIRE(ids(by_hand) == Json({"by_hand"}));
  CHECK(by_hand[0]["arguments"] == Json({{"component", "compute_bound"}}));
}

TEST_CASE("advice json: settings that were tried come first, and no advice is an empty list",
          "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 100, 500, 100);
  t.add(kFour, 200, 500, 200);
  t.recommend(Choice::faster, 1, exactly(2));
  CHECK(advice_on(t)[0]["id"] == "tried_settings");
  CHECK(advice_on(t)[0]["point"] == "num_workers=4");
  ToldFindings empty;
  empty.f.conclusion.next.kind = NextKind::valid_trials;
  CHECK(advice_values(empty.f, empty.plan).empty());
}

TEST_CASE("advice json: each finding has an id of its own change", "[unit][report]") {
  for (const std::string_view kind : kWordsOf<ExternalFault>) {
    INFO(kind);
    const Remedy remedy = remedy_for(found(*from_name<ExternalFault>(kind)));
    CHECK(remedy != Remedy::by_hand);
  }
  ExternalFinding threads = found(ExternalFault::threads);
  CHECK(name_of(remedy_for(threads)) == "worker_threads");
  threads.mode = Mode::pipeline, threads.threads = 8;
  CHECK(name_of(remedy_for(threads)) == "worker_threads");  // no call of torch's reaches them
  threads.of_step = true;
  CHECK(name_of(remedy_for(threads)) == "fewer_threads");
  ExternalFinding uneven = found(ExternalFault::uneven);
  CHECK(name_of(remedy_for(uneven)) == "even_batches");
  uneven.can_be_any_order = true;
  CHECK(name_of(remedy_for(uneven)) == "out_of_order");
  CHECK(name_of(remedy_for(found(ExternalFault::epoch_gap))) == "longer_epochs");
}

}  // namespace benchbench::conclusion_json_test
