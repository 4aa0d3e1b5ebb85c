// Settings of a trainer of the torch module, by what they do to its losses.
#include "tests/skip.h"
#include "tests/unit/torch/training_job.h"

namespace benchbench::test {
namespace {

double compute_loss(const std::string& trainer, std::map<std::string, std::string> settings,
                    int steps) {
  return TrainingJob({.trainer = trainer, .settings = std::move(settings)}).loss_after(steps);
}

std::string find_contradiction(const std::map<std::string, std::string>& settings) {
  const PartDescription& part = *built_in_catalog().find(PartKind::trainer, "mlp")->description;
  try {
    part.check(TrainerSettings(part, settings));
    return "";
  } catch (const ScenarioError& e) {
    return std::string(e.message());
  }
}

}  // namespace

TEST_CASE("torch: the optimizer's three ways move the weights alike", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string trainer = GENERATE("mlp", "resnet18");
  const std::string momentum = GENERATE("0.9", "0");
  const auto loss = [&](const std::string& optimizer) {
    return compute_loss(trainer,
                        {{"optimizer", optimizer},
                         {"momentum", momentum},
                         {"weight_decay", "0.05"},
                         {"learning_rate", "0.02"}},
                        4);
  };
  const double loop = loss("loop");
  CAPTURE(trainer, momentum);
  CHECK(loss("none") == loop);  // torch's own choice on a CPU
  CHECK(loss("foreach") == Approx(loop).epsilon(1e-5));
  CHECK(loss("fused") == Approx(loop).epsilon(1e-4));
}

TEST_CASE("torch: each precision computes in its own format", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const auto loss = [](const std::string& precision) {
    return compute_loss("mlp", {{"precision", precision}}, 3);
  };
  const double plain = loss("fp32");
  CHECK(loss("ieee") == plain);  // a CPU has no other fp32
  for (const char* precision : {"bf16-mixed", "fp16-mixed", "bf16-true"}) {
    const double other = loss(precision);
    CAPTURE(precision, plain, other);
    CHECK(other != plain);
    CHECK(other == Approx(plain).epsilon(0.1));
  }
}

TEST_CASE("torch: gradients are scaled and unscaled with every optimizer", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string optimizer = GENERATE("loop", "foreach", "fused");
  const auto loss = [&](const std::string& precision) {
    return compute_loss("mlp", {{"precision", precision}, {"optimizer", optimizer}}, 4);
  };
  CAPTURE(optimizer);
  CHECK(loss("fp16-mixed") == Approx(loss("fp32")).epsilon(0.05));
}

TEST_CASE("torch: a step whose gradients overflow leaves the weights as they are",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string optimizer = GENERATE("loop", "foreach", "fused");
  // Images of 4,096 times their size: the gradients of the first layer overflow half precision.
  TrainingJob job({.trainer = "mlp",
                   .settings = {{"precision", "fp16-mixed"}, {"optimizer", optimizer}},
                   .dtype = DType::float32});
  float* const values = reinterpret_cast<float*>(const_cast<std::byte*>(job.image_bytes().data()));
  for (std::size_t i = 0; i < job.image_bytes().size() / sizeof(float); ++i) values[i] *= 4096;
  const double first = job.loss_after(1);
  CAPTURE(optimizer, first);
  CHECK(job.loss_after(1) == first);
  // Steps of finite gradients after it train.
  for (std::size_t i = 0; i < job.image_bytes().size() / sizeof(float); ++i) values[i] /= 4096;
  const double before = job.loss_after(1);
  CHECK(job.loss_after(6) < before);
}

TEST_CASE("torch: inference is in evaluation mode and moves no weight", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string trainer = GENERATE("mlp", "resnet18");
  TrainingJob job({.trainer = trainer, .settings = {{"pass", "forward"}}});
  const double first = job.loss_after(1);
  CHECK(job.loss_after(3) == first);
  const std::map<Stage, int> billed = {{Stage::forward, 4}};
  CHECK(job.meter.times == billed);
  // In evaluation mode a ResNet normalises by its running statistics, which are still 0 and 1.
  if (trainer == "resnet18") CHECK(compute_loss(trainer, {}, 1) != Approx(first).epsilon(1e-3));
}

TEST_CASE("torch: settings that a device or a graph cannot follow are refused by name",
          "[unit][torch]") {
  CHECK(find_contradiction({{"precision", "tf32"}}) ==
        "trainer.precision: tf32 is a number format of CUDA devices, not of the CPU");
  CHECK(find_contradiction({{"precision", "tf32"}, {"device", "cuda:0"}}) == "");
  const std::map<std::string, std::string> half = {
      {"precision", "fp16-mixed"}, {"graph", "true"}, {"device", "cuda:0"}};
  CHECK_THAT(find_contradiction(half), Catch::Matchers::Contains("trainer.graph cannot capture"));
  auto fused = half;
  fused["optimizer"] = "fused";
  CHECK(find_contradiction(fused) == "");
}

}  // namespace benchbench::test
