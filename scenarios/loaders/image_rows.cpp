// Rows of a batch from stored JPEG bytes.
#include "harness/core/byte_span.h"
#include "harness/core/error.h"
#include "harness/part/null_meter.h"
#include "scenarios/loaders/labelled_filler.h"
#include "scenarios/loaders/native_settings.h"

namespace benchbench {
namespace {

// The source of a sample's row.
enum class PayloadKind : std::uint8_t {
  stored,   // its own stored bytes
  decoded,  // held pixels: nothing is decoded
  // Its own bytes, decoded; then a held row is copied: nothing is cropped, resized, normalised.
  transformed,
  ready,  // a held row is copied
};

PayloadKind payload_kind(std::string_view name) {
  if (name == "decoded") return PayloadKind::decoded;
  if (name == "transformed") return PayloadKind::transformed;
  return name == "ready" ? PayloadKind::ready : PayloadKind::stored;
}

struct HeldImages {
  HeldImages(PayloadKind what, SampleArchive& archive, const ImageRecipe& recipe) : kind(what) {
    if (kind == PayloadKind::decoded) pixels = hold_images(archive);
    if (kind == PayloadKind::transformed || kind == PayloadKind::ready)
      rows = hold_rows(archive, recipe);
  }
  static HeldRows hold_rows(SampleArchive& archive, const ImageRecipe& recipe) {
    const auto runtime = make_real_runtime();
    ImageDecoder decoder;
    RowMaker maker(recipe, *runtime);
    NullMeter meter;
    const auto make = [&](ByteSpan payload, SampleId id, std::byte* row) {
      const auto image = DecodedImage::of(payload, decoder);
      if (!image) throw PartError("the decoder complains of it");
      maker.make_from(*image, {.id = id, .seed = id}, 0, meter, row);
    };
    return {archive, recipe.tensor().bytes_per_row(), make, "decoded"};
  }

  PayloadKind kind;
  std::vector<DecodedImage> pixels;
  HeldRows rows;
};

class ImageFiller final : public LabelledFiller {
 public:
  ImageFiller(const ImageRecipe& recipe, const HeldImages& held, const Runtime& runtime)
      : LabelledFiller(recipe.tensor().bytes_per_row(), held.rows, runtime),
        kind_(held.kind),
        pixels_(held.pixels),
        maker_(recipe, runtime) {}

  void fill(const StoredSample& sample, const BatchRow& row, StageMeter& meter) override {
    write_label(sample.label, row);
    const SampleRef& ref = row.sample();
    const StepNumber step = row.request.batch;
    std::byte* to = row.data(kDataTensor);
    switch (kind_) {
      case PayloadKind::stored:
        maker_.make(sample, ref, step, meter, to);
        return;
      case PayloadKind::decoded:
        return maker_.make_from(pixels_[ref.id % pixels_.size()], ref, step, meter, to);
      case PayloadKind::transformed:
        if (maker_.decode_only(sample, ref, step, meter)) return copy_held(row, meter);
        return blank(sample.label, row);
      case PayloadKind::ready:
        copy_held(row, meter);
    }
  }

 private:
  const PayloadKind kind_;
  const std::vector<DecodedImage>& pixels_;
  RowMaker maker_;
};

class ImageRows final : public RowRecipe {
 public:
  ImageRows(const ImageRecipe& recipe, PayloadKind payload, SampleArchive& archive)
      : recipe_(recipe), held_(payload, archive, recipe) {}

  BatchSpec spec() const override { return labelled_images(recipe_); }
  std::unique_ptr<RowFiller> filler(const Runtime& runtime) override {
    return std::make_unique<ImageFiller>(recipe_, held_, runtime);
  }

 private:
  ImageRecipe recipe_;
  HeldImages held_;
};

}  // namespace

std::unique_ptr<RowRecipe> image_rows(const Settings& settings, SampleArchive& archive) {
  return std::make_unique<ImageRows>(recipe_of(settings), payload_kind(settings.text("payload")),
                                     archive);
}

}  // namespace benchbench
