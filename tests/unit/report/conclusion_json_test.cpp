// The last paragraph for programs: the same facts as in words.
#include "harness/report/conclusion/conclusion_json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/report/told_findings.h"

namespace benchbench::conclusion_json_test {

using test::exactly;
using test::ToldFindings;

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

}  // namespace benchbench::conclusion_json_test
