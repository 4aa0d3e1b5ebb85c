// Rows that the device decodes against those that a worker makes, on an nvJPEG of our own.
#include <cmath>

#include "harness/part/null_meter.h"
#include "scenarios/decode/row_maker.h"
#include "tests/unit/cuda/scene.h"
#include "tests/unit/decode/jpeg_making.h"

namespace benchbench::test::cuda {
namespace jpeg_test {

using Files = std::vector<std::vector<std::byte>>;

CudaOptions with_decoder() {
  CudaOptions options = stub_options();
  options.kernels = true;
  options.nvjpeg = {built_path("stub_nvjpeg/libnvjpeg.so.13")};
  return options;
}

std::uint64_t stub_jpeg(const char* what) {
  void* const library =
      ::dlopen(built_path("stub_nvjpeg/libnvjpeg.so.13").c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library);
  using Call = std::uint64_t(const char*);
  return reinterpret_cast<Call*>(::dlsym(library, "benchbench_stub_jpeg"))(what);
}

EncodedImage planned(const ImageRecipe& recipe, const JpegOrder& order, std::size_t bytes,
                     std::uint64_t seed) {
  const CropPlan plan = plan_crop(recipe, order.width, order.height, seed);
  return {.bytes = bytes,
          .width = order.width,
          .height = order.height,
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

// A batch of made images, each with a seed of its own.
struct Batch {
  explicit Batch(const ImageRecipe& of) : recipe(of) {}
  void add(const JpegOrder& order) {
    files.push_back(make_jpeg(order));
    images.push_back(planned(recipe, order, files.back().size(), 100 + files.size()));
  }
  std::uint64_t seed_of(std::size_t row) const { return 101 + row; }

  ImageRecipe recipe;
  Files files;
  std::vector<EncodedImage> images;
};

// The rows that the decoder made where something else was.
struct Made {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> failed;
  std::string words;
};

Made made_on(Scene& scene, DeviceDecoder& decoder, const Batch& batch) {
  std::vector<EncodedFile> files;
  for (const auto& file : batch.files) files.push_back({file.data(), "a.jpg"});
  TensorView to{.spec = batch.recipe.tensor(),
                .rows = static_cast<std::int64_t>(batch.images.size()),
                .data = nullptr};
  const Held there(*scene.device, to.bytes(), Memory::device);
  to.data = there.data;
  Made made;
  made.bytes.resize(to.bytes(), std::byte{0x5A});
  const auto stream = scene.gpu->make_stream();
  scene.gpu->copy(*stream, to.data, made.bytes.data(), to.bytes(), DeviceCopy::h2d, Memory::host);
  for (const DecodeFailure& failure :
       decoder.decode(*stream, {.images = batch.images, .files = files, .to = to, .by = kImageNet}))
    made.failed.push_back(failure.row), made.words = failure.words;
  scene.gpu->copy(*stream, made.bytes.data(), to.data, to.bytes(), DeviceCopy::d2h, Memory::host);
  scene.gpu->synchronize(*stream);
  return made;
}

std::vector<std::byte> made_by_worker(const Batch& batch, std::size_t row) {
  const auto runtime = make_real_runtime();
  RowMaker maker(batch.recipe, *runtime);
  NullMeter meter;
  std::vector<std::byte> bytes(batch.recipe.tensor().bytes_per_row());
  maker.make({.payload = batch.files[row], .label = 0, .name = "a.jpg"},
             {.id = row, .seed = batch.seed_of(row)}, 0, meter, bytes.data());
  return bytes;
}

struct Difference {
  double most = 0, mean = 0;  // in levels
};

Difference difference_of(const Batch& batch, const Made& made, std::size_t row) {
  const auto wanted = made_by_worker(batch, row);
  const std::byte* const got = made.bytes.data() + row * wanted.size();
  const bool floats = batch.recipe.normalize;
  const std::size_t values = wanted.size() / (floats ? 4 : 1);
  const auto level = [&](const std::byte* bytes, std::size_t i) {
    if (!floats) return static_cast<double>(std::to_integer<int>(bytes[i]));
    float value = 0;
    std::memcpy(&value, bytes + 4 * i, 4);
    return static_cast<double>(value * kImageNet.deviation[i % 3] + kImageNet.mean[i % 3]) * 255;
  };
  Difference d;
  for (std::size_t i = 0; i < values; ++i) {
    const double apart = std::abs(level(wanted.data(), i) - level(got, i));
    d.most = std::max(d.most, apart);
    d.mean += apart / static_cast<double>(values);
  }
  return d;
}

void check_like_workers(const Batch& batch, const Made& made, std::size_t row) {
  const Difference d = difference_of(batch, made, row);
  CAPTURE(row, d.most, d.mean);
  CHECK(d.most <= 2.01);
  CHECK(d.mean <= 0.1);
}

bool is_blank(const Made& made, std::size_t row, std::size_t row_bytes) {
  return std::ranges::all_of(std::span(made.bytes).subspan(row * row_bytes, row_bytes),
                             [](std::byte b) { return b == std::byte{0}; });
}

ImageRecipe recipe_with(ImageRecipe::Crop crop, bool normalize) {
  return {.crop = crop, .size = 48, .resize = 56, .range = {}, .normalize = normalize};
}

TEST_CASE(
    "cuda jpeg: rows are the workers' within two levels, a tenth on average: crops, flips, "
    "normalised or not",
    "[unit][cuda]") {
  Scene scene({}, with_decoder());
  const auto decoder = scene.gpu->make_decoder();
  CHECK(decoder->note() == "nvJPEG 13.0.4 decodes with the JPEG engines of cuda:0: 8 of 1 core");
  for (const auto crop : {ImageRecipe::Crop::random_resized, ImageRecipe::Crop::centre})
    for (const bool normalize : {false, true}) {
      Batch batch(recipe_with(crop, normalize));
      batch.recipe.flip_probability = crop == ImageRecipe::Crop::centre ? 0 : 0.5;
      const std::uint64_t together = stub_jpeg("together");
      for (int i = 0; i < 12; ++i)
        batch.add({.width = 60 + 37 * i,
                   .height = 300 - 19 * i,
                   .components = i % 5 == 4 ? 1 : 3,
                   .horizontal = 1 + i % 2,
                   .vertical = 1 + i / 2 % 2,
                   .seed = static_cast<std::uint64_t>(i)});
      const Made made = made_on(scene, *decoder, batch);
      CHECK(made.failed.empty());
      CHECK(stub_jpeg("together") == together + 12);
      for (std::size_t row = 0; row < 12; ++row) check_like_workers(batch, made, row);
      const auto flipped = std::ranges::count(batch.images, 1, &EncodedImage::mirrored);
      CHECK((crop == ImageRecipe::Crop::centre ? flipped == 0 : flipped > 2 && flipped < 10));
    }
}

TEST_CASE("cuda jpeg: files that the batch's call does not take are decoded one by one",
          "[unit][cuda]") {
  Scene scene({}, with_decoder());
  const auto decoder = scene.gpu->make_decoder();
  Batch batch(recipe_with(ImageRecipe::Crop::random_resized, false));
  for (int i = 0; i < 6; ++i)
    batch.add({.width = 120, .height = 90 + i, .progressive = i % 3 == 1, .seed = 7});
  const std::uint64_t together = stub_jpeg("together"), alone = stub_jpeg("alone");
  const Made made = made_on(scene, *decoder, batch);
  CHECK(made.failed.empty());
  CHECK(stub_jpeg("together") == together + 4);
  CHECK(stub_jpeg("alone") == alone + 2);
  CHECK(
      std::string(decoder->note())
          .ends_with("; 2 images one by one, since the call for whole batches does not take them"));
  for (std::size_t row = 0; row < 6; ++row) check_like_workers(batch, made, row);
}

// Damaged within: the call for the batch fails as a whole.
TEST_CASE("cuda jpeg: a file that cannot be decoded is named, and all others are decoded",
          "[unit][cuda]") {
  Scene scene({}, with_decoder());
  const auto decoder = scene.gpu->make_decoder();
  Batch batch(recipe_with(ImageRecipe::Crop::centre, true));
  for (int i = 0; i < 5; ++i) batch.add({.width = 100, .height = 100});
  auto& damaged = batch.files[1];
  damaged.erase(damaged.end() - 600, damaged.end() - 2);
  batch.images[1].bytes = damaged.size();
  batch.files[3].assign(40, std::byte{0});  // no JPEG at all
  batch.images[3].bytes = 40;
  const Made made = made_on(scene, *decoder, batch);
  CHECK(made.failed == std::vector<std::size_t>{3, 1});
  CHECK(made.words == "NVJPEG_STATUS_BAD_JPEG");
  const std::size_t row_bytes = batch.recipe.tensor().bytes_per_row();
  for (const std::size_t row : {1, 3}) CHECK(is_blank(made, row, row_bytes));
  for (const std::size_t row : {0, 2, 4}) check_like_workers(batch, made, row);
}

TEST_CASE("cuda jpeg: pixels of the workers, no image, and an image of another size than said",
          "[unit][cuda]") {
  Scene scene({}, with_decoder());
  const auto decoder = scene.gpu->make_decoder();
  Batch batch(recipe_with(ImageRecipe::Crop::random_resized, false));
  for (int i = 0; i < 4; ++i) batch.add({.width = 70 + i, .height = 80});
  const Files stored = batch.files;
  const PlainImage plain = decode_whole(batch.files[0]);
  std::vector<std::byte> pixels(plain.values.size() / 3 * 4);
  for (std::size_t i = 0; i < plain.values.size(); ++i)
    pixels[i / 3 * 4 + i % 3] = static_cast<std::byte>(plain.values[i]);
  batch.files[0] = pixels;
  batch.images[0].bytes = pixels.size();
  batch.images[0].pixel_bytes = 4;
  batch.images[1] = {};
  batch.images[2].height = 79;
  const Made made = made_on(scene, *decoder, batch);
  CHECK(made.failed == std::vector<std::size_t>{2});
  batch.files = stored;
  for (const std::size_t row : {0, 3}) check_like_workers(batch, made, row);
  for (const std::size_t row : {1, 2})
    CHECK(is_blank(made, row, batch.recipe.tensor().bytes_per_row()));
}

TEST_CASE("cuda jpeg: batches of all sizes one behind the other, the host ahead of the device",
          "[unit][cuda]") {
  Scene scene({}, with_decoder());
  const auto decoder = scene.gpu->make_decoder();
  for (const int images : {1, 9, 3, 12, 12, 2}) {
    Batch batch(recipe_with(ImageRecipe::Crop::random_resized, true));
    for (int i = 0; i < images; ++i)
      batch.add({.width = 50 + 20 * images, .height = 64 + i, .seed = static_cast<unsigned>(i)});
    const Made made = made_on(scene, *decoder, batch);
    for (std::size_t row = 0; row < batch.files.size(); ++row) check_like_workers(batch, made, row);
  }
}

TEST_CASE("cuda jpeg: engines that run ahead of the stream spoil no batch that waits on it",
          "[unit][cuda]") {
  Scene scene({}, with_decoder());
  const auto decoder = scene.gpu->make_decoder();
  const auto stream = scene.gpu->make_stream();
  std::vector<Batch> batches;
  for (unsigned b = 0; b < 2; ++b) {
    Batch& batch = batches.emplace_back(recipe_with(ImageRecipe::Crop::random_resized, false));
    for (unsigned i = 0; i < 3; ++i) batch.add({.width = 80, .height = 64, .seed = 10 * b + i});
  }
  TensorView to{.spec = batches[0].recipe.tensor(), .rows = 3, .data = nullptr};
  const Held first(*scene.device, to.bytes(), Memory::device),
      second(*scene.device, to.bytes(), Memory::device);
  scene.gpu->launch(*stream, {.time = std::chrono::milliseconds(20)});
  Made made[2];
  for (unsigned b = 0; b < 2; ++b) {
    to.data = (b == 0 ? first : second).data;
    std::vector<EncodedFile> files;
    for (const auto& file : batches[b].files) files.push_back({file.data(), "a.jpg"});
    decoder->decode(*stream,
                    {.images = batches[b].images, .files = files, .to = to, .by = kImageNet});
  }
  for (unsigned b = 0; b < 2; ++b) {
    made[b].bytes.resize(to.bytes());
    scene.gpu->copy(*stream, made[b].bytes.data(), (b == 0 ? first : second).data, to.bytes(),
                    DeviceCopy::d2h, Memory::host);
    scene.gpu->synchronize(*stream);
    for (std::size_t row = 0; row < 3; ++row) check_like_workers(batches[b], made[b], row);
  }
}

TEST_CASE("cuda jpeg: without engines the cores decode, and what is missing is said",
          "[unit][cuda]") {
  {
    Scene scene({{"JPEG_ENGINES", "0"}}, with_decoder());
    const auto decoder = scene.gpu->make_decoder();
    CHECK(decoder->note() ==
          "nvJPEG 13.0.4 decodes with the cores of cuda:0 and of the host: there are no JPEG "
          "engines");
    Batch batch(recipe_with(ImageRecipe::Crop::centre, false));
    for (int i = 0; i < 3; ++i) batch.add({.width = 90, .height = 80});
    const std::uint64_t together = stub_jpeg("together");
    const Made made = made_on(scene, *decoder, batch);
    CHECK(stub_jpeg("together") == together);  // the call for whole batches is the engines'
    for (std::size_t row = 0; row < 3; ++row) check_like_workers(batch, made, row);
  }
  CHECK(stub_jpeg("alive") == 0);
  const auto refused = [](const std::string& library) {
    CudaOptions options = with_decoder();
    options.nvjpeg = {library};
    Scene scene({}, options);
    return refusal_of([&] { scene.gpu->make_decoder(); });
  };
  const Refusal missing = refused("/nowhere/libnvjpeg.so.13");
  CHECK(missing.kind == ErrorKind::device);
  CHECK(missing.says("needs libnvjpeg.so.13 of the package nvidia-nvjpeg: /nowhere"));
  CHECK(missing.hints("loader.decode.backend: cpu"));
  CHECK(refused(built_path("stub_cuda/libcuda.so.1")).says("has no function nvjpegGetProperty"));
}

}  // namespace jpeg_test
}  // namespace benchbench::test::cuda
