// Rows that show that the stored bytes are in memory, and take next to no time: what `payload:
// raw_bytes` is.
#include <cstring>

#include "harness/core/byte_span.h"
#include "scenarios/loaders/labelled_filler.h"

namespace benchbench {
namespace {

constexpr std::size_t kCacheLine = 64;

// One word of each cache line: all of them have to come from memory, and that is all.
std::uint64_t touch(ByteSpan bytes) noexcept {
  std::uint64_t sum = 0, word = 0;
  std::size_t at = 0;
  for (; at + sizeof word <= bytes.size(); at += kCacheLine) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum += word;
  }
  // Fewer than a word are left.
  for (; at < bytes.size(); ++at) sum += std::to_integer<std::uint64_t>(bytes[at]);
  return sum;
}

class TouchedFiller final : public RowFiller {
 public:
  explicit TouchedFiller(const Runtime& runtime) : runtime_(runtime) {}

  void fill(const StoredSample& sample, const BatchRow& row, StageMeter& meter) override {
    const StageScope scope(meter, runtime_, row.request.batch, Stage::transform);
    write(sample.label, sample.payload.size(), touch(sample.payload), row);
  }
  void blank(std::int64_t label, const BatchRow& row) override { write(label, 0, 0, row); }

 private:
  static void write(std::int64_t label, std::uint64_t bytes, std::uint64_t sum,
                    const BatchRow& row) {
    const std::uint64_t raw[2] = {bytes, sum};
    std::memcpy(row.data(kDataTensor), raw, sizeof raw);
    write_label(label, row);
  }
  const Runtime& runtime_;
};

class TouchedRows final : public RowRecipe {
 public:
  BatchSpec spec() const override {
    return labelled({.name = "raw", .dtype = DType::int64, .row = {{2}, 1}});
  }
  std::unique_ptr<RowFiller> filler(const Runtime& runtime) override {
    return std::make_unique<TouchedFiller>(runtime);
  }
};

}  // namespace

std::unique_ptr<RowRecipe> touched_rows() { return std::make_unique<TouchedRows>(); }

}  // namespace benchbench
