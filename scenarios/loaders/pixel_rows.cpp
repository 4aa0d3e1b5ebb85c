// Rows of a batch from decoded images.
#include <fmt/format.h>

#include "harness/core/byte_span.h"
#include "harness/core/error.h"
#include "harness/part/null_meter.h"
#include "scenarios/loaders/labelled_filler.h"
#include "scenarios/loaders/native_settings.h"

namespace benchbench {
namespace {

class PixelFiller final : public LabelledFiller {
 public:
  PixelFiller(const ImageRecipe& recipe, const PayloadSpec& payload, const HeldRows& held,
              const Runtime& runtime)
      : LabelledFiller(recipe.tensor().bytes_per_row(), held, runtime),
        maker_(recipe, runtime),
        height_(static_cast<int>(payload.row.extent[0])),
        width_(static_cast<int>(payload.row.extent[1])) {}

  void fill(const StoredSample& sample, const BatchRow& row, StageMeter& meter) override {
    if (sample.payload.size() !=
        static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3)
      return refuse(sample, row, meter, "wrong number of bytes for an image");
    write_label(sample.label, row);
    if (!held_.empty()) return copy_held(row, meter);
    make(sample.payload, row.sample(), row.request.batch, meter, row.data(kDataTensor));
  }

  void make(ByteSpan pixels, const SampleRef& ref, StepNumber step, StageMeter& meter,
            std::byte* row) {
    {
      const StageScope scope(meter, runtime_, step, Stage::transform);
      image_.take_rgb(pixels, width_, height_);
    }
    maker_.make_from(image_, ref, step, meter, row);
  }

 private:
  RowMaker maker_;
  DecodedImage image_;
  int height_, width_;
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
                     [&](ByteSpan pixels, SampleId id, std::byte* row) {
                       filler.make(pixels, {.id = id, .seed = id}, 0, meter, row);
                     });
  }

  BatchSpec spec() const override { return labelled_images(recipe_); }
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
