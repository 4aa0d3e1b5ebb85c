#include "scenarios/loaders/torch_examples.h"

#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "scenarios/decode/normalize.h"
#include "scenarios/loaders/native_settings.h"
#include "scenarios/loaders/resident_archive.h"
#include "scenarios/storage/sample_lane.h"

namespace benchbench {
namespace {

constexpr int kChannels = 3;

// R, G, B and one byte without meaning -> R, G, B; four pixels at a time.
void pack(const std::uint8_t* from, std::uint8_t* to, int pixels) {
  int i = 0;
  for (; i + 4 <= pixels; i += 4, from += 16, to += 12) {
    std::uint32_t p[4], w[3];
    std::memcpy(p, from, sizeof p);
    w[0] = (p[0] & 0xffffff) | p[1] << 24;
    w[1] = (p[1] >> 8 & 0xffff) | p[2] << 16;
    w[2] = (p[2] >> 16 & 0xff) | p[3] << 8;
    std::memcpy(to, w, sizeof w);
  }
  for (; i < pixels; ++i, from += 4, to += 3) std::memcpy(to, from, 3);
}

// A whole image as bytes [height, width, 3], as an image library decodes it: by libjpeg-turbo
// or libspng alone. Undefined where there are no pixels to be had.
at::Tensor decode_whole(ImageDecoder& decoder, ByteSpan encoded) {
  if (!decoder.open(encoded)) return {};
  const int width = decoder.width(), height = decoder.height();
  if (!decoder.start({0, 0, width, height})) return {};
  at::Tensor image = at::empty({height, width, kChannels}, at::kByte);
  auto* to = image.mutable_data_ptr<std::uint8_t>();
  for (int y = 0; y < height;) {
    const auto rows = decoder.next_rows();
    if (rows.empty()) return {};
    for (const std::uint8_t* row : rows)
      pack(row, to + std::ptrdiff_t{y++} * width * kChannels, width);
  }
  return image;
}

// What all workers of a stored set share.
struct Stored {
  std::unique_ptr<SampleArchive> archive;
  ImageRecipe recipe;
  EmulatedStorage* store = nullptr;
  bool customary = true;      // tensor operations; false: native's work
  bool resize_bytes = false;  // and the resize before bytes become floats
  std::optional<ReadOrder> order;

  std::unique_ptr<SampleReader> reader(Runtime& runtime) {
    return emulate_storage(archive->reader(runtime), *order, store, runtime);
  }
  TensorSpec tensor() const noexcept {
    TensorSpec spec = recipe.tensor();
    if (customary) spec.dtype = DType::float32;
    return spec;
  }
  at::Tensor blank() const {
    return at::zeros({recipe.size, recipe.size, kChannels},
                     tensor().dtype == DType::uint8 ? at::kByte : at::kFloat);
  }
};

// Reads; what becomes of the bytes differs.
class StoredMaker : public ExampleMaker {
 public:
  StoredMaker(Stored& stored, Runtime& runtime)
      : stored_(stored), runtime_(runtime), reader_(stored.reader(runtime)) {}

  TorchExample make(const SampleRef& ref, StepNumber step, StageMeter& meter) final {
    StoredSample sample;
    try {
      sample = reader_->read(ref.id, step, meter);
    } catch (const PartError& error) {
      meter.fault(ref.id, SampleFault::short_read, stored_.archive->name_of(ref.id),
                  error.message());
      return {stored_.blank(), stored_.archive->label_of(ref.id)};
    }
    return {tensor_of(sample, ref, step, meter), sample.label};
  }

 protected:
  virtual at::Tensor tensor_of(const StoredSample& sample, const SampleRef& ref, StepNumber step,
                               StageMeter& meter) = 0;
  Stored& stored_;
  Runtime& runtime_;

 private:
  std::unique_ptr<SampleReader> reader_;
};

// Decode all of it, then one tensor operation after the other, as torchvision's v2 transforms do.
// The tensors keep the pixels' order in memory (channels last), which spares torch a transposition.
class CustomaryMaker final : public StoredMaker {
 public:
  CustomaryMaker(Stored& stored, Runtime& runtime)
      : StoredMaker(stored, runtime), decoder_(JpegDecoder::Huffman::library) {
    const auto three = [](const auto& v) { return at::tensor({v[0], v[1], v[2]}).view({3, 1, 1}); };
    mean_ = three(kImageNetMean);
    deviation_ = three(kImageNetDeviation);
  }

 private:
  at::Tensor tensor_of(const StoredSample& sample, const SampleRef& ref, StepNumber step,
                       StageMeter& meter) override {
    StageScope decoding(meter, runtime_, step, Stage::decode);
    const at::Tensor image = decode_whole(decoder_, sample.payload);
    decoder_.close();
    decoding.stop();
    tell_problem(decoder_.problem(), sample, ref.id, meter);
    if (!image.defined()) return stored_.blank();
    const StageScope scope(meter, runtime_, step, Stage::transform);
    return transformed(image, ref.seed);
  }

  // [H, W, 3] bytes -> [size, size, 3] floats.
  at::Tensor transformed(const at::Tensor& pixels, std::uint64_t seed) const {
    const ImageRecipe& recipe = stored_.recipe;
    const int height = static_cast<int>(pixels.size(0)), width = static_cast<int>(pixels.size(1));
    const auto [box, mirrored] = draw_sample(recipe, width, height, seed);
    at::Tensor image = pixels.permute({2, 0, 1});
    if (!stored_.resize_bytes) image = image.to(at::kFloat);
    if (recipe.crop == ImageRecipe::Crop::random_resized) {
      image = resized(image.narrow(1, box.y, box.height).narrow(2, box.x, box.width), recipe.size,
                      recipe.size);
      if (mirrored) image = image.flip(2);
    } else {
      const ImageSize to = resized_shorter_side(width, height, recipe.resize);
      image = resized(image, to.height, to.width)
                  .narrow(1, centre_crop_begin(to.height, recipe.size), recipe.size)
                  .narrow(2, centre_crop_begin(to.width, recipe.size), recipe.size);
    }
    if (stored_.resize_bytes) image = image.to(at::kFloat);
    if (normalizes_) image.div_(255).sub_(mean_).div_(deviation_);
    return image.permute({1, 2, 0}).contiguous();
  }

  static at::Tensor resized(const at::Tensor& image, std::int64_t height, std::int64_t width) {
    return at::_upsample_bilinear2d_aa(image.unsqueeze(0), {height, width}, false).squeeze(0);
  }

  ImageDecoder decoder_;
  bool normalizes_ = stored_.recipe.normalize;
  at::Tensor mean_, deviation_;
};

// Native's own work for a row, into a tensor.
class SameMaker final : public StoredMaker {
 public:
  SameMaker(Stored& stored, Runtime& runtime)
      : StoredMaker(stored, runtime), maker_(stored.recipe, runtime) {}

 private:
  at::Tensor tensor_of(const StoredSample& sample, const SampleRef& ref, StepNumber step,
                       StageMeter& meter) override {
    const std::int64_t size = stored_.recipe.size;
    at::Tensor row =
        at::empty({size, size, kChannels}, stored_.recipe.normalize ? at::kFloat : at::kByte);
    maker_.make(sample, ref, step, meter, static_cast<std::byte*>(row.mutable_data_ptr()));
    return row;
  }
  RowMaker maker_;
};

class StoredSet final : public ExampleSet {
 public:
  explicit StoredSet(const LoaderContext& context) {
    const DatasetPlace& place = context.dataset;
    stored_.archive = context.catalog->maker(PartKind::sample_format, place.format)
                          .format.open(place.path, place.columns);
    if (!stored_.archive->payload().encoded_image())
      throw ScenarioError(
          "loader libtorch reads encoded images only, which this dataset does not hold",
          "loader.use: native supports more kinds of data");
    stored_.recipe = recipe_of(context.settings);
    stored_.customary = context.settings.text("path") != "same";
    stored_.resize_bytes = context.settings.text("path") == "bytes_first";
    // On the customary path it is always the worker that normalises.
    if (stored_.customary) {
      stored_.recipe.normalize = context.settings.text("transform.normalize") == "imagenet";
      stored_.recipe.normalize_in_step = false;
    }
    const bool resident = context.settings.text("residency") == "host";
    if (resident) stored_.archive = make_resident(std::move(stored_.archive));
    if (!resident) stored_.store = context.store;
    stored_.order.emplace(stored_.archive->layout());
  }
  Layout layout() const override { return stored_.archive->layout(); }
  BatchSpec spec() const override {
    BatchSpec spec = labelled(stored_.tensor());
    spec.normalize_in_step = stored_.recipe.left_to_step();
    return spec;
  }
  std::uint32_t classes() const override { return stored_.archive->classes(); }
  std::optional<std::int64_t> find_label(SampleId id) const override {
    return stored_.archive->label_of(id);
  }
  std::unique_ptr<ExampleMaker> maker(Runtime& runtime) override {
    if (stored_.customary) return std::make_unique<CustomaryMaker>(stored_, runtime);
    return std::make_unique<SameMaker>(stored_, runtime);
  }

 private:
  Stored stored_;
};

class MockSet final : public ExampleSet {
 public:
  MockSet(const Settings& settings, std::uint32_t batch_size)
      : samples_(static_cast<std::uint64_t>(settings.integer("samples"))),
        classes_(static_cast<std::uint32_t>(settings.integer("classes"))) {
    if (settings.text("collate") == "none") nothing_ = at::zeros({batch_size}, at::kByte);
    data_ = {.name = "image", .dtype = DType::uint8, .row = {}};
    data_.row.rank = 3;
    data_.row.extent = {settings.integer("height"), settings.integer("width"),
                        settings.integer("channels")};
    example_ = at::empty({data_.row.extent[0], data_.row.extent[1], data_.row.extent[2]}, at::kByte)
                   .fill_(127);
  }
  Layout layout() const override { return {.samples = samples_, .shard_ends = {}, .lengths = {}}; }
  BatchSpec spec() const override {
    if (!nothing_.defined()) return labelled(data_);
    BatchSpec spec;
    spec.tensor[spec.count++] = {.name = "nothing", .dtype = DType::uint8, .row = {}};
    return spec;
  }
  std::uint32_t classes() const override { return classes_; }
  std::optional<std::int64_t> find_label(SampleId id) const override {
    return static_cast<std::int64_t>(id % classes_);
  }
  at::Tensor stand_in(std::size_t rows) const override {
    if (!nothing_.defined() || rows == static_cast<std::size_t>(nothing_.size(0))) return nothing_;
    return nothing_.narrow(0, 0, static_cast<std::int64_t>(rows));
  }
  std::unique_ptr<ExampleMaker> maker(Runtime&) override {
    struct Maker final : ExampleMaker {
      explicit Maker(MockSet& its_set) : set(its_set) {}
      TorchExample make(const SampleRef& sample, StepNumber, StageMeter&) override {
        return {set.example_.clone(), *set.find_label(sample.id)};
      }
      MockSet& set;
    };
    return std::make_unique<Maker>(*this);
  }

 private:
  std::uint64_t samples_;
  std::uint32_t classes_;
  TensorSpec data_;
  at::Tensor example_, nothing_;
};

}  // namespace

std::unique_ptr<ExampleSet> stored_examples(const LoaderContext& context) {
  return std::make_unique<StoredSet>(context);
}
std::unique_ptr<ExampleSet> mock_examples(const LoaderContext& context) {
  return std::make_unique<MockSet>(context.settings, context.batch_size);
}

}  // namespace benchbench
