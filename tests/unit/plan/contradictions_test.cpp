// Settings of one part that contradict one another.
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace contradictions {

const std::string kCrop = "loader.transform.center_crop needs loader.transform.resize";
const std::string kFloats = "loader.normalize_on_device is of uint8 images";
const std::string kTimes = "spread is over 1, which would make uniform times negative";

Plan plan_real(const std::string& text) {
  return make_plan(load_text(text, request_for(""), built_in_catalog()),
                   context_for(built_in_catalog()));
}
std::string refusal_of(const std::string& text) {
  try {
    load_text(text, request_for(""), built_in_catalog());
  } catch (const ScenarioDiagnostics& refused) {
    return refused.text();
  }
  return "accepted";
}
std::optional<std::string> skip_of(const Plan& plan, const std::string& point) {
  return point_named(plan, point).skip;
}

TEST_CASE("contradictions: a scenario that has one is refused where it says so", "[unit][plan]") {
  const std::string trainer = "trainer: {use: discard}\n",
                    data = "dataset: {synthesize: {samples: 64}}\n";
  for (const std::string use : {"native", "libtorch"})
    CHECK_THAT(refusal_of(data + "loader:\n  use: " + use + "\n  transform: {center_crop: 64}\n" +
                          trainer),
               Catch::Contains(":4:28: error: " + kCrop + "; the usual value is resize: 73"));
  CHECK_THAT(refusal_of(data + "loader:\n  use: native\n  residency: device\n" + trainer),
             Catch::Contains(":4:14: error: loader.residency: device keeps one row a sample"));
  for (const std::string use : {"synthetic", "rate_limited, rate: 100/s", "cached_batch"})
    CHECK_THAT(refusal_of("loader: {use: " + use +
                          ", normalize_on_device: true, dtype: float32}\n" + trainer),
               Catch::Contains("error: " + kFloats));
  for (const std::string use : {"timed", "faulty"})
    CHECK_THAT(refusal_of("loader: {use: synthetic}\ntrainer:\n  use: " + use +
                          "\n  step_time: 1ms\n  distribution: uniform\n  spread: 1.5\n"),
               Catch::Contains(":6:11: error: " + kTimes));
  for (const std::string of :
       {"synthetic, channels: 1", "cached_batch, of: {use: synthetic, channels: 1}"})
    CHECK_THAT(
        refusal_of("loader: {use: " + of + "}\ntrainer: {use: resnet18}\n"),
        Catch::Contains(":2:16: error: trainer resnet18 takes images of 3 channels, but loader.") &&
            Catch::Contains("channels is 1; set loader."));
  CHECK(refusal_of(data + "loader: {use: native, payload: raw_bytes}\ntrainer: {use: mlp}\n"
                          "measure: {modes: [loader]}\n") == "accepted");
  CHECK_THAT(
      refusal_of(data + "loader: {use: native, payload: raw_bytes}\ntrainer: {use: mlp}\n"),
      Catch::Contains(":3:16: error: trainer mlp takes images, but loader.payload: raw_bytes "
                      "decodes none; leave out loader.payload"));
  CHECK_THAT(refusal_of("loader: {use: cached_batch, of: {use: synthetic, distribution: uniform, "
                        "spread: 2}}\n" +
                        trainer),
             Catch::Contains(kTimes));
}

TEST_CASE("contradictions: a trainer of tokens takes sequences of those that it knows alone",
          "[unit][plan]") {
  const std::string trainer = "trainer: {use: transformer}\n",
                    data = "dataset: {format: tokens, synthesize: {tokens: {max_length: 64}}}\n",
                    native = "loader: {use: native}\n";
  CHECK(refusal_of(data + native + trainer) == "accepted");
  CHECK_THAT(
      refusal_of(data + "loader: {use: synthetic}\n" + trainer),
      Catch::Contains("trainer transformer takes tokens, but loader synthetic makes images"));
  CHECK_THAT(refusal_of(data + "loader: {use: python, script: a.py, call: f}\n" + trainer),
             Catch::Contains("trainer transformer takes tokens, but loader python makes images"));
  CHECK_THAT(refusal_of("dataset: {synthesize: {samples: 64}}\n" + native + trainer),
             Catch::Contains("trainer transformer takes tokens, but dataset.format: ") &&
                 Catch::Contains(" holds images"));
  CHECK_THAT(refusal_of(data + native + "trainer: {use: mlp}\n"),
             Catch::Contains("trainer mlp takes images, but dataset.format: tokens holds tokens"));
  CHECK_THAT(refusal_of(data + native + "trainer: {use: transformer, vocab_size: 100}\n"),
             Catch::Contains("trainer.vocab_size is 100, but dataset.synthesize.tokens.vocab_size "
                             "is 50257; set trainer.vocab_size to 50257"));
  CHECK_THAT(refusal_of(data + native +
                        "trainer: {use: transformer, precision: bf16-true, optimizer: fused}\n"),
             Catch::Contains("torch's fused optimizer moves weights of trainer.precision: "
                             "bf16-true wrongly on the CPU"));
}

TEST_CASE("contradictions: a point of two axes that has one is SKIPPED, the others run",
          "[unit][plan]") {
  const Plan plan = plan_real(
      "loader: {use: synthetic, sample_time: 1ms}\ntrainer: {use: timed, step_time: 1ms}\n"
      "sweep: {mode: grid, loader.distribution: [uniform, exponential], loader.spread: [0.5, "
      "2]}\n");
  CHECK(skip_of(plan, "distribution=uniform spread=2") == kTimes);
  for (const char* fine : {"distribution=uniform spread=0.5", "distribution=exponential spread=2"})
    CHECK_FALSE(skip_of(plan, fine));
}

}  // namespace contradictions
}  // namespace benchbench::test
