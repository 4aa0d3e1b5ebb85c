// Measures, by hand: `test_unit_native "[measure]"`. Prints images per second of CPU time of one
// thread; asserts nothing about time.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>

#include "harness/part/catalog.h"
#include "harness/part/null_meter.h"
#include "harness/record/value.h"
#include "scenarios/decode/resize_kernels.h"
#include "scenarios/decode/row_maker.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::measure {
namespace {

std::vector<std::vector<std::byte>> images() {
  SettingsMap map;
  const PartRow* row = built_in_catalog().find(PartKind::synthesis, "image");
  for (const Parameter& p : row->description->parameters)
    map.set(std::string("s.") + std::string(p.key), *Value::parse(p.type, p.standard));
  const PrefixedSettings settings(map, "s.");
  const auto synthesis = row->maker.synthesis(settings);
  std::vector<std::vector<std::byte>> made(64);
  for (SampleId id = 0; id < made.size(); ++id) {
    synthesis->make(
        id, [&](std::span<const std::byte> bytes) { made[id].assign(bytes.begin(), bytes.end()); });
  }
  return made;
}

// The customary way with the same parts: the whole image first, then crop and resize from it.
class WholeImage {
 public:
  void make(std::span<const std::byte> jpeg, const ImageRecipe& recipe, std::uint64_t seed,
            std::byte* to) {
    decode(jpeg);
    const auto [box, mirrored] = draw_sample(recipe, decoder_.width(), decoder_.height(), seed);
    across_.plan(box.width, recipe.size, 0, recipe.size, mirrored);
    down_.plan(box.height, recipe.size, 0, recipe.size, false);
    const std::size_t stride = static_cast<std::size_t>(recipe.size) * 3 + 1;
    between_.resize(stride * static_cast<std::size_t>(box.height));
    for (int y = 0; y < box.height; ++y) {
      const std::size_t at =
          (static_cast<std::size_t>(box.y + y) * static_cast<std::size_t>(decoder_.width()) +
           static_cast<std::size_t>(box.x)) *
          4;
      resize_across(across_, pixels_.data() + at,
                    between_.data() + stride * static_cast<std::size_t>(y));
    }
    for (int y = 0; y < recipe.size; ++y) {
      rows_.clear();
      for (int k = 0; k < down_.used(y); ++k) {
        rows_.push_back(between_.data() + stride * static_cast<std::size_t>(down_.begin(y) + k));
      }
      resize_down(rows_, down_.weights(y),
                  reinterpret_cast<std::uint8_t*>(to) + y * recipe.size * 3, recipe.size * 3);
    }
  }

 private:
  void decode(std::span<const std::byte> jpeg) {
    decoder_.open(jpeg);
    const Region all{0, 0, decoder_.width(), decoder_.height()};
    decoder_.start(all);
    const std::size_t size =
        static_cast<std::size_t>(all.width) * static_cast<std::size_t>(all.height) * 4;
    if (pixels_.size() < size + kAcrossSlack) pixels_.resize(size + kAcrossSlack);
    std::uint8_t* to = pixels_.data();
    for (int y = 0; y < all.height;) {
      const auto rows = decoder_.next_rows();
      for (const std::uint8_t* row : rows) to = std::copy_n(row, all.width * 4, to);
      y += static_cast<int>(rows.size());
    }
    decoder_.close();
  }

  JpegDecoder decoder_;
  ResizeAxis across_, down_;
  std::vector<std::uint8_t> pixels_, between_;
  std::vector<const std::uint8_t*> rows_;
};

class TimesMeter final : public NullMeter {
 public:
  void record(StepNumber, Stage stage, Nanoseconds time) override {
    times[static_cast<std::size_t>(stage)] += time;
  }
  bool stages_wanted() const noexcept override { return true; }
  std::array<Nanoseconds, kStages> times{};
};

TEST_CASE("measure: JPEG to a 224 row, one thread", "[.][measure]") {
  const auto jpegs = images();
  std::uint64_t bytes = 0;
  for (const auto& jpeg : jpegs) bytes += jpeg.size();
  const auto runtime = make_real_runtime();
  ImageRecipe recipe, floats, evaluation;
  floats.normalize = true;
  evaluation.crop = ImageRecipe::Crop::centre;
  TimesMeter meter;  // of wall time: only the share of each stage says something on a busy machine
  NullMeter silent;
  RowMaker maker(recipe, *runtime), float_maker(floats, *runtime),
      evaluation_maker(evaluation, *runtime);
  WholeImage whole;
  std::vector<std::byte> row(floats.tensor().bytes_per_row());
  struct Contest {
    const char* name;
    Nanoseconds time{};
  };
  Contest contests[] = {{"random crop, uint8"},
                        {"random crop, uint8, observer 0"},
                        {"random crop, float32"},
                        {"central crop of 256"},
                        {"whole decode, then crop, uint8"}};
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds; ++round) {
    // Interleaved: both share the machine's mood.
    for (std::size_t which = 0; which < std::size(contests); ++which) {
      // The thread's own time, not the time others took the core for.
      const Nanoseconds start = runtime->thread_cpu_time();
      for (std::size_t i = 0; i < jpegs.size(); ++i) {
        const StoredSample sample{jpegs[i], 0, ""};
        const SampleRef ref{i, mix_seed(static_cast<std::uint64_t>(round), i)};
        if (which == 0) maker.make(sample, ref, 0, meter, row.data());
        if (which == 1) maker.make(sample, ref, 0, silent, row.data());
        if (which == 2) float_maker.make(sample, ref, 0, silent, row.data());
        if (which == 3) evaluation_maker.make(sample, ref, 0, silent, row.data());
        if (which == 4) whole.make(jpegs[i], recipe, ref.seed, row.data());
      }
      contests[which].time += runtime->thread_cpu_time() - start;
    }
  }
  const double count = kRounds * static_cast<double>(jpegs.size());
  std::printf("%zu images of %.0f bytes\n", jpegs.size(),
              static_cast<double>(bytes) / static_cast<double>(jpegs.size()));
  for (const Contest& contest : contests)
    std::printf("%-32s %7.0f images/s  %6.1f us\n", contest.name, count / to_seconds(contest.time),
                to_seconds(contest.time) / count * 1e6);
  for (const Stage stage : {Stage::decode, Stage::transform}) {
    std::printf("  %-10s %6.1f us\n", name_of(stage).data(),
                to_seconds(meter.times[static_cast<std::size_t>(stage)]) / count * 1e6);
  }
  SUCCEED();
}

}  // namespace
}  // namespace benchbench::test::measure
