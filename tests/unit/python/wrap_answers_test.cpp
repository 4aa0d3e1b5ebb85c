#include "scenarios/python/wrap/wrap_answers.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "harness/core/error.h"

namespace benchbench::python_part {
namespace wrap_answers_test {

Message message(std::string type, Json body, std::initializer_list<std::int64_t> series = {}) {
  Message made{std::move(type), std::move(body),
               std::string(series.size() * sizeof(std::int64_t), '\0')};
  if (series.size() > 0) std::memcpy(made.blob.data(), series.begin(), made.blob.size());
  return made;
}

const Json kStretch = Json::parse(
    R"({"type": "stretch", "kind": "T", "round": 3, "order": 1, "workers": [71, 72], "idle": false, "busy_ns": 12,
    "segments": [[10, 20], [30, 45]], "steps": 2, "samples": 8, "series": [["get", 2], ["step", 2], ["samples", 2]], "distinct": 16,
    "observed": {"getitem_ns": {"ns": 100, "count": 8}, "workers": [{"pid": 71, "samples": 8, "batches": 2}], "made_ns": [[7, 9]],
    "streams": false, "in_order": null, "prefetch_factor": 2}})");

TEST_CASE("wrap: a plan says what was asked for, and leaves the loader open where none is named",
          "[unit][python][wrap]") {
  WrapOrder order;
  order.stretch = std::chrono::seconds{2};
  const Json plan = plan_message(order);
  CHECK(plan["type"] == "plan");
  CHECK(plan["stretch_ns"] == 2'000'000'000);
  CHECK(plan["loader"].is_null());
  CHECK(plan["stop"] == "hard");
  order.loader = "train_loader";
  order.by_exception = true;
  CHECK(plan_message(order)["loader"] == "train_loader");
  CHECK(plan_message(order)["stop"] == "exception");
}

TEST_CASE("wrap: a stretch becomes a result, with what is known of its process and its loader",
          "[unit][python][wrap]") {
  WrapSteady steady;
  steady.loader.where = "train.py:31";
  steady.loader.batches = 1000;
  steady.loader.own["persistent_workers"] = true;
  steady.first_batch_ns = 5;
  const WrapHello process{70, 1, "/usr/bin/python3", "3.11.2", "1.13.1", "", "", {}, {}};
  const WrapStretch stretch =
      stretch_from(message("stretch", kStretch, {1, 2, 3, 4, 4, 4}), process, steady);
  CHECK(stretch.kind == WrapKind::trainer);
  CHECK(stretch.round == 3);
  CHECK_FALSE(stretch.idle);
  CHECK(stretch.result.segments ==
        std::vector<std::pair<std::int64_t, std::int64_t>>{{10, 20}, {30, 45}});
  CHECK(stretch.result.step_ns == std::vector<std::int64_t>{3, 4});
  CHECK(stretch.result.first_batch_ns == 5);
  const ExternalFacts& facts = stretch.result.facts;
  CHECK(facts.getitem->ns == 100);
  REQUIRE(facts.workers.size() == 1);
  CHECK(facts.workers[0].samples == 8);
  CHECK(facts.workers[0].made_ns == std::vector<std::int64_t>{7, 9});
  CHECK(facts.streams == false);
  CHECK_FALSE(facts.in_order);
  CHECK(facts.prefetch_factor == 2);
  CHECK(facts.epoch_batches == 1000);
  CHECK(facts.where == "train.py:31");
  CHECK(facts.interpreter == "/usr/bin/python3");
  CHECK(facts.persistent_workers == true);
}

TEST_CASE("wrap: where steps run is said with what is steady, and is the CPU else",
          "[unit][python][wrap]") {
  CHECK(steady_from(message("steady", Json::object())).device == "cpu");
  const WrapSteady steady =
      steady_from(message("steady", {{"device", "cuda:0"}, {"device_name", "NVIDIA H200"}}));
  CHECK(steady.device == "cuda:0");
  CHECK(steady.device_name == "NVIDIA H200");
}

TEST_CASE("wrap: progress has the kind of a stretch once there is one", "[unit][python][wrap]") {
  CHECK_FALSE(kind_in(Json{{"phase", "warming up"}, {"kind", nullptr}}));
  CHECK(kind_in(Json{{"phase", "measuring"}, {"kind", "L"}}) == WrapKind::loader);
  CHECK_THROWS_AS(kind_in(Json{{"kind", "Q"}}), PartError);
}

TEST_CASE("wrap: without hooks a stretch's workers are process ids alone", "[unit][python][wrap]") {
  Json body = kStretch;
  body["observed"] = nullptr;
  CHECK(stretch_from(message("stretch", body, {1, 2, 3, 4, 4, 4}), {}, {})
            .result.facts.workers.empty());
}

TEST_CASE("wrap: a stretch of no known kind, or that contradicts itself, is refused",
          "[unit][python][wrap]") {
  Json body = kStretch;
  body["kind"] = "Q";
  CHECK_THROWS_AS(stretch_from(message("stretch", body, {1, 2, 3, 4, 4, 4}), {}, {}), PartError);
  CHECK_THROWS_AS(stretch_from(message("stretch", kStretch, {1, 2, 3, 4}), {}, {}), PartError);
}

TEST_CASE("wrap: the end has its reason, the loaders, and what was observed",
          "[unit][python][wrap]") {
  const WrapEnd end = end_from(message(
      "end",
      Json::parse(
          R"({"type": "end", "reason": "saver called", "saver": "torch.save", "message": null,
      "seen": true, "steered": true, "rounds": 2, "epochs": 4, "epoch_gap_ns": 17, "epoch_gap_batches": 8, "loaders": [{"name": "train_loader", "own": {"num_workers": 2}, "trains": true}],
      "observed": {"start_method": "fork", "cpu_count": 8, "workers": []}, "notes": ["a"]})")));
  CHECK(end.reason == WrapReason::saver_called);
  CHECK(end.saver == "torch.save");
  CHECK(end.served.epoch_gap_ns == 17);
  CHECK(end.served.epoch_gap_batches == 8);
  REQUIRE(end.loaders.size() == 1);
  CHECK(std::get<std::int64_t>(end.loaders[0].own.at("num_workers")) == 2);
  CHECK(end.served.facts.start_method == "fork");
  CHECK(end.served.facts.cpu_count == 8);
  CHECK_FALSE(end.changed);
  CHECK_THROWS_AS(end_from(message("end", {{"type", "end"}, {"reason", "bored"}})), PartError);
}

TEST_CASE("wrap: steps without a loader are heard with their parts and functions",
          "[unit][python][wrap]") {
  const WrapEnd end = end_from(message("end", Json::parse(R"({"type": "end", "reason": "no loader",
      "loop": {"steps": 9, "before_ns": 3, "backward_ns": 2, "rest_ns": 1, "last_fetch_step": null,
               "steps_since": 12, "calls": [{"name": "get_batch", "where": "train.py:4"}]}})")));
  CHECK(end.reason == WrapReason::no_loader);
  CHECK(end.steps.timed == 9);
  CHECK(end.steps.took() == Nanoseconds{6});
  CHECK_FALSE(end.steps.last_fetch);
  CHECK(end.steps.since == 12);
  REQUIRE(end.steps.calls.size() == 1);
  CHECK(end.steps.calls[0].where == "train.py:4");
}

TEST_CASE(
    "wrap: what keeps torch from being patched, what was noticed and what partners take is heard",
    "[unit][python][wrap]") {
  const WrapHello hello = hello_from(message(
      "hello",
      Json::parse(
          R"({"type": "hello", "pid": 7, "torch": "9.0.0", "failed": "AttributeError: x"})")));
  CHECK(hello.torch == "9.0.0");
  CHECK(hello.failed == "AttributeError: x");
  CHECK(hello_from(message("hello", Json::parse(R"({"type": "hello", "pid": 7, "failed": null})")))
            .failed.empty());
  const WrapEnd end =
      end_from(message("end", Json::parse(R"({"type": "end", "reason": "answer", "noticed": [
      {"kind": "workers that stay", "count": 2, "what": "validation", "where": null, "bytes": 9}, {"kind": "snapshots", "ns": 4,
      "numbers": {"iter_ns": 5}}]})")));
  const auto& noticed = end.served.facts.noticed;
  REQUIRE(noticed.size() == 2);
  CHECK(noticed[0].kind == "workers that stay");
  CHECK(noticed[0].what == "validation");
  CHECK(noticed[0].where.empty());
  CHECK(noticed[0].count == 2);
  CHECK(noticed[0].bytes == 9);
  CHECK(noticed[1].ns == 4);
  CHECK(noticed[0].numbers.empty());
  REQUIRE(noticed[1].numbers.size() == 1);
  CHECK(noticed[1].numbers[0] == std::pair<std::string, std::int64_t>("iter_ns", 5));
  Json body = kStretch;
  body["partners"] =
      Json::parse(R"([{"name": "noise", "wait_ns": 5}, {"name": null, "wait_ns": 6}])");
  const auto partners =
      stretch_from(message("stretch", body, {1, 2, 3, 4, 4, 4}), {}, {}).result.facts.partners;
  REQUIRE(partners.size() == 2);
  CHECK(partners[0].name == "noise");
  CHECK(partners[0].wait_ns == 5);
  CHECK(partners[1].name.empty());
}

TEST_CASE("wrap: what the training's time was spent on is heard", "[unit][python][wrap]") {
  const Json said = Json::parse(R"({"type": "end", "reason": "answer", "epoch_batches": 150,
      "ledger": {"batches": 97, "whole": true, "rows": [
      {"state": "first", "loader": "valid", "made": "train.py:36", "saver": null, "where": "train.py:50",
       "trains": false, "workers": 4, "ns": 700, "count": 3, "before_ns": 5, "before": 1},
      {"state": "other", "loader": null, "ns": 9, "count": 0}]}})");
  const WrapEnd end = end_from(message("end", said));
  CHECK(end.served.facts.epoch_batches == 150);
  REQUIRE(end.served.facts.ledger);
  CHECK(end.served.facts.ledger->batches == 97);
  CHECK(end.served.facts.ledger->whole);
  REQUIRE(end.served.facts.ledger->rows.size() == 2);
  const ExternalSpent& first = end.served.facts.ledger->rows[0];
  CHECK(first.state == "first");
  CHECK(first.loader == "valid");
  CHECK(first.made == "train.py:36");
  CHECK(first.where == "train.py:50");
  CHECK_FALSE(first.trains);
  CHECK(first.workers == 4);
  CHECK(first.ns == 700);
  CHECK(first.count == 3);
  CHECK(first.before_ns == 5);
  CHECK(first.before == 1);
  CHECK(end.served.facts.ledger->rows[1].loader.empty());
  Json without = said;
  without["ledger"] = nullptr;
  CHECK_FALSE(end_from(message("end", without)).served.facts.ledger);
  without["ledger"] = Json::parse(R"({"rows": [{"state": "step", "ns": "x", "count": 1}]})");
  CHECK_THROWS_AS(end_from(message("end", without)), PartError);
}

TEST_CASE("wrap: other settings are asked for, and what becomes of them is heard",
          "[unit][python][wrap]") {
  WrapOrder order;
  CHECK(plan_message(order)["try"].is_null());
  order.other = {{"num_workers", std::int64_t{4}}, {"in_order", false}};
  CHECK(plan_message(order)["try"] == Json{{"num_workers", 4}, {"in_order", false}});
  const WrapSteady steady = steady_from(message(
      "steady",
      Json::parse(
          R"({"type": "steady", "loader": {"name": "a", "own": {"num_workers": 2}, "batches": 9},
      "changed": {"name": "a", "own": {"num_workers": 4}, "batches": 10}, "dropped": ["in_order false is not applied: this torch has none"]})")));
  REQUIRE(steady.changed);
  CHECK(std::get<std::int64_t>(steady.changed->own.at("num_workers")) == 4);
  CHECK(steady.dropped.size() == 1);
  CHECK_FALSE(
      steady_from(
          message("steady", Json::parse(R"({"type": "steady", "changed": null, "dropped": []})")))
          .changed);
  Json body = kStretch;
  body["kind"] = "f";
  WrapSteady started = steady;
  started.startup_ns = 3;
  const WrapStretch stretch =
      stretch_from(message("stretch", body, {1, 2, 3, 4, 4, 4}), {}, started);
  CHECK(stretch.kind == WrapKind::changed_full);
  CHECK(stretch.result.facts.epoch_batches == 10);
  CHECK(stretch.result.startup_ns == 0);  // that of the script's own
  CHECK_THROWS_AS(stretch_from(message("stretch", body, {1, 2, 3, 4, 4, 4}), {}, {}), PartError);
  const WrapEnd end = end_from(message(
      "end",
      Json::parse(
          R"({"type": "end", "reason": "answer", "epochs": 4, "observed": {"start_method": "fork"},
      "changed": {"startup_ns": 5, "first_batch_ns": 6, "epochs": 2, "epoch_gap_ns": 7, "epoch_start_ns": 8, "observed": {"start_method": "spawn"}}})")));
  REQUIRE(end.changed);
  CHECK(end.changed->epochs == 2);
  CHECK(end.changed->first_batch_ns == 6);
  CHECK(end.changed->facts.epoch_start_ns == 8);
  CHECK(end.changed->facts.start_method == "spawn");
  CHECK(end.served.facts.start_method == "fork");
}

TEST_CASE("wrap: of a tune each stretch of a copy says what it is of", "[unit][python][wrap]") {
  WrapOrder order;
  CHECK(plan_message(order)["tune"] == false);
  order.tune = true;
  CHECK(plan_message(order)["tune"] == true);
  const WrapSteady steady = steady_from(
      message("steady", Json::parse(R"({"type": "steady", "tunes": true, "startup_ns": 3,
      "loader": {"own": {"num_workers": 2}, "batches": 9}, "fixed": {"pin_memory": "torch sees no accelerator here"}})")));
  CHECK(steady.tunes);
  CHECK(steady.fixed ==
        std::map<std::string, std::string>{{"pin_memory", "torch sees no accelerator here"}});
  Json body = kStretch;
  body.update(Json::parse(
      R"({"kind": "f", "settings": {"num_workers": 4}, "startup_ns": 5, "first_batch_ns": 6,
      "copy": {"own": {"num_workers": 4, "persistent_workers": true}, "batches": 10}})"));
  const auto series = {std::int64_t{1}, std::int64_t{2}, std::int64_t{3},
                       std::int64_t{4}, std::int64_t{4}, std::int64_t{4}};
  const WrapStretch stretch = stretch_from(message("stretch", body, series), {}, steady);
  CHECK(std::get<std::int64_t>(stretch.settings.at("num_workers")) == 4);
  CHECK(stretch.result.startup_ns == 5);
  CHECK(stretch.result.first_batch_ns == 6);
  CHECK(stretch.result.facts.epoch_batches == 10);
  CHECK(stretch.result.facts.persistent_workers == true);
  const WrapStretch own = stretch_from(message("stretch", kStretch, series), {}, steady);
  CHECK(own.settings.empty());
  CHECK(own.result.startup_ns == 3);
  body.erase("copy");
  CHECK_THROWS_AS(stretch_from(message("stretch", body, series), {}, steady), PartError);
}

TEST_CASE("wrap: a loop says from what its rounds are planned", "[unit][python][wrap]") {
  const WrapLoop loop = steady_from(message("steady", Json::parse(R"({"type": "steady", "loop":
      {"batch_ns": 10, "step_ns": 9, "workers": 2, "prefetched": 4, "epoch_batches": 100,
       "epoch_left": 60, "epoch_beginning_ns": 7, "saves": 2, "between_saves": 50,
       "will_save": true, "distinct": 3}})")))
                            .loop;
  CHECK(loop.batch == Nanoseconds{10});
  CHECK(loop.step == Nanoseconds{9});
  CHECK(loop.workers == 2);
  CHECK(loop.prefetched == 4);
  CHECK(loop.epoch_batches == 100);
  CHECK(loop.epoch_left == 60);
  CHECK(loop.epoch_beginning == Nanoseconds{7});
  CHECK(loop.saves == 2);
  CHECK(loop.between_saves == 50);
  CHECK(loop.will_save);
  CHECK(loop.distinct == 3);
  CHECK_FALSE(loop.is_rank);
  const WrapSteady rank =
      steady_from(message("steady", Json::parse(R"({"type": "steady", "rank": [1, 2]})")));
  CHECK(rank.cycle == 1);
  CHECK(rank.loop.is_rank);
  CHECK(rank.loop.distinct == 16);
  CHECK_FALSE(rank.loop.epoch_left);
}

TEST_CASE("wrap: a loop says of how many batches it accumulates gradients",
          "[unit][python][wrap]") {
  CHECK(steady_from(message("steady", {{"type", "steady"}, {"cycle", 4}})).cycle == 4);
}

TEST_CASE("wrap: a process says where it stands when it asks for more", "[unit][python][wrap]") {
  const WrapState state = state_in(message(
      "next",
      Json::parse(
          R"({"type": "next", "saves": 1, "between_saves": 40, "until_save": 9, "refused": ["no memory"]})")));
  CHECK(state.saves == 1);
  CHECK(state.between_saves == 40);
  CHECK(state.until_save == 9);
  CHECK(state.refused == std::vector<std::string>{"no memory"});
}

}  // namespace wrap_answers_test
}  // namespace benchbench::python_part
