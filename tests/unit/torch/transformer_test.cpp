#include "tests/skip.h"
#include "tests/unit/torch/token_job.h"

namespace benchbench::test {
namespace {

using Catch::Matchers::Contains;
using StringMap = std::map<std::string, std::string>;

std::string message_of(const StringMap& settings, const TokenBatch& batch,
                       DType dtype = DType::int64) {
  try {
    TokenJob(settings, batch, dtype).loss_after(1);
    return "nothing was thrown";
  } catch (const Error& e) {
    return std::string(e.message());
  }
}

}  // namespace

TEST_CASE("torch: a transformer has the parameters that its sizes give", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  constexpr std::uint64_t width = 16, inner = 32, vocabulary = 11, layers = 3;
  const std::uint64_t attention = 4 * (width * width + width),
                      forward = 2 * width * inner + inner + width, norm = 2 * width;
  // A place for each token but the last, which is only a target.
  const std::uint64_t rest =
      (vocabulary + TokenJob::kWidest - 1) * width + norm + vocabulary * width + vocabulary;
  CHECK(TokenJob(StringMap{{"num_layers", "3"}}).trainer->parameters() ==
        layers * (attention + forward + 2 * norm) + rest);
}

TEST_CASE("torch: a transformer's loss on one cached batch falls to below half in each precision",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string precision = GENERATE("fp32", "bf16-mixed", "fp16-mixed", "bf16-true");
  const std::string optimizer = GENERATE("loop", "foreach", "fused");
  if (precision == "bf16-true" && optimizer == "fused") return;  // refused: network_parameters.cpp
  TokenJob job({{"precision", precision}, {"optimizer", optimizer}, {"learning_rate", "0.1"}});
  const double first = job.loss_after(1);
  const double later = job.loss_after(30);
  CAPTURE(precision, optimizer, first, later);
  CHECK(first > 1.0);  // ln 11 = 2.4 for eleven tokens before anything is learned
  CHECK(later < first / 2);
  CHECK(job.given_back == 31);
  CHECK(job.trainer->holds() == 0);
}

TEST_CASE("torch: a transformer's precisions differ by rounding only", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const double plain = TokenJob({}).loss_after(3);
  CHECK(TokenJob({}).loss_after(3) == plain);
  for (const char* precision : {"bf16-mixed", "fp16-mixed", "bf16-true"}) {
    const double other = TokenJob(StringMap{{"precision", precision}}).loss_after(3);
    CAPTURE(precision, plain, other);
    CHECK(other != plain);
    CHECK(other == Approx(plain).epsilon(0.05));
  }
}

TEST_CASE("torch: padding, and how wide a batch is, changes nothing in a transformer's loss",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const double plain = TokenJob({}).loss_after(3);
  TokenBatch other = make_token_batch();
  for (std::size_t row = 1; row < 4; ++row) other.id(row, 11) = 9;
  CHECK(TokenJob({}, other).loss_after(3) == Approx(plain).epsilon(1e-6));
  CHECK(TokenJob({}, make_token_batch(40)).loss_after(3) == Approx(plain).epsilon(1e-5));
  TokenJob ragged({});
  ragged.loss_after(1);
  ragged.set_batch(make_token_batch(40));
  ragged.loss_after(1);
  ragged.set_batch(make_token_batch(16));
  CHECK(ragged.loss_after(1) == Approx(plain).epsilon(1e-5));
}

TEST_CASE("torch: tokens of 32 bits are those of 64", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  CHECK(TokenJob({}, make_token_batch(), DType::int32).loss_after(2) == TokenJob({}).loss_after(2));
}

TEST_CASE("torch: a transformer's inference moves no weight", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  TokenJob job(StringMap{{"pass", "forward"}});
  const double first = job.loss_after(1);
  CHECK(job.loss_after(2) == first);
  CHECK(first == Approx(TokenJob({}).loss_after(1)).epsilon(1e-6));
  const std::map<Stage, int> billed = {{Stage::forward, 3}};
  CHECK(job.meter.times == billed);
}

TEST_CASE("torch: a transformer refuses what are no sequences of its tokens", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  TokenBatch unknown = make_token_batch();
  unknown.id(0, 3) = 11;
  CHECK(message_of({}, unknown) == "token 11 is not below trainer.vocab_size, 11");
  CHECK(message_of({{"vocab_size", "12"}}, unknown) == "nothing was thrown");
  CHECK(message_of({}, {.width = 1, .ids = {1, 2, 3, 4}, .lengths = {1, 1, 1, 1}}) ==
        "a batch of sequences of one token has none to predict");
  CHECK_THAT(message_of({}, make_token_batch(), DType::int16), Contains("not int16 of rank 1"));
  CHECK_THROWS_WITH(TrainingJob({.trainer = "transformer", .settings = {}}),
                    "this trainer takes batches with \"input_ids\" and \"length\" tensors");
}

TEST_CASE("torch: a transformer's heads share its width", "[unit][torch]") {
  const PartDescription& part =
      *built_in_catalog().find(PartKind::trainer, "transformer")->description;
  const StringMap odd = {{"d_model", "10"}, {"nhead", "4"}};
  CHECK_THROWS_WITH(part.check(TrainerSettings(part, odd)),
                    "trainer.d_model: 10 is not a multiple of trainer.nhead: 4");
  CHECK_NOTHROW(part.check(TrainerSettings(part, {{"d_model", "12"}, {"nhead", "4"}})));
}

}  // namespace benchbench::test
