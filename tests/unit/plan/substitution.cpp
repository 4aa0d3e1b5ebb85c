// What the three modes put in place of a side, and what the trainer's trial depends on.
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_substitution {

std::string digest(const Plan& plan, const std::string& point, Mode mode) {
  return trial_of(plan, point_named(plan, point), mode).digest;
}

TEST_CASE(
    "modes: the trainer's trial is one over format, "
    "order and workers, not over batch, transform or pinning",
    "[unit][plan]") {
  PlanContext context = context_for();
  context.cuda = {.devices = 1, .kernels = true};
  const Plan plan = plan_text(
      kSixAxes +
          "  loader.transform.random_resized_crop: [64, 96]\n  loader.residency: [storage, host]\n"
          "  trainer.precision: [fp32, bf16-mixed]\n  dataset.synthesize.samples: [2048, 4096]\n"
          "  loader.in_order: [true, false]\n  loader.dispatch: [shared, round_robin]\n",
      context);
  const std::string base = digest(plan, "base", Mode::trainer);
  for (const char* same :
       {"num_workers=0", "num_workers=1", "prefetch_factor=1", "prefetch_factor=4", "shuffle=false",
        "format=tar", "format=hdf5", "residency=host", "in_order=false", "dispatch=round_robin"}) {
    INFO(same);
    CHECK(digest(plan, same, Mode::trainer) == base);
    CHECK(digest(plan, same, Mode::loader) != digest(plan, "base", Mode::loader));
    CHECK(digest(plan, same, Mode::pipeline) != digest(plan, "base", Mode::pipeline));
  }
  for (const char* other : {"batch_size=8", "batch_size=32", "pin_memory=true",
                            "random_resized_crop=96", "precision=bf16-mixed", "samples=4096"}) {
    INFO(other);
    CHECK(digest(plan, other, Mode::trainer) != base);
  }
  CHECK(digest(plan, "precision=bf16-mixed", Mode::loader) == digest(plan, "base", Mode::loader));
}

TEST_CASE("modes: trainer keeps what makes its batch under prototype, stored as the base's is",
          "[unit][plan]") {
  const Plan plan = plan_text(kSixAxes);
  const SettingsMap& s = trial_of(plan, point_named(plan, "format=tar"), Mode::trainer).settings;
  CHECK(s.text("loader.use") == "cached_batch");
  CHECK(s.integer("loader.num_workers") == 0);
  CHECK(s.integer("loader.batch_size") == 16);
  CHECK(s.integer("loader.max_jobs") == 4);
  CHECK(s.text("loader.of.use") == "native");
  CHECK(s.integer("loader.of.transform.random_resized_crop") == 64);
  CHECK(s.text("dataset.format") == "image_folder");
  CHECK(s.integer("dataset.synthesize.samples") == 2048);
  CHECK(s.text("dataset.format") == "image_folder");
  CHECK(s.text("trainer.use") == "resnet18");
  CHECK_FALSE(s.has("loader.transform.random_resized_crop"));
}

TEST_CASE("modes: rows on a device are gathered in the loader's trial, not in the trainer's",
          "[unit][plan]") {
  const Plan plan = make_plan(
      load_text("dataset: {synthesize: {samples: 64}}\nloader: {use: native, residency: device, "
                "transform: {center_crop: 16, resize: 16}}\n"
                "trainer: {use: timed, device: emulated, copy_stream: own, emulated: {pinned: "
                "2GB/s}}\nsweep: {loader.residency: [device, storage]}\n",
                request_for(""), built_in_catalog()),
      context_for(built_in_catalog()));
  const SettingsMap& l = trial_of(plan, plan.points[0], Mode::loader).settings;
  CHECK(l.text("trainer.use") == "discard");
  CHECK(l.text("trainer.device") == "emulated");
  CHECK(l.text("trainer.at") == "device");
  CHECK(l.text("trainer.copy_stream") == "own");
  CHECK(l.text("trainer.emulated.pinned") == "2GB/s");
  CHECK_FALSE(l.has("trainer.step_time"));
  CHECK(trial_of(plan, plan.points[0], Mode::trainer).settings.text("trainer.copy") == "once");
  CHECK(trial_of(plan, plan.points[0], Mode::pipeline).settings.text("trainer.copy") == "each");
  const Point& storage = point_named(plan, "residency=storage");
  CHECK(trial_of(plan, storage, Mode::loader).settings.text("trainer.device") == "cpu");
  CHECK(trial_of(plan, storage, Mode::trainer).settings.text("trainer.copy") == "each");
}

TEST_CASE("modes: a device decodes in the loader's trial, not in the trainer's", "[unit][plan]") {
  PlanContext context = context_for(built_in_catalog());
  context.cuda = {.devices = 1, .kernels = true, .memory = {1ull << 40}};
  const auto plan_on = [&](const std::string& trainer, const std::string& loader = "") {
    return make_plan(
        load_text("dataset: {synthesize: {samples: 64}}\nloader: {use: native, decode: "
                  "{backend: nvjpeg}, num_workers: 2" +
                      loader + "}\ntrainer: " + trainer +
                      "\nmeasure: {substitute: true, interference: true}\n",
                  request_for(""), built_in_catalog()),
        context);
  };
  const Plan plan = plan_on("{use: timed, step_time: 3ms, device: \"cuda:0\"}");
  const SettingsMap& l = trial_of(plan, plan.points[0], Mode::loader).settings;
  CHECK(l.text("trainer.device") == "cuda:0");
  CHECK(l.text("trainer.at") == "device");
  CHECK(trial_of(plan, plan.points[0], Mode::trainer).settings.text("trainer.copy") == "once");
  CHECK(trial_of(plan, plan.points[0], Mode::pipeline).settings.text("trainer.copy") == "each");
  for (const auto& [ablation, trial] : plan.points[0].ablations) {
    const std::string name = ablation.text();
    CAPTURE(name);
    CHECK((name != "free:decode" && name != "free:transform" && name != "beside" &&
           name != "on_device"));
    CHECK_FALSE(plan.trials[trial].skip);
  }
  const auto skipped = [](const Plan& of) {
    return trial_of(of, of.points[0], Mode::pipeline).skip.value_or("");
  };
  CHECK(skipped(plan).empty());
  CHECK(skipped(plan_on("{use: timed, step_time: 3ms, device: emulated}")) ==
        "needs trainer.device: cuda:N for loader.decode.backend: nvjpeg, not emulated");
  CHECK(skipped(plan_on("{use: discard, device: \"cuda:0\"}")) ==
        "needs trainer.at: device for loader.decode.backend: nvjpeg with trainer discard");
  CHECK(skipped(plan_on("{use: discard, at: device, device: \"cuda:0\"}", ", work_unit: sample")) ==
        "needs loader.work_unit: batch for loader.decode.backend: nvjpeg, not sample");
  context.cuda.kernels = false;
  CHECK_THAT(skipped(plan_on("{use: discard, at: device, device: \"cuda:0\"}")),
             Catch::StartsWith("needs CUDA kernels"));
}

// Any key of a library may be the batch's shape, also where it reads data.
TEST_CASE("modes: the trainer's trial has the keys of a library of the user's own as the point has",
          "[unit][plan]") {
  static constexpr Parameter keys[] = {
      {"size", ParameterType::integer, "64", "Height.", 1, 4096},
      {"wait", ParameterType::duration, "0s", "Time a sample.", 0, 1e18}};
  static constexpr PartDescription own{.kind = PartKind::loader,
                                       .name = "/own/libmine.so",
                                       .summary = "Reads.",
                                       .parameters = keys,
                                       .needs_dataset = true};
  std::vector<PartRow> rows(small_catalog().rows().begin(), small_catalog().rows().end());
  rows.push_back({&own, {}, ""});
  const Catalog catalog{rows};
  const Plan plan = make_plan(load_text("dataset: {format: tar, synthesize: {samples: 256}}\n"
                                        "loader: {use: /own/libmine.so}\ntrainer: {use: timed}\n"
                                        "sweep: {loader.size: [64, 128], loader.wait: [0s, 1ms]}\n",
                                        request_for(""), catalog),
                              context_for(catalog));
  const Trial& larger = trial_of(plan, point_named(plan, "size=128"), Mode::trainer);
  CHECK(larger.settings.text("loader.of.use") == "/own/libmine.so");
  CHECK(larger.settings.integer("loader.of.size") == 128);
  CHECK(digest(plan, "wait=1ms", Mode::trainer) == digest(plan, "base", Mode::trainer));
}

TEST_CASE(
    "modes: the width of a batch of sequences is the order's doing, "
    "and the trainer's trial follows it",
    "[unit][plan]") {
  const Catalog& catalog = built_in_catalog();
  const auto plan_of = [&](const std::string& dataset) {
    return make_plan(
        load_text(
            "dataset: " + dataset +
                "\nloader: {use: native, access: random, batch_size: 4}\ntrainer: {use: timed}\n"
                "sweep:\n  loader.access: [random, bucket_by_length, shuffle_buffer]\n"
                "  loader.num_workers: [1, 2]\n",
            request_for(""), catalog),
        context_for(catalog));
  };
  const Plan tokens = plan_of("{format: tokens, synthesize: {samples: 256}}");
  const SettingsMap& t =
      trial_of(tokens, point_named(tokens, "access=bucket_by_length"), Mode::trainer).settings;
  CHECK(t.text("loader.of.access") == "bucket_by_length");
  const PartRow* sampler = catalog.find(PartKind::sampler, "bucket_by_length");
  for (const Parameter& p : sampler->description->parameters)
    CHECK(t.has("loader.of." + std::string(p.key)));
  CHECK(digest(tokens, "access=bucket_by_length", Mode::trainer) !=
        digest(tokens, "base", Mode::trainer));
  CHECK(digest(tokens, "num_workers=2", Mode::trainer) == digest(tokens, "base", Mode::trainer));
}

TEST_CASE("modes: loader feeds discard on the CPU, and nothing of the trainer is left",
          "[unit][plan]") {
  const Plan plan = plan_text(kSixAxes);
  const SettingsMap& s = trial_of(plan, plan.points[0], Mode::loader).settings;
  CHECK(s.text("trainer.use") == "discard");
  CHECK(s.text("trainer.device") == "cpu");
  CHECK_FALSE(s.has("trainer.memory_format"));
  CHECK(s.integer("loader.transform.random_resized_crop") == 64);
  CHECK(s.text("dataset.format") == "image_folder");
}

TEST_CASE("modes: the pipeline is the point as it is", "[unit][plan]") {
  const Plan plan = plan_text(kSixAxes);
  CHECK(trial_of(plan, plan.points[0], Mode::pipeline).settings == plan.points[0].settings);
}

TEST_CASE("modes: a mock loader's times do not reach the trainer's trial, its shapes do",
          "[unit][plan]") {
  const Plan plan =
      plan_text(kMock + "sweep: {loader.batch_time: [0s, 5ms], loader.height: [224, 32]}\n");
  CHECK(digest(plan, "batch_time=5ms", Mode::trainer) == digest(plan, "base", Mode::trainer));
  CHECK(digest(plan, "height=32", Mode::trainer) != digest(plan, "base", Mode::trainer));
  CHECK_FALSE(trial_of(plan, plan.points[0], Mode::trainer).settings.has("dataset.format"));
}

TEST_CASE("modes: another loader part makes its own batch; one that reads no data is given none",
          "[unit][plan]") {
  const Plan plan =
      plan_text(kSixAxes + "  loader: [{use: native}, {use: synthetic, height: 64, width: 64}]\n");
  const Point& mock = point_named(plan, "loader=synthetic(height=64 width=64)");
  const SettingsMap& t = trial_of(plan, mock, Mode::trainer).settings;
  CHECK(t.text("loader.of.use") == "synthetic");
  CHECK(t.integer("loader.of.height") == 64);
  CHECK_FALSE(t.has("loader.of.residency"));
  CHECK_FALSE(trial_of(plan, mock, Mode::pipeline).settings.has("dataset.format"));
  CHECK_FALSE(t.has("dataset.format"));
}

}  // namespace plan_substitution
}  // namespace benchbench::test
