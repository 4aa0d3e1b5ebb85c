// Rows of a batch from sequences of tokens: cut, and padded to the longest of their batch.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "scenarios/loaders/row_recipe.h"

namespace benchbench {
namespace {

constexpr std::size_t kIds = 0;
constexpr std::size_t kLength = 1;

struct TokenPlan {
  DType stored = DType::uint16;
  DType wanted = DType::int64;
  // Tokens of a row that are a sample's; transform.max_length, or what the longest has.
  std::uint32_t max = 0;
  std::uint32_t multiple = 1;
  std::int64_t pad = 0;
  bool work = true;                    // false: loader.payload has the rows ready
  std::vector<std::uint32_t> lengths;  // of each sample, in elements
};

// Widens `from` to `to`; false where a number does not fit.
template <class To, class From>
bool widen(const std::byte* from, std::byte* to, std::size_t count) {
  bool fits = true;
  for (std::size_t i = 0; i < count; ++i) {
    From stored;
    std::memcpy(&stored, from + i * sizeof(From), sizeof stored);
    const To wanted = static_cast<To>(stored);
    if constexpr (sizeof(From) > sizeof(To)) fits &= static_cast<From>(wanted) == stored;
    std::memcpy(to + i * sizeof(To), &wanted, sizeof wanted);
  }
  return fits;
}

template <class To>
bool copy_as(DType stored, const std::byte* from, std::byte* to, std::size_t count) {
  switch (stored) {
    case DType::uint8:
      return widen<To, std::uint8_t>(from, to, count);
    case DType::int16:
      return widen<To, std::int16_t>(from, to, count);
    case DType::uint16:
      return widen<To, std::uint16_t>(from, to, count);
    case DType::int32:
      return widen<To, std::int32_t>(from, to, count);
    default:
      return widen<To, std::int64_t>(from, to, count);
  }
}

template <class To>
void put_padding(std::byte* to, std::size_t count, std::int64_t pad) {
  const To wanted = static_cast<To>(pad);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(To), &wanted, sizeof wanted);
}

class TokenFiller final : public RowFiller {
 public:
  explicit TokenFiller(const TokenPlan& plan) : plan_(plan) {}
  bool bills_requests() const noexcept override { return true; }

  void fill(const StoredSample& sample, const BatchRow& row, StageMeter& meter) override {
    const std::size_t element = size_of(plan_.stored);
    const SampleId id = row.sample().id;
    if (sample.payload.empty() || sample.payload.size() % element != 0) {
      blank(0, row);
      return meter.fault(
          id, sample.payload.empty() ? SampleFault::decode_error : SampleFault::truncated,
          sample.name,
          fmt::format("{} bytes are not a sequence of {}", sample.payload.size(),
                      name_of(plan_.stored)));
    }
    const std::size_t width = width_in(row);
    const std::size_t count =
        std::min({sample.payload.size() / element, std::size_t{plan_.max}, width});
    if (plan_.work && !copy(sample.payload.data(), row.data(kIds), count)) {
      blank(0, row);
      return meter.fault(id, SampleFault::decode_error, sample.name,
                         "a token that does not fit int32");
    }
    pad(row, plan_.work ? count : 0);
    write_length(row, count);
    if (plan_.work) meter.elements(count, width - count);  // else there are none in the row
  }

  void blank(std::int64_t, const BatchRow& row) override {
    pad(row, 0);
    write_length(row, 0);
  }

 private:
  // Of this batch: of its rows, however they are shared among workers.
  static std::size_t width_in(const BatchRow& row) {
    return static_cast<std::size_t>(row.request.rows.tensors()[kIds].spec.row.extent[0]);
  }
  bool copy(const std::byte* from, std::byte* to, std::size_t count) const {
    return plan_.wanted == DType::int64 ? copy_as<std::int64_t>(plan_.stored, from, to, count)
                                        : copy_as<std::int32_t>(plan_.stored, from, to, count);
  }
  void pad(const BatchRow& row, std::size_t from) const {
    const std::size_t count = width_in(row) - from;
    std::byte* const to = row.data(kIds) + from * size_of(plan_.wanted);
    if (plan_.wanted == DType::int64)
      put_padding<std::int64_t>(to, count, plan_.pad);
    else
      put_padding<std::int32_t>(to, count, plan_.pad);
  }
  static void write_length(const BatchRow& row, std::size_t count) {
    const auto length = static_cast<std::int32_t>(count);
    std::memcpy(row.data(kLength), &length, sizeof length);
  }

  const TokenPlan& plan_;
};

class TokenRows final : public RowRecipe {
 public:
  explicit TokenRows(TokenPlan plan) : plan_(std::move(plan)) {}

  BatchSpec spec() const override {
    BatchSpec spec;
    spec.count = 2;
    spec.tensor[kIds] = {.name = "input_ids",
                         .dtype = plan_.wanted,
                         .row = {{rounded(plan_.max)}, 1},
                         .ragged = true};
    spec.tensor[kLength] = {.name = "length", .dtype = DType::int32, .row = {}};
    return spec;
  }
  std::uint32_t width_of(std::span<const SampleRef> samples) const override {
    std::uint32_t longest = 1;
    for (const SampleRef& sample : samples) longest = std::max(longest, plan_.lengths[sample.id]);
    return static_cast<std::uint32_t>(rounded(std::min(longest, plan_.max)));
  }
  std::unique_ptr<RowFiller> filler(const Runtime&) override {
    return std::make_unique<TokenFiller>(plan_);
  }

 private:
  std::int64_t rounded(std::uint32_t length) const noexcept {
    return (std::int64_t{length} + plan_.multiple - 1) / plan_.multiple * plan_.multiple;
  }
  TokenPlan plan_;
};

}  // namespace

std::unique_ptr<RowRecipe> token_rows(const Settings& settings, const SampleArchive& archive) {
  const auto lengths = archive.layout().lengths;
  if (lengths.size() != archive.layout().samples)
    throw ScenarioError("the dataset's format does not provide the lengths of its sequences");
  TokenPlan plan;
  plan.stored = archive.payload().dtype;
  plan.wanted = settings.text("transform.token_dtype") == "int64" ? DType::int64 : DType::int32;
  plan.lengths.assign(lengths.begin(), lengths.end());
  plan.max = std::max(1u, *std::ranges::max_element(lengths));
  if (settings.has("transform.max_length"))
    plan.max =
        std::min(plan.max, static_cast<std::uint32_t>(settings.integer("transform.max_length")));
  plan.multiple = static_cast<std::uint32_t>(settings.integer("transform.pad_to_multiple_of"));
  plan.pad = settings.integer("transform.pad_token_id");
  plan.work = settings.text("payload") == "stored" || settings.text("payload") == "decoded";
  return std::make_unique<TokenRows>(std::move(plan));
}

}  // namespace benchbench
