// What a report advises, for programs: ids that stay, and named arguments.
#include "harness/report/conclusion/advice_json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/external/external_words.h"
#include "tests/unit/report/told_findings.h"

namespace benchbench::advice_json_test {

using test::exactly;
using test::ToldFindings;
using namespace test::told;
using Json = nlohmann::ordered_json;

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
  CHECK(name_of(remedy_for(threads)) == "fewer_threads");
  ExternalFinding uneven = found(ExternalFault::uneven);
  CHECK(name_of(remedy_for(uneven)) == "even_batches");
  uneven.can_be_any_order = true;
  CHECK(name_of(remedy_for(uneven)) == "out_of_order");
  CHECK(name_of(remedy_for(found(ExternalFault::epoch_gap))) == "longer_epochs");
}

}  // namespace benchbench::advice_json_test
