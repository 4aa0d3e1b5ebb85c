// Rows of a batch from decoded images.
#include <fmt/format.h>

#include <cstring>

#include "harness/core/error.h"
#include "harness/part/null_meter.h"
#include "scenarios/decode/row_maker.h"
#include "scenarios/loaders/held_rows.h"
#include "scenarios/loaders/native_settings.h"
#include "scenarios/loaders/row_recipe.h"

namespace benchbench {
namespace {

constexpr std::size_t kPixels = 0;
constexpr std::size_t kPixelsLabel = 1;

class PixelFiller final : public RowFiller {
 public:
  PixelFiller(const ImageRecipe& recipe, const PayloadSpec& payload, const HeldRows& held,
              const Runtime& runtime)
      : held_(held),
        runtime_(runtime),
        maker_(recipe, runtime),
        height_(static_cast<int>(payload.row.extent[0])),
        width_(static_cast<int>(payload.row.extent[1])),
        row_bytes_(recipe.tensor().bytes_per_row()) {}

  void fill(const StoredSample& sample, const BatchRequest& request, std::size_t i,
            StageMeter& meter) override {
    const SampleRef& ref = request.samples[i];
    std::byte* row = request.rows.row(kPixels, i);
    if (sample.payload.size() !=
        static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3) {
      blank(sample.label, request, i);
      return meter.fault(ref.id, SampleFault::decode_error, sample.name,
                         "wrong number of bytes for an image");
    }
    std::memcpy(request.rows.row(kPixelsLabel, i), &sample.label, sizeof sample.label);
    if (!held_.empty()) {
      const StageScope scope(meter, runtime_, request.batch, Stage::transform);
      std::memcpy(row, held_.row(ref.id).data(), row_bytes_);
      return;
    }
    make(sample.payload, ref, request.batch, meter, row);
  }

  void make(std::span<const std::byte> pixels, const SampleRef& ref, StepNumber step,
            StageMeter& meter, std::byte* row) {
    {
      const StageScope scope(meter, runtime_, step, Stage::transform);
      image_.take_rgb(pixels, width_, height_);
    }
    maker_.make_from(image_, ref, step, meter, row);
  }

  void blank(std::int64_t label, const BatchRequest& request, std::size_t i) override {
    std::memcpy(request.rows.row(kPixelsLabel, i), &label, sizeof label);
    std::memset(request.rows.row(kPixels, i), 0, row_bytes_);
  }

 private:
  const HeldRows& held_;
  const Runtime& runtime_;
  RowMaker maker_;
  DecodedImage image_;
  int height_, width_;
  std::size_t row_bytes_;
};

class PixelRows final : public RowRecipe {
 public:
  PixelRows(const ImageRecipe& recipe, const PayloadSpec& payload, bool held,
            SampleArchive& archive)
      : recipe_(recipe), payload_(payload) {
    if (!held) return;
    const auto runtime = make_real_runtime();
    const HeldRows none;
    PixelFiller filler(recipe, payload, none, *runtime);
    NullMeter meter;
    held_ = HeldRows(archive, recipe.tensor().bytes_per_row(),
                     [&](std::span<const std::byte> pixels, SampleId id, std::byte* row) {
                       filler.make(pixels, {.id = id, .seed = id}, 0, meter, row);
                     });
  }

  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[kPixels] = recipe_.tensor();
    spec.tensor[kPixelsLabel] = {.name = "label", .dtype = DType::int64, .row = {}};
    spec.count = 2;
    spec.normalize_in_step = recipe_.left_to_step();
    return spec;
  }
  std::unique_ptr<RowFiller> filler(const Runtime& runtime) override {
    return std::make_unique<PixelFiller>(recipe_, payload_, held_, runtime);
  }

 private:
  ImageRecipe recipe_;
  PayloadSpec payload_;
  HeldRows held_;
};

}  // namespace

std::unique_ptr<RowRecipe> pixel_rows(const Settings& settings, SampleArchive& archive) {
  const PayloadSpec payload = archive.payload();
  if (payload.row.rank != 3 || payload.row.extent[2] != 3 || payload.dtype != DType::uint8)
    throw ScenarioError("loader native takes decoded images of uint8 [height, width, 3]");
  if (payload.row.extent[0] > 65500 || payload.row.extent[1] > 65500)
    throw ScenarioError(
        fmt::format("images of {} x {} pixels", payload.row.extent[1], payload.row.extent[0]));
  const std::string_view held = settings.text("payload");
  return std::make_unique<PixelRows>(recipe_of(settings), payload,
                                     held == "transformed" || held == "ready", archive);
}

}  // namespace benchbench
