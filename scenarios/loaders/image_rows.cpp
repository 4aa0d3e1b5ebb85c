// Rows of a batch from stored JPEG bytes.
#include <cstring>

#include "scenarios/loaders/held_payload.h"
#include "scenarios/loaders/native_settings.h"
#include "scenarios/loaders/row_recipe.h"

namespace benchbench {
namespace {

constexpr std::size_t kImage = 0;
constexpr std::size_t kLabel = 1;

class ImageFiller final : public RowFiller {
 public:
  ImageFiller(const ImageRecipe& recipe, const HeldPayload& held, const Runtime& runtime)
      : held_(held),
        runtime_(runtime),
        maker_(recipe, runtime),
        row_bytes_(recipe.tensor().bytes_per_row()) {}

  void fill(const StoredSample& sample, const BatchRequest& request, std::size_t i,
            StageMeter& meter) override {
    write_label(sample.label, request, i);
    const SampleRef& ref = request.samples[i];
    std::byte* row = request.rows.row(kImage, i);
    switch (held_.kind()) {
      case PayloadKind::stored:
        maker_.make(sample, ref, request.batch, meter, row);
        return;
      case PayloadKind::decoded:
        maker_.make_from(held_.image(ref.id), ref, request.batch, meter, row);
        return;
      case PayloadKind::transformed:
        if (maker_.decode_only(sample, ref, request.batch, meter))
          return copy(ref.id, request.batch, meter, row);
        std::memset(row, 0, row_bytes_);
        return;
      case PayloadKind::ready:
        copy(ref.id, request.batch, meter, row);
    }
  }

  void blank(std::int64_t label, const BatchRequest& request, std::size_t i) override {
    write_label(label, request, i);
    std::memset(request.rows.row(kImage, i), 0, row_bytes_);
  }

 private:
  static void write_label(std::int64_t label, const BatchRequest& request, std::size_t i) {
    std::memcpy(request.rows.row(kLabel, i), &label, sizeof label);
  }

  void copy(SampleId id, StepNumber step, StageMeter& meter, std::byte* row) {
    const StageScope scope(meter, runtime_, step, Stage::transform);
    std::memcpy(row, held_.row(id).data(), row_bytes_);
  }

  const HeldPayload& held_;
  const Runtime& runtime_;
  RowMaker maker_;
  std::size_t row_bytes_;
};

class ImageRows final : public RowRecipe {
 public:
  ImageRows(const ImageRecipe& recipe, PayloadKind payload, SampleArchive& archive)
      : recipe_(recipe), held_(payload, archive, recipe) {}

  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[kImage] = recipe_.tensor();
    spec.tensor[kLabel] = {.name = "label", .dtype = DType::int64, .row = {}};
    spec.count = 2;
    spec.normalize_in_step = recipe_.left_to_step();
    return spec;
  }
  std::unique_ptr<RowFiller> filler(const Runtime& runtime) override {
    return std::make_unique<ImageFiller>(recipe_, held_, runtime);
  }

 private:
  ImageRecipe recipe_;
  HeldPayload held_;
};

}  // namespace

std::unique_ptr<RowRecipe> image_rows(const Settings& settings, SampleArchive& archive) {
  return std::make_unique<ImageRows>(recipe_of(settings), payload_kind(settings.text("payload")),
                                     archive);
}

}  // namespace benchbench
