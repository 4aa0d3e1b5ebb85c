#include "scenarios/python/answers.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "harness/core/error.h"
#include "scenarios/python/batch_ring.h"
#include "scenarios/python/requests.h"
#include "tests/unit/python/given_settings.h"

namespace benchbench::python_part {
namespace answers_test {

Message message(Json body, std::initializer_list<std::int64_t> series = {}) {
  Message made{"result", std::move(body), std::string(series.size() * sizeof(std::int64_t), '\0')};
  if (series.size() > 0) std::memcpy(made.blob.data(), series.begin(), made.blob.size());
  return made;
}

TEST_CASE("answers: a whole result becomes facts", "[unit][python]") {
  const Message whole = message(
      Json::parse(R"({"type": "result", "segments": [[10, 20], [30, 45]], "steps": 3, "samples": 96,
        "series": [["get", 3], ["step", 0]], "startup_ns": 5, "workers_start_ns": 14, "first_batch_ns": 6, "warmup_ns": 7, "warmup_steps": 8,
        "steady": false, "epochs": 2, "epoch_gap_ns": 9, "epoch_gap_batches": 6, "epoch_start_ns": 4, "loss_first": 2.5, "loss_last": 1.5, "parameters": 11,
        "batches": 12, "distinct": 16, "changed": 1, "dropped": ["a"], "notes": ["b", "c"], "start_method": "fork",
        "getitem_ns": {"ns": 100, "count": 96}, "collate_ns": {"ns": 20, "count": 3}, "handover_ns": null, "hooks_ns": 12,
        "workers": [{"pid": 3, "samples": 48, "batches": 2}, {"pid": 4, "samples": 0, "batches": 0}], "cpu_count": 64, "threads": 2,
        "shm_free_bytes": 1000, "shm_bytes": 2000, "direct_ns": null,
        "same_draws": [{"what": "self.rng", "where": "train.py:12", "workers": 4, "every_epoch": true}]})"),
      {1, 2, 3});
  ExternalFacts known;
  known.loader_call = "train.py:make_data";
  const ExternalResult r = result_from(whole, known);
  CHECK(r.segments == std::vector<std::pair<std::int64_t, std::int64_t>>{{10, 20}, {30, 45}});
  CHECK(std::tuple(r.steps, r.samples, r.startup_ns, r.first_batch_ns, r.warmup_ns,
                   r.warmup_steps) == std::tuple(3u, 96u, 5, 6, 7, 8u));
  CHECK(r.get_ns == std::vector<std::int64_t>{1, 2, 3});
  CHECK(r.step_ns.empty());
  CHECK_FALSE(r.steady);
  CHECK(std::tuple(r.epochs, r.epoch_gap_ns, r.epoch_gap_batches, r.loss_first, r.loss_last,
                   r.parameters) == std::tuple(2u, 9, 6u, 2.5, 1.5, 11u));
  CHECK(r.notices == std::vector<std::string>{"a", "b", "c"});
  const ExternalFacts& f = r.facts;
  CHECK(f.loader_call == "train.py:make_data");
  CHECK(f.start_method == "fork");
  CHECK(f.getitem->ns == 100);
  CHECK(f.getitem->count == 96);
  CHECK(f.collate->ns == 20);
  CHECK_FALSE(f.handover);
  CHECK_FALSE(f.pin);
  CHECK(std::tuple(f.hooks_ns, f.workers_start_ns, f.epoch_start_ns, f.direct_ns) ==
        std::tuple(12, 14, 4, std::optional<std::int64_t>()));
  REQUIRE(f.workers.size() == 2);
  CHECK(f.workers[0].samples == 48);
  CHECK(f.workers[1].batches == 0);
  CHECK(std::tuple(f.cpu_count, f.threads, f.shm_free_bytes, f.shm_bytes) ==
        std::tuple(64u, 2u, 1000u, 2000u));
  REQUIRE(f.same_draws.size() == 1);
  CHECK(f.same_draws[0].where == "train.py:12");
  CHECK(f.same_draws[0].every_epoch);
  CHECK(std::tuple(f.epoch_batches, f.distinct, f.changed) == std::tuple(12u, 16u, 1u));
}

TEST_CASE("answers: where the workers' start was not seen, iter() stands for it",
          "[unit][python]") {
  CHECK(result_from(message(Json{{"type", "result"}, {"startup_ns", 5}}), {})
            .facts.workers_start_ns == 5);
}

TEST_CASE("answers: series of the host are of handing work over where a device was used",
          "[unit][python]") {
  const auto facts = [](Json device, const char* clock) {
    const Json body{{"type", "result"}, {"device", std::move(device)}, {"clock", clock}};
    return result_from(message(body), {}).facts;
  };
  CHECK(facts(nullptr, "host").device == "");
  CHECK(facts(nullptr, "host").step_times == StepTimes::known);
  CHECK(facts("cuda:0", "device").device == "cuda:0");
  CHECK(facts("cuda:0", "device").step_times == StepTimes::known);
  CHECK(facts("cuda:0", "host").step_times == StepTimes::of_enqueue);
}

TEST_CASE("answers: what is absent was not measured", "[unit][python]") {
  const ExternalResult r = result_from(message({{"type", "served"}}), {});
  CHECK(r.facts.workers.empty());
  CHECK_FALSE(r.facts.getitem);
  CHECK_FALSE(r.facts.hooks_ns);
  CHECK_FALSE(r.epoch_gap_ns);
  CHECK(r.epoch_gap_batches == 1);
  CHECK_FALSE(r.loss_last);
}

TEST_CASE("answers: the workers' batches are three numbers each", "[unit][python]") {
  const auto fills = [](std::initializer_list<std::int64_t> values) {
    Json body{{"type", "result"}};
    body["series"] = Json::array({Json::array({"fill", values.size()})});
    return result_from(message(body, values), {}).fills;
  };
  CHECK(fills({0, 100, 20, 1, 110, 30}) == std::vector<ExternalFill>{{0, 100, 20}, {1, 110, 30}});
  CHECK_THROWS_AS(fills({0, 100}), PartError);
  CHECK_THROWS_AS(fills({-1, 100, 20}), PartError);
}

TEST_CASE("answers: a result that contradicts itself is refused", "[unit][python]") {
  const auto refused = [](const char* body, std::initializer_list<std::int64_t> series = {}) {
    CAPTURE(body);
    CHECK_THROWS_AS(result_from(message(Json::parse(body), series), {}), PartError);
  };
  refused(R"({"type": "result", "steps": 2, "series": [["get", 1]]})", {1});
  refused(R"({"type": "result", "steps": 2, "series": [["get", 2]]})", {1});
  refused(R"({"type": "result", "steps": 1, "series": [["get", 1]]})", {1, 2});
  refused(R"({"type": "result", "steps": 1, "series": [["get", 18446744073709551615]]})", {1});
  refused(R"({"type": "result", "segments": [[20, 10]]})");
  refused(R"({"type": "result", "segments": [[10, 20], [15, 30]]})");
  refused(R"({"type": "result", "segments": [10]})");
  refused(R"({"type": "result", "steps": "three"})");
  refused(R"({"type": "result", "workers": [{"pid": 1}]})");
  CHECK_NOTHROW(result_from(
      message(
          Json::parse(
              R"({"type": "result", "steps": 1, "series": [["get", 1]], "segments": [[10, 20], [20, 30]]})"),
          {1}),
      {}));
}

TEST_CASE("answers: what a look at the code showed", "[unit][python]") {
  const ExternalCheck check = check_from(
      {"checked", Json::parse(R"({"type": "checked", "versions": "Python 3.11.2, torch 1.13.1",
      "loader": {"kind": "DataLoader", "length": 100, "own": {"num_workers": 8, "shuffle": true, "prefetch_factor": null,
      "multiprocessing_context": "spawn"}, "fixed": {"batch_size": "it has its own batch_sampler"}}, "trainer": null})"),
       ""});
  CHECK(check.kind == "DataLoader");
  CHECK(check.epoch_samples == 100);
  CHECK(check.own.at("num_workers") == ExternalValue(std::int64_t{8}));
  CHECK(check.own.at("shuffle") == ExternalValue(true));
  CHECK(check.own.at("prefetch_factor") == ExternalValue());
  CHECK(check.own.at("multiprocessing_context") == ExternalValue(std::string("spawn")));
  CHECK(check.fixed.at("batch_size") == "it has its own batch_sampler");
  CHECK(check_from({"checked", Json::parse(R"({"type": "checked", "loader": null})"), ""})
            .kind.empty());
}

TEST_CASE("requests: the user's arguments keep their types, what was not given is null",
          "[unit][python]") {
  const test::GivenSettings loader{{"script", "a/train.py"},
                                   {"call", "make_data"},
                                   {"args.size", std::int64_t{224}},
                                   {"args.fast", true},
                                   {"args.scale", 0.5},
                                   {"args.name", "x"},
                                   {"args.root", std::monostate{}},
                                   {"pick", std::int64_t{1}}};
  const Json request = load_request("load", &loader, nullptr, "/data", "cpu");
  CHECK(
      request ==
      Json::parse(
          R"({"type": "load", "device": "cpu", "rests": false, "root": "/data", "trainer": null, "loader": {"script": "a/train.py",
      "module": null, "call": "make_data", "pick": 1, "args": {"size": 224, "fast": true, "scale": 0.5, "name": "x", "root": null}}})"));
  CHECK(call_of(loader) == "train.py:make_data");
  const test::GivenSettings trainer{{"module", "pkg.steps"}, {"call", "step"}, {"setup", "setup"}};
  CHECK(
      load_request("check", nullptr, &trainer, "", "cuda:0") ==
      Json::parse(
          R"({"type": "check", "device": "cuda:0", "rests": false, "root": null, "loader": null, "trainer": {"script": null,
      "module": "pkg.steps", "call": "step", "setup": "setup"}})"));
  CHECK(call_of(trainer) == "pkg.steps:step");
}

TEST_CASE("requests: settings that were not given leave the user's own", "[unit][python]") {
  const test::GivenSettings none{{"call", "f"}, {"multiprocessing_context", std::string("none")}},
      own{{"persistent_workers", true}, {"multiprocessing_context", "spawn"}};
  CHECK(settings_of({}, &none) == Json::object());
  ExternalLoaderKeys keys;
  keys.num_workers = 2;
  keys.batch_size = 8;
  keys.prefetch_factor = 3;
  keys.in_order = false;
  keys.drop_last = true;
  keys.pin_memory = false;
  keys.shuffle = true;
  CHECK(settings_of(keys, &own) ==
        Json::parse(R"({"num_workers": 2, "batch_size": 8, "prefetch_factor": 3, "in_order": false,
      "drop_last": true, "pin_memory": false, "shuffle": true, "persistent_workers": true, "multiprocessing_context": "spawn"})"));
}

Message spec(const char* tensors, std::size_t slot_bytes = 4096, const char* offsets = "[0, 1024]",
             std::uint32_t rows = 4) {
  return {"spec",
          Json{{"type", "spec"},
               {"tensors", Json::parse(tensors)},
               {"offsets", Json::parse(offsets)},
               {"slot_bytes", slot_bytes},
               {"rows", rows}},
          ""};
}
constexpr char kTwo[] =
    R"([{"name": "0", "dtype": "float32", "shape": [3, 4]}, {"name": "1", "dtype": "bool", "shape": []}])";

TEST_CASE("ring: slots are laid out as the process says", "[unit][python]") {
  const SlotLayout layout = layout_from(spec(kTwo), "train.py:f");
  CHECK(layout.rows == 4);
  REQUIRE(layout.spec.count == 2);
  CHECK(std::string_view(layout.spec.tensor[0].name) == "0");
  CHECK(layout.spec.tensor[0].dtype == DType::float32);
  CHECK(layout.spec.tensor[0].row == Shape{{3, 4}, 2});
  CHECK(layout.spec.tensor[1].dtype == DType::uint8);
  const SlotLayout again = layout_from({"spec", members_of(layout), ""}, "train.py:f");
  CHECK(again.spec == layout.spec);
  CHECK(again.offsets == layout.offsets);
}

TEST_CASE("ring: our own slots hold each tensor on a line of the cache", "[unit][python]") {
  BatchSpec batch;
  batch.count = 2;
  batch.tensor[0] = {.name = "image", .dtype = DType::uint8, .row = {{5, 5, 3}, 3}};
  batch.tensor[1] = {.name = "label", .dtype = DType::int64, .row = {}};
  const SlotLayout layout = layout_of(batch, 3);
  CHECK(layout.offsets == std::vector<std::size_t>{0, 256});
  CHECK(layout.slot_bytes == 4096);
}

TEST_CASE(
    "ring: tensors that the harness has no place for "
    "are refused with the way out, nonsense as such",
    "[unit][python]") {
  const auto refused = [](const char* tensors, const char* why) {
    CHECK_THROWS_AS(layout_from(spec(tensors), "train.py:f"), ScenarioError);
    CHECK_THROWS_WITH(
        layout_from(spec(tensors), "train.py:f"),
        Catch::Contains("batches of train.py:f cannot be handed over: ") && Catch::Contains(why));
  };
  refused(
      R"([{"name": "x", "dtype": "float64", "shape": []}, {"name": "y", "dtype": "uint8", "shape": []}])",
      "'x' is of type float64");
  refused(R"([{"name": "x", "dtype": "uint8", "shape": [1, 1, 1, 1, 1, 1, 1]}])", "8 dimensions");
  refused(R"([{"name": "x", "dtype": "uint8", "shape": [3, 0]}])", "[3,0]");
  refused("[]", "0 tensors");
  const auto nonsense = [](const Message& message) {
    CHECK_THROWS_AS(layout_from(message, "f"), PartError);
  };
  nonsense(spec(kTwo, 1020));  // shorter than what is in it
  nonsense(spec(kTwo, 4096, "[0]"));
  nonsense(spec(kTwo, 4096, "[0, 100]"));  // in the first one's place
  nonsense(spec(kTwo, 4096, "[0, 4094]"));
  nonsense(spec(kTwo, 4096, "[0, 18446744073709551615]"));
  nonsense(spec(kTwo, 4096, "[0, 1024]", 0));
  nonsense(spec(kTwo, 4096, "[0, 1024]", 4000000000));
}

TEST_CASE("answers: a loader's own settings keep what they are", "[unit][python]") {
  const auto values = values_from(Json::parse(
      R"({"yes": true, "whole": -3, "seed": 18446744073709551615, "fraction": 0.5, "text": "spawn", "none": null, "list": [1]})"));
  CHECK(values.at("yes") == ExternalValue(true));
  CHECK(values.at("whole") == ExternalValue(std::int64_t{-3}));
  CHECK(values.at("seed") == ExternalValue(18446744073709551616.0));
  CHECK(values.at("fraction") == ExternalValue(0.5));
  CHECK(values.at("text") == ExternalValue(std::string("spawn")));
  CHECK(values.at("none") == ExternalValue());
  CHECK(values.at("list") == ExternalValue());
}

TEST_CASE("ring: names too long or twice the same stay apart", "[unit][python]") {
  const SlotLayout layout =
      layout_from(spec(R"([{"name": "inputs.input_ids_of_the_first", "dtype": "uint8", "shape": []},
      {"name": "labels.input_ids_of_the_first", "dtype": "uint8", "shape": []}])"),
                  "f");
  CHECK(std::string_view(layout.spec.tensor[0].name) == "ds_of_the_first");
  CHECK(std::string_view(layout.spec.tensor[1].name) == "tensor 1");
}

}  // namespace answers_test
}  // namespace benchbench::python_part
