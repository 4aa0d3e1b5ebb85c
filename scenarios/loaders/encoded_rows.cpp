// Rows of a batch that a device decodes: the stored bytes of each image, and what is to become of
// it.
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <map>

#include "scenarios/decode/end_mark.h"
#include "scenarios/loaders/batch_files.h"
#include "scenarios/loaders/labelled_filler.h"
#include "scenarios/loaders/native_settings.h"

namespace benchbench {
namespace {

class EncodedFiller final : public RowFiller {
 public:
  EncodedFiller(const ImageRecipe& recipe, FilesOfSlots& slots, std::atomic<std::uint64_t>& decoded,
                const Runtime& runtime)
      : recipe_(recipe), slots_(slots), decoded_(decoded), runtime_(runtime) {}

  void fill(const StoredSample& sample, const BatchRow& row, StageMeter& meter) override {
    BatchFiles& files = files_of(row);
    EncodedImage image;
    std::byte* bytes = nullptr;
    {
      const StageScope scope(meter, runtime_, row.request.batch, Stage::decode);
      bytes = describe(sample, row.sample(), files, image, meter);
    }
    write(sample.label, image, row);
    files.put(row.i, {bytes, sample.name});
    if (image.bytes == 0 || image.pixel_bytes != 0) return;
    const StageScope scope(meter, runtime_, row.request.batch, Stage::read);
    std::memcpy(bytes, sample.payload.data(), sample.payload.size());
  }

  void blank(std::int64_t label, const BatchRow& row) override {
    files_of(row).put(row.i, {});
    write(label, {}, row);
  }

 private:
  // A request is a whole batch: one worker fills it.
  BatchFiles& files_of(const BatchRow& row) {
    if (row.i == 0) {
      files_ = &slots_.of(row.request.rows.tensors()[kDataTensor].data);
      files_->begin(row.request.samples.size());
    }
    return *files_;
  }

  static void write(std::int64_t label, const EncodedImage& image, const BatchRow& row) {
    std::memcpy(row.data(kDataTensor), &image, sizeof image);
    write_label(label, row);
  }

  // Returns room for the image's bytes; pixels are in it already. No room where there is no image.
  std::byte* describe(const StoredSample& sample, const SampleRef& ref, BatchFiles& files,
                      EncodedImage& image, StageMeter& meter) {
    std::byte* bytes = nullptr;
    if (decoder_.open(sample.payload)) {
      image = planned(ref);
      image.bytes = sample.payload.size();
      if (decoder_.is_common_jpeg() && has_end_mark(sample.payload))
        bytes = files.room(sample.payload.size());
      else
        bytes = decode(files, image);
    }
    decoder_.close();
    if (!bytes || decoder_.problem().failed) image = {};
    tell_problem(decoder_.problem(), sample, ref.id, meter);
    return image.bytes == 0 ? nullptr : bytes;
  }

  EncodedImage planned(const SampleRef& ref) const {
    const CropPlan plan = plan_crop(recipe_, decoder_.width(), decoder_.height(), ref.seed);
    return {.width = decoder_.width(),
            .height = decoder_.height(),
            .x = plan.box.x,
            .y = plan.box.y,
            .box_width = plan.box.width,
            .box_height = plan.box.height,
            .result_width = plan.result.width,
            .result_height = plan.result.height,
            .left = plan.left,
            .top = plan.top,
            .mirrored = plan.mirrored};
  }

  // Decodes what the device's decoder does not take (PNG, CMYK), or is silent about (a missing
  // end).
  std::byte* decode(BatchFiles& files, EncodedImage& image) {
    decoded_.fetch_add(1, std::memory_order_relaxed);
    const std::size_t pitch = static_cast<std::size_t>(image.width) * ImageDecoder::kPixelBytes;
    image.pixel_bytes = ImageDecoder::kPixelBytes;
    image.bytes = pitch * static_cast<std::size_t>(image.height);
    std::byte* const pixels = files.room(image.bytes);
    if (!decoder_.start({0, 0, image.width, image.height})) return nullptr;
    for (std::byte* to = pixels; to != pixels + image.bytes;) {
      const auto rows = decoder_.next_rows();
      if (rows.empty()) return nullptr;
      for (const std::uint8_t* const row : rows) std::memcpy(to, row, pitch), to += pitch;
    }
    return pixels;
  }

  const ImageRecipe recipe_;
  FilesOfSlots& slots_;
  std::atomic<std::uint64_t>& decoded_;
  const Runtime& runtime_;
  ImageDecoder decoder_;
  BatchFiles* files_ = nullptr;  // of the request at hand
};

class EncodedRows final : public RowRecipe {
 public:
  explicit EncodedRows(const ImageRecipe& recipe) : recipe_(recipe) {}

  BatchSpec spec() const override { return labelled(encoded_tensor()); }
  std::unique_ptr<RowFiller> filler(const Runtime& runtime) override {
    return std::make_unique<EncodedFiller>(recipe_, slots_, decoded_, runtime);
  }
  std::span<const EncodedFile> files_of(const std::byte* rows) const override {
    return slots_.files(rows);
  }
  std::string note() const override {
    const std::uint64_t decoded = decoded_.load(std::memory_order_relaxed);
    if (decoded == 0) return {};
    return fmt::format(
        "workers decoded {} of other kinds than JPEG of grey or YCbCr, or "
        "without an end",
        counted(decoded, "image"));
  }

 private:
  const ImageRecipe recipe_;
  FilesOfSlots slots_;
  std::atomic<std::uint64_t> decoded_{0};
};

}  // namespace

std::unique_ptr<RowRecipe> encoded_rows(const Settings& settings) {
  return std::make_unique<EncodedRows>(recipe_of(settings));
}

}  // namespace benchbench
