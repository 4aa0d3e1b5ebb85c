#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "tests/skip.h"
#include "tests/sweep.h"
#include "tests/unit/torch/training_job.h"

namespace benchbench::test {
namespace {
using Catch::Matchers::Contains;

std::string message_of(const JobRequest& request) {
  try {
    TrainingJob job(request);
    job.step();
    return "nothing was thrown";
  } catch (const Error& e) {
    return std::string(e.message());
  }
}
}  // namespace

TEST_CASE("torch: the ResNets have torchvision's number of parameters at 1000 classes",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  CHECK(
      TrainingJob({.trainer = "resnet18", .settings = {}, .classes = 1000}).trainer->parameters() ==
      11'689'512);
  CHECK(
      TrainingJob({.trainer = "resnet50", .settings = {}, .classes = 1000}).trainer->parameters() ==
      25'557'032);
}

TEST_CASE("torch: mlp has the parameters that its sizes give", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const TrainingJob two(
      {.trainer = "mlp", .settings = {{"hidden_size", "64"}, {"hidden_layers", "2"}}, .size = 8});
  CHECK(two.trainer->parameters() == (192 * 64 + 64) + (64 * 64 + 64) + (64 * 10 + 10));
  const TrainingJob none({.trainer = "mlp", .settings = {{"hidden_layers", "0"}}, .size = 8});
  CHECK(none.trainer->parameters() == 192 * 10 + 10);
}

void check_that_it_learns(const JobRequest& request) {
  TrainingJob job(request);
  const double first = job.loss_after(1);
  double later = first;
  for (int steps = 0; steps < 20 && later >= first / 2; steps += 4) later = job.loss_after(4);
  CAPTURE(request.trainer, first, later);
  CHECK(first > 1.0);  // ln 10 = 2.3 for ten classes before anything is learned
  CHECK(later < first / 2);
}

TEST_CASE("torch: the loss on one cached batch falls to below half", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  check_that_it_learns(GENERATE(
      JobRequest{.trainer = "mlp", .settings = {{"hidden_size", "128"}}},
      JobRequest{.trainer = "mlp",
                 .settings = {{"hidden_size", "128"}, {"precision", "bf16-mixed"}}},
      JobRequest{.trainer = "resnet18", .settings = {{"memory_format", "channels_last"}}}));
}

// The first step of each of these is compared with fp32 below.
TEST_CASE("torch: the loss falls in every precision and memory format", "[unit][torch][.all]") {
  BENCHBENCH_NEEDS_TORCH();
  check_that_it_learns(GENERATE(
      JobRequest{.trainer = "resnet18", .settings = {}},
      JobRequest{.trainer = "resnet18", .settings = {{"precision", "bf16-mixed"}}},
      JobRequest{.trainer = "resnet18",
                 .settings = {{"precision", "bf16-mixed"}, {"memory_format", "channels_last"}},
                 .dtype = DType::float32}));
}

TEST_CASE("torch: resnet50 steps in every precision and memory format", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string precision = GENERATE("fp32", "bf16-mixed");
  const std::string format = GENERATE("contiguous", "channels_last");
  // The sample has each precision and each format once.
  if (sweep_size(0, 1) == 0 && (precision == "fp32") != (format == "contiguous")) return;
  TrainingJob job({.trainer = "resnet50",
                   .settings = {{"precision", precision}, {"memory_format", format}},
                   .batch_size = 2});
  const double loss = job.loss_after(2);
  CAPTURE(precision, format, loss);
  CHECK(loss > 0);
  CHECK(loss < 100);  // two samples, normalised over each other, may jump far
}

TEST_CASE("torch: memory format and bf16 change the loss by rounding only", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const auto loss = [](std::map<std::string, std::string> settings) {
    return TrainingJob({.trainer = "resnet18", .settings = std::move(settings), .batch_size = 4})
        .loss_after(1);
  };
  const double plain = loss({});
  CHECK(loss({}) == plain);  // same seed, same start
  CHECK(loss({{"memory_format", "channels_last"}}) == Approx(plain).epsilon(1e-4));
  const double mixed = loss({{"precision", "bf16-mixed"}});
  CHECK(mixed == Approx(plain).epsilon(0.05));
  CHECK(mixed != plain);  // else autocast did nothing
}

TEST_CASE("torch: bytes normalised by the trainer are the floats a worker would have sent",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  TrainingJob bytes({.trainer = "resnet18", .settings = {}});
  TrainingJob floats({.trainer = "resnet18", .settings = {}, .dtype = DType::float32});
  const float mean[] = {0.485f, 0.456f, 0.406f}, deviation[] = {0.229f, 0.224f, 0.225f};
  std::byte* to = const_cast<std::byte*>(floats.image_bytes().data());
  for (std::size_t i = 0; i < bytes.image_bytes().size(); ++i) {
    const float value =
        (static_cast<float>(bytes.image_bytes()[i]) / 255.0f - mean[i % 3]) / deviation[i % 3];
    std::memcpy(to + 4 * i, &value, sizeof value);
  }
  floats.labels() = bytes.labels();
  CHECK(floats.loss_after(1) == Approx(bytes.loss_after(1)).epsilon(1e-4));
}

TEST_CASE("torch: a step leaves the slot's bytes as they were and gives it back once",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const JobRequest request =
      GENERATE(JobRequest{.trainer = "mlp", .settings = {}},
               JobRequest{.trainer = "mlp", .settings = {}, .dtype = DType::float32},
               JobRequest{.trainer = "resnet18", .settings = {}},
               JobRequest{.trainer = "resnet18", .settings = {{"memory_format", "channels_last"}}},
               JobRequest{.trainer = "resnet18",
                          .settings = {{"memory_format", "channels_last"}},
                          .dtype = DType::float32});
  TrainingJob job(request);
  const std::vector<std::byte> before = job.image_bytes();
  const std::vector<std::int64_t> labels = job.labels();
  job.loss_after(2);
  CHECK(job.image_bytes() == before);
  CHECK(job.labels() == labels);
  CHECK(job.given_back == 2);
  CHECK(job.trainer->holds() == 0);
}

TEST_CASE("torch: a slot refilled the moment it comes back changes nothing", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string trainer = GENERATE("mlp", "resnet18");
  const DType dtype = GENERATE(DType::uint8, DType::float32);
  std::map<std::string, std::string> settings;
  if (trainer == "resnet18")
    settings = {{"memory_format", "channels_last"}};  // float rows are used where they lie
  TrainingJob left({.trainer = trainer, .settings = settings, .dtype = dtype});
  TrainingJob refilled({.trainer = trainer, .settings = settings, .dtype = dtype});
  refilled.refill = true;
  // The second step's loss has the weights that the first step left.
  CHECK(refilled.loss_after(2) == left.loss_after(2));
}

TEST_CASE("torch: each step bills forward, backward and optimizer once, and no copy on a CPU",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  TrainingJob job({.trainer = "mlp", .settings = {}});
  job.loss_after(3);
  const std::map<Stage, int> expected = {
      {Stage::forward, 3}, {Stage::backward, 3}, {Stage::optimizer, 3}};
  CHECK(job.meter.times == expected);
  for (const auto& [stage, time] : job.meter.total) CHECK(time.count() > 0);
}

#ifdef __SSE__
TEST_CASE("torch: denormals are flushed on the thread that steps", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before & ~0x8040u);
  TrainingJob({.trainer = "mlp", .settings = {}}).step();
  volatile float tiny = 1.2e-38f;
  tiny = tiny * 0.1f;
  const float product = tiny;
  _mm_setcsr(before);
  CHECK(product == 0.0f);
}
#endif

TEST_CASE("torch: weights move by learning rate, momentum and weight decay", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const auto loss = [](std::map<std::string, std::string> settings) {
    return TrainingJob({.trainer = "mlp", .settings = std::move(settings)}).loss_after(3);
  };
  const double standard = loss({});
  CHECK(loss({{"learning_rate", "0"}}) ==
        TrainingJob({.trainer = "mlp", .settings = {}}).loss_after(1));
  CHECK(loss({{"momentum", "0"}}) > standard);
  CHECK(loss({{"weight_decay", "0.5"}}) != standard);
}

TEST_CASE("torch: another device is refused with its name, not replaced", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  CHECK_THROWS_AS(TrainingJob({.trainer = "mlp", .settings = {}, .device = "xpu:0"}), DeviceError);
  CHECK_THAT(message_of({.trainer = "mlp", .settings = {}, .device = "xpu:0"}), Contains("xpu:0"));
}

TEST_CASE("torch: cuda:9 is refused with the package or the device that is missing",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string said = message_of({.trainer = "mlp", .settings = {}, .device = "cuda:9"});
  CHECK_THAT(said, Contains("needs torch with CUDA: ") || Contains("needs cuda:9 in torch: "));
  CHECK(said.find('\n') == std::string::npos);
}

TEST_CASE("torch: what torch throws comes out as one PartError without a backtrace",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  TrainingJob job({.trainer = "mlp", .settings = {}});
  job.labels()[0] = 10;  // of ten classes
  CHECK_THROWS_AS(job.step(), PartError);
  CHECK(job.given_back == 1);
  job.labels()[0] = 9;
  CHECK_NOTHROW(job.step());
}

TEST_CASE("torch: a batch that is no labelled image is refused", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  CHECK_THAT(message_of({.trainer = "resnet18", .settings = {}, .channels = 1}),
             Contains("3 channels"));
  CHECK_THAT(message_of({.trainer = "mlp", .settings = {}, .dtype = DType::int64}),
             Contains("not int64 of rank 3"));
}

}  // namespace benchbench::test
