// Synthesis `tokens`: sequences whose lengths spread as those of texts do, of tokens as often as
// words are.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/part_maker.h"
#include "scenarios/synthesis/numbered_set.h"

namespace benchbench {
namespace {

using enum ParameterType;

constexpr std::string_view kTypes[] = {"uint16", "int32"};

constexpr Parameter kParameters[] = {
    {"samples", integer, "2048", "Number of sequences in the dataset.", 1, 1e9},
    {"seed", integer, "7", "A different seed gives different sequences of the same kind.", 0, 9e15},
    {"tokens.mean_length", integer, "512",
     "Mean length in tokens, before clamping to min_length and max_length.", 1, 1 << 24},
    {"tokens.spread", real, "0.6",
     "Standard deviation of the logarithm of the length (log-normal): 0 gives equal lengths, "
     "documents have about 1.",
     0, 3},
    {"tokens.min_length", integer, "16", "Shorter sequences are lengthened to this.", 1, 1 << 24},
    {"tokens.max_length", integer, "2048", "Longer sequences are truncated to this.", 1, 1 << 24},
    {"tokens.vocab_size", integer, "50257",
     "Token ids are below this; the n-th occurs with a frequency of about 1/n (Zipf).", 1, 1 << 30},
    {.key = "tokens.dtype",
     .type = choice,
     .standard = "uint16",
     .help = "Element type of a stored token.",
     .choices = kTypes},
};

// e to the x by multiplications and additions alone, which are the same everywhere; libraries' own
// differ in their last bit.
double exponential(double x) {
  constexpr int kHalvings = 12;
  const double y = x / (1 << kHalvings);
  double power = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4)));
  for (int i = 0; i < kHalvings; ++i) power *= power;
  return power;
}

// The inverse, by Newton's steps.
double logarithm(double x) {
  double log = 0;
  for (int i = 0; i < 64; ++i) log += std::min(1.0, x / exponential(log) - 1);
  return log;
}

// Zipf's law with exponent 1: u in [0, 1) becomes V^u - 1, read off a table and between its points.
class ZipfTable {
 public:
  explicit ZipfTable(std::uint64_t vocabulary) {
    const double log_of_all = logarithm(static_cast<double>(vocabulary + 1));
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double value = exponential(log_of_all * static_cast<double>(i) / kPieces) - 1;
      points_[i] = static_cast<std::uint64_t>(value * 65536);
    }
    points_[kPieces] = vocabulary << 16;
    for (std::uint64_t& point : points_) point = std::min(point, vocabulary << 16);
  }
  std::uint32_t token(std::uint32_t random) const noexcept {
    const std::uint64_t low = points_[random >> 20], width = points_[(random >> 20) + 1] - low;
    return static_cast<std::uint32_t>((low + (width * (random & 0xFFFFF) >> 20)) >> 16);
  }

 private:
  static constexpr std::size_t kPieces = 4096;
  std::array<std::uint64_t, kPieces + 1> points_{};  // in 1/65536
};

class TokenSequences final : public synthesis::NumberedSet {
 public:
  explicit TokenSequences(const Settings& s)
      : NumberedSet(s, 1),
        mean_length_(static_cast<double>(s.integer("tokens.mean_length"))),
        spread_(s.real("tokens.spread")),
        min_(s.integer("tokens.min_length")),
        max_(s.integer("tokens.max_length")),
        dtype_(s.text("tokens.dtype") == "uint16" ? DType::uint16 : DType::int32),
        zipf_(static_cast<std::uint64_t>(s.integer("tokens.vocab_size"))) {
    if (min_ > max_)
      throw ScenarioError(fmt::format(
          "dataset.synthesize.tokens.min_length is {}, more than max_length, {}", min_, max_));
    if (dtype_ == DType::uint16 && s.integer("tokens.vocab_size") > 65536)
      throw ScenarioError(
          "dataset.synthesize.tokens.vocab_size is more than 65536, the limit of uint16",
          "set dataset.synthesize.tokens.dtype: int32");
  }

  std::string_view extension() const noexcept override { return ".tok"; }
  PayloadSpec payload() const noexcept override {
    return {.data = DataKind::tokens, .dtype = dtype_};
  }

  void make(SampleId id, const PayloadSink& sink) const override {
    require(id, "tokens");
    thread_local std::vector<std::byte> bytes;
    bytes.resize(length_of(id) * size_of(dtype_));
    if (dtype_ == DType::uint16)
      fill<std::uint16_t>(id, bytes);
    else
      fill<std::int32_t>(id, bytes);
    sink(bytes);
  }

  std::uint64_t bytes_estimate() const noexcept override {
    const double tokens = mean([this](SampleId id) { return static_cast<double>(length_of(id)); });
    return static_cast<std::uint64_t>(tokens * static_cast<double>(samples_) *
                                      static_cast<double>(size_of(dtype_)));
  }

 private:
  enum Purpose : std::uint64_t { kLength, kTokens };

  // About normal: the sum of 12 uniform numbers.
  static double deviate(Random& random) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    return sum;
  }

  std::size_t length_of(SampleId id) const noexcept {
    Random random(mix_seed(seed_, kLength, id));
    const double length =
        mean_length_ * exponential(spread_ * deviate(random) - spread_ * spread_ / 2);
    const auto max = static_cast<double>(max_), min = static_cast<double>(min_);
    return static_cast<std::size_t>(std::clamp(length + 0.5, min, max));
  }

  template <class Token>
  void fill(SampleId id, std::span<std::byte> bytes) const {
    Random random(mix_seed(seed_, kTokens, id));
    for (std::size_t at = 0; at < bytes.size(); at += 2 * sizeof(Token)) {
      const std::uint64_t bits = random.next();
      const Token two[2] = {
          static_cast<Token>(zipf_.token(static_cast<std::uint32_t>(bits))),
          static_cast<Token>(zipf_.token(static_cast<std::uint32_t>(bits >> 32)))};
      std::memcpy(bytes.data() + at, two, std::min(sizeof two, bytes.size() - at));
    }
  }

  double mean_length_, spread_;
  std::int64_t min_, max_;
  DType dtype_;
  ZipfTable zipf_;
};

}  // namespace

namespace parts {

extern const PartDescription synthesis_tokens_description{
    .kind = PartKind::synthesis,
    .name = "tokens",
    .summary = "Token sequences with log-normal lengths and Zipf-distributed ids.",
    .data = DataKind::tokens,
    .parameters = kParameters,
};

PartMaker synthesis_tokens_maker() { return part_maker<TokenSequences>(); }

}  // namespace parts
}  // namespace benchbench
