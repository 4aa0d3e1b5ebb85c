// What is measured beyond the three modes: which trials, of what settings, shared with which, and
// their price.
#include "harness/plan/ablations.h"

#include <map>

#include "harness/plan/order.h"
#include "harness/plan/price.h"
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_extras {

std::vector<std::string> names_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& [extra, trial] : plan.points[0].ablations) names.push_back(extra.text());
  return names;
}

const Trial& extra(const Plan& plan, const std::string& name) {
  for (const auto& [extra, trial] : plan.points[0].ablations)
    if (extra.text() == name) return plan.trials[trial];
  FAIL("no extra " << name);
  throw 0;
}

// What `extra` changes of the base point's trial of its mode: "key: old -> new" each, "none" where
// there is none.
std::vector<std::string> changes(const Plan& plan, const std::string& name) {
  const Trial& trial = extra(plan, name);
  const SettingsMap& before = trial_of(plan, plan.points[0], trial.mode).settings;
  std::vector<std::string> all;
  const auto text = [](const Value* v) { return v ? v->text() : std::string("none"); };
  std::map<std::string, int> keys;
  for (const auto& [key, value] : before.all()) keys[key];
  for (const auto& [key, value] : trial.settings.all()) keys[key];
  for (const auto& [key, nothing] : keys)
    if (text(before.find(key)) != text(trial.settings.find(key)))
      all.push_back(key + ": " + text(before.find(key)) + " -> " + text(trial.settings.find(key)));
  return all;
}

using Texts = std::vector<std::string>;

const std::string kAll =
    "loader: {use: synthetic, num_workers: 2, batch_size: 8, sample_time: 1ms}\n"
    "trainer: {use: timed, step_time: 3ms, "
    "postprocess: {every: 4, time: 2ms}, checkpoint: {every: 10, bytes: 1MiB}, log_every: 5}\n"
    "dataset: {storage: {like: s3}}\n"
    "measure: {substitute: true}\n";

TEST_CASE("extras: nothing beyond the modes unless asked", "[unit][plan]") {
  CHECK(plan_text(kSixAxes).points[0].ablations.empty());
  const Plan plan = plan_text(kMock);
  CHECK(plan.points[0].ablations.empty());
  CHECK(plan.trials.size() == 3);
}

TEST_CASE("extras: on a device with memory of its own, the trainer with its batch there",
          "[unit][plan]") {
  const std::string on =
      "loader: {use: synthetic, num_workers: 2, batch_size: 8, sample_time: 1ms}\n";
  const Plan plan = plan_text(on + "trainer: {use: timed, step_time: 3ms, device: emulated}\n");
  CHECK(names_of(plan) == Texts{"on_device"});
  const auto& [ablation, t] = plan.points[0].ablations.front();
  CHECK(plan.trials[t].mode == Mode::trainer);
  CHECK(plan.trials[t].settings.text("loader.use") == "cached_batch");
  CHECK(plan.trials[t].settings.text("trainer.copy") == "once");
  CHECK(plan.trials[plan.points[0].trials[1].second].settings.text("trainer.copy") == "each");
  CHECK(names_of(plan_text(on + "trainer: {use: timed, step_time: 3ms, device: emulated}\nmeasure: "
                                "{modes: \"loader,pipeline\"}\n"))
            .empty());
  CHECK(names_of(plan_text(on + "trainer: {use: discard, device: emulated}\n")).empty());
  CHECK(names_of(
            plan_text(on + "trainer: {use: timed, step_time: 3ms, device: emulated, copy: once}\n"))
            .empty());
  // One that the sweep has already is not run twice.
  const Plan swept = plan_text(on +
                               "trainer: {use: timed, step_time: 3ms, device: emulated}\nsweep: "
                               "{trainer.copy: [each, once]}\n");
  REQUIRE(names_of(swept) == Texts{"on_device"});
  CHECK_FALSE(swept.trials[swept.points[0].ablations.front().second].ablation);
}

TEST_CASE("extras: four times the batch that a device does not hold is skipped", "[unit][plan]") {
  const auto skipped = [](const std::string& device, std::uint64_t memory,
                          const std::string& loader = "") {
    PlanContext context = context_for(built_in_catalog());
    context.cuda = {.devices = 2, .kernels = true, .memory = {1ull << 40, memory}};
    const std::string text =
        "loader: {use: synthetic, num_workers: 1, "
        "batch_size: 10, height: 100, width: 100, channels: 1" +
        loader + "}\ntrainer: {use: timed, step_time: 3ms, in_flight: 3, device: \"" + device +
        "\"}\nmeasure: {substitute: true}\n";
    return extra(make_plan(load_text(text, request_for(""), built_in_catalog()), context),
                 "batch:4")
        .skip.value_or("");
  };
  constexpr std::uint64_t kBatch = 40 * (100 * 100 + 8);
  CHECK(skipped("cuda:1", 3 * kBatch).empty());
  CHECK_THAT(skipped("cuda:1", 3 * kBatch - 1),
             Catch::StartsWith("needs ") && Catch::Contains("of the device's memory, but it has"));
  CHECK(skipped("cuda:0", 1).empty());
  // Four bytes for each value that is normalised there.
  constexpr std::uint64_t kNormalized = 4 * 40 * 100 * 100;
  CHECK(skipped("cuda:1", 3 * kBatch + kNormalized, ", normalize_on_device: true").empty());
  CHECK_FALSE(
      skipped("cuda:1", 3 * kBatch + kNormalized - 1, ", normalize_on_device: true").empty());
}

TEST_CASE("extras: on a device, a step without its work has none, whatever makes it",
          "[unit][plan]") {
  const std::string text =
      "loader: {use: synthetic, num_workers: 1, sample_time: 1ms}\n"
      "trainer: {use: roofline, device: emulated, step_flops: 1e6, sample_flops: 1e6, "
      "element_flops: 7, step_bytes: 1MB, sample_bytes: 2MB, wait_time: 2ms}\n"
      "measure: {substitute: true}\n";
  const Plan plan = make_plan(load_text(text, request_for(""), built_in_catalog()),
                              context_for(built_in_catalog()));
  const SettingsMap& free = extra(plan, "free:compute_bound").settings;
  const PrefixedSettings trainer(free, "trainer.");
  for (const char* key : {"trainer.step_flops", "trainer.sample_flops", "trainer.element_flops"})
    CHECK(free.real(key) == 0);
  for (const char* key : {"step_bytes", "sample_bytes"}) CHECK(trainer.bytes(key).value == 0);
  CHECK(free.duration("trainer.wait_time").count() == 0);
  CHECK(free.duration("loader.sample_time").count() > 0);
}

TEST_CASE("extras: each component that can be freed is one change of the pipeline, and no more",
          "[unit][plan]") {
  const Plan plan = plan_text(kAll);
  CHECK(names_of(plan) == Texts{"free:storage", "free:transform", "free:order",
                                "free:compute_bound", "free:sync_bound", "free:postprocess",
                                "free:checkpoint", "batch:4", "workers:1"});
  CHECK(changes(plan, "free:storage") == Texts{"dataset.storage.like: s3 -> none"});
  CHECK(changes(plan, "free:transform") == Texts{"loader.sample_time: 1ms -> 0s"});
  CHECK(changes(plan, "free:order") == Texts{"loader.in_order: true -> false"});
  CHECK(changes(plan, "free:compute_bound") == Texts{"trainer.step_time: 3ms -> 0s"});
  CHECK(changes(plan, "free:sync_bound") == Texts{"trainer.log_every: 5 -> none"});
  CHECK(changes(plan, "free:postprocess") ==
        Texts{"trainer.postprocess.every: 4 -> none", "trainer.postprocess.time: 2ms -> none"});
  CHECK(changes(plan, "free:checkpoint") == Texts{"trainer.checkpoint.bytes: 1MiB -> none",
                                                  "trainer.checkpoint.every: 10 -> none",
                                                  "trainer.checkpoint.fsync: true -> none"});
  CHECK(changes(plan, "batch:4") == Texts{"loader.batch_size: 8 -> 32"});
  CHECK(changes(plan, "workers:1") == Texts{"loader.num_workers: 2 -> 1"});
  for (const auto& [ablation, t] : plan.points[0].ablations) {
    INFO(ablation.text());
    CHECK((plan.trials[t].ablation == ablation));
    CHECK(plan.trials[t].mode ==
          (ablation.kind == AblationKind::one_worker ? Mode::loader : Mode::pipeline));
    CHECK(plan.trials[t].points == std::vector<std::uint32_t>{0});
  }
}

TEST_CASE("extras: what is free already is left out", "[unit][plan]") {
  CHECK(names_of(plan_text("dataset: {cache: as_is}\nloader: {use: synthetic}\ntrainer: {use: "
                           "timed}\nmeasure: {substitute: true}\n")) == Texts{"batch:4"});
  // One worker hands over in order anyway; out of order there is nothing to free.
  CHECK(names_of(plan_text(
            "loader: {use: synthetic, num_workers: 2, in_order: false}\ntrainer: {use: timed}\n"
            "measure: {substitute: true}\n")) == Texts{"batch:4", "workers:1"});
}

TEST_CASE("extras: a real part's storage is freed by its own word, with the store played",
          "[unit][plan]") {
  const std::string native =
      "dataset: {synthesize: {samples: 2048}, storage: {like: nvme}}\n"
      "loader: {use: native, batch_size: 16}\n"
      "trainer: {use: resnet18}\nmeasure: {substitute: true}\n";
  const Plan plan = plan_text(native);
  CHECK(names_of(plan) == Texts{"free:storage", "free:decode", "batch:4"});
  CHECK(changes(plan, "free:storage") ==
        Texts{"dataset.storage.like: nvme -> none", "loader.residency: storage -> host"});
  // A loader that cannot have its bytes resident is not measured, though a store is played below
  // it.
  static constexpr Parameter none[] = {{"x", ParameterType::integer, "0", "."}};
  static const PartDescription reader{.kind = PartKind::loader,
                                      .name = "reader",
                                      .summary = "",
                                      .parameters = none,
                                      .needs_dataset = true};
  std::vector<PartRow> rows(small_catalog().rows().begin(), small_catalog().rows().end());
  rows.push_back({&reader, {}, ""});
  const Catalog catalog{rows};
  const std::string text =
      "dataset: {synthesize: {samples: 2048}, storage: {like: nvme}}\nloader: {use: "
      "reader}\ntrainer: {use: timed}\n"
      "measure: {substitute: true}\n";
  CHECK(names_of(make_plan(load_text(text, request_for(""), catalog), context_for(catalog))) ==
        Texts{"batch:4"});
}

TEST_CASE("extras: of rows on a device, nothing that is done before the first batch",
          "[unit][plan]") {
  const auto names = [](const std::string& residency) {
    const std::string text =
        "dataset: {synthesize: {samples: 64}}\nloader: {use: native, num_workers: 2, batch_size: "
        "8, transform: {center_crop: 16, resize: 16}, residency: " +
        residency +
        "}\ntrainer: {use: timed, step_time: 3ms, device: emulated}\nmeasure: {substitute: true, "
        "interference: true}\n";
    return names_of(make_plan(load_text(text, request_for(""), built_in_catalog()),
                              context_for(built_in_catalog())));
  };
  CHECK(names("device") == Texts{"free:order", "free:copy", "free:compute_bound",
                                 "free:launch_bound", "batch:4", "workers:1"});
  Texts more = names("storage");
  std::erase_if(more, [&](const std::string& name) {
    const Texts device = names("device");
    return std::ranges::find(device, name) != device.end();
  });
  CHECK(more == Texts{"free:storage", "free:decode", "free:transform", "beside", "on_device"});
}

TEST_CASE("extras: settings that a point has already are one trial", "[unit][plan]") {
  const Plan plan =
      plan_text(kAll + "sweep: {loader.sample_time: [0s, 2ms], loader.num_workers: [1, 2]}\n");
  CHECK(extra(plan, "free:transform").index ==
        trial_of(plan, point_named(plan, "sample_time=0s"), Mode::pipeline).index);
  CHECK(extra(plan, "free:transform").ablation.text().empty());
  CHECK(plan.points.size() == 4);
  for (std::size_t p = 1; p < plan.points.size(); ++p) CHECK(plan.points[p].ablations.empty());
  std::size_t asked = plan.points[0].ablations.size();
  for (const Point& p : plan.points) asked += p.trials.size();
  CHECK(plan.shared == asked - plan.trials.size());
}

TEST_CASE("extras: two components freed by the same change are one trial under both names",
          "[unit][plan]") {
  const Plan plan = plan_text(
      "dataset: {synthesize: {samples: 2048}}\n"
      "loader: {use: native, transform: {normalize: none}}\n"
      "trainer: {use: resnet18}\nmeasure: {substitute: true}\n");
  CHECK(extra(plan, "free:storage").index == extra(plan, "free:decode").index);
  CHECK(extra(plan, "free:decode").ablation.text() == "free:storage");
}

TEST_CASE("extras: each runs once a round beside its point, priced like the others",
          "[unit][plan]") {
  const std::string sweep = "sweep: {loader.batch_size: [2, 4]}\n";
  const Plan plan = plan_text(kAll + sweep);
  const Plan without = plan_text([&] {
    std::string text = kAll + sweep;
    return text.replace(text.find("substitute: true"), 16, "substitute: false");
  }());
  CHECK(plan.trials.size() == without.trials.size() + 9);
  CHECK(plan.digest != without.digest);
  std::map<std::uint32_t, int> runs;
  std::size_t first = plan.order.size(), last = 0;
  for (std::size_t i = 0; i < plan.order.size() && plan.order[i].round == 0; ++i) {
    ++runs[plan.order[i].trial];
    if (plan.trials[plan.order[i].trial].ablation.text().empty()) continue;
    first = std::min(first, i);
    last = i;
  }
  for (const auto& [name, t] : plan.points[0].ablations) CHECK(runs[t] == 1);
  CHECK(last - first <= 9 + 2);  // nine, the point's own two, the anchor never in between
  double more = 0;
  bool guessed = false;
  for (const auto& [name, t] : plan.points[0].ablations)
    more += seconds_of(plan.trials[t], context_for(), guessed);
  CHECK(more > 0);
  CHECK(plan.price.seconds_per_round == Approx(without.price.seconds_per_round + more));
}

TEST_CASE(
    "extras: four times the batch that the data or the "
    "memory do not hold is skipped, and the rest runs",
    "[unit][plan]") {
  const std::string small =
      "dataset: {synthesize: {samples: 20}}\nloader: {use: native, batch_size: 8}\n"
      "trainer: {use: timed}\nmeasure: {substitute: true}\n";
  const Plan plan = plan_text(small);
  REQUIRE(extra(plan, "batch:4").skip);
  CHECK_THAT(*extra(plan, "batch:4").skip, Catch::Contains("has 20 samples"));
  CHECK_FALSE(extra(plan, "free:storage").skip);
  PlanContext context = context_for();
  context.environment.memory_bytes = 400ull << 20;
  const Plan tight = plan_text(
      "loader: {use: synthetic, batch_size: 500}\n"
      "trainer: {use: timed}\nmeasure: {substitute: true}\n",
      context);
  CHECK_THAT(extra(tight, "batch:4").skip.value_or(""),
             Catch::Contains("of memory, but 400 MiB are usable"));
  CHECK_FALSE(tight.points[0].skip);
}

TEST_CASE(
    "extras: the trainer with the loader beside it has the point's loader under a name of its own",
    "[unit][plan]") {
  const Plan plan = plan_text(
      "dataset: {synthesize: {samples: 2048}, format: tar}\nloader: {use: native, num_workers: 2}\n"
      "trainer: {use: timed}\nmeasure: {interference: true}\n");
  CHECK(names_of(plan) == Texts{"beside"});
  const Trial& beside = extra(plan, "beside");
  CHECK(beside.mode == Mode::trainer);
  CHECK(beside.settings.text("loader.use") == "cached_batch");
  CHECK(beside.settings.text("beside.loader.use") == "native");
  CHECK(beside.settings.integer("beside.loader.num_workers") == 2);
  CHECK(beside.settings.text("beside.dataset.format") == "tar");
  CHECK(beside.digest != trial_of(plan, plan.points[0], Mode::trainer).digest);
  CHECK(plan_text(
            "loader: {use: cached_batch}\ntrainer: {use: timed}\nmeasure: {interference: true}\n")
            .points[0]
            .ablations.empty());
}

TEST_CASE("extras: a description that names a parameter its part lacks is told", "[unit][plan]") {
  static constexpr Change wrong[] = {{"no_such", "0s"}};
  static constexpr Substitution substitutions[] = {{Component::decode, wrong}};
  static const PartDescription odd{.kind = PartKind::loader,
                                   .name = "odd",
                                   .summary = "",
                                   .simulated = true,
                                   .mock = true,
                                   .substitutions = substitutions};
  std::vector<PartRow> rows(small_catalog().rows().begin(), small_catalog().rows().end());
  rows.push_back({&odd, {}, ""});
  const Catalog catalog{rows};
  const Scenario scenario =
      load_text("loader: {use: odd}\ntrainer: {use: timed}\nmeasure: {substitute: true}\n",
                request_for(""), catalog);
  CHECK_THROWS_WITH(make_plan(scenario, context_for(catalog)),
                    Catch::Contains("loader.no_such=0s"));
}

TEST_CASE(
    "extras: with stop_at the order reaches max_rounds and the price the rounds that run at least",
    "[unit][plan]") {
  const Plan plan = plan_text(kMock + "measure: {rounds: 7, stop_at: 0.02, max_rounds: 12}\n");
  CHECK(plan.rounds == 7);
  CHECK(max_rounds(plan) == 12);
  CHECK(plan.order.back().round == 11);
  CHECK(plan.price.seconds == Approx(7 * plan.price.seconds_per_round + kRunSeconds));
  CHECK(max_rounds(plan_text(kMock + "measure: {rounds: 7}\n")) == 7);
  CHECK(max_rounds(plan_text(kMock + "measure: {rounds: 40, stop_at: 0.02}\n")) == 40);
}

}  // namespace plan_extras
}  // namespace benchbench::test
