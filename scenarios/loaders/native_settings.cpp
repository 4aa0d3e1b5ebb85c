#include "scenarios/loaders/native_settings.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace benchbench {
namespace {

using enum ParameterType;

constexpr std::string_view kNormalize[] = {"none", "imagenet"};
constexpr std::string_view kPlaces[] = {"worker", "device"};
constexpr std::string_view kDecoders[] = {"cpu", "nvjpeg"};
constexpr std::string_view kResidencies[] = {"storage", "host", "device"};
constexpr std::string_view kTokenTypes[] = {"int64", "int32"};
constexpr std::string_view kPayloads[] = {"stored", "decoded", "transformed", "ready", "raw_bytes"};
constexpr std::string_view kEngines[] = {"auto", "pread", "mmap", "io_uring", "direct", "library"};

constexpr double kLargestSide = 4096;

constexpr Parameter kParameters[] = {
    {"transform.random_resized_crop", integer, "224",
     "Output side in pixels of a random crop, drawn and resized as by torchvision's "
     "RandomResizedCrop.",
     1, kLargestSide},
    {"transform.scale_min", real, "0.08", "Minimum area of a random crop, as a share of the image.",
     0.0001, 1},
    {"transform.scale_max", real, "1", "Maximum area of a random crop, as a share of the image.",
     0.0001, 1},
    {"transform.ratio_min", real, "0.75", "Minimum aspect ratio (width / height) of a random crop.",
     0.01, 100},
    {"transform.ratio_max", real, "1.3333333333333333",
     "Maximum aspect ratio (width / height) of a random crop.", 0.01, 100},
    {"transform.horizontal_flip", real, "0.5", "Probability of a horizontal flip.", 0, 1},
    {"transform.center_crop", integer, "none",
     "Side in pixels of a centre crop, as for evaluation: replaces the random crop and the flip, "
     "and needs transform.resize.",
     1, kLargestSide},
    {"transform.resize", integer, "none",
     "With transform.center_crop: the shorter side is first resized to this.", 1, kLargestSide},
    choice_parameter(
        "transform.normalize", "imagenet",
        "imagenet: subtract ImageNet's mean and divide by its standard deviation per channel; "
        "none: values stay 0..255.",
        kNormalize),
    choice_parameter(
        "transform.normalize_on", "device",
        "worker: the loader delivers normalised float32; device: it delivers uint8, a quarter "
        "of the bytes to copy, and the training step normalises.",
        kPlaces),
    {"transform.scaled_decode", boolean, "false",
     "For encoded images: if a crop is at least 2, 4 or 8 times its output size in both "
     "directions, let the JPEG decoder scale it down by that factor (4/8, 2/8, 1/8). Pixels then "
     "differ from Pillow's: on images of 1600 x 1200 by 2.2 of 255 levels on average, and by up to "
     "45."},
    {"transform.random_patch", integer, "64",
     "For volumes: side of the random patch (RandSpatialCropd); a shorter side of the volume is "
     "kept.",
     1, kLargestSide},
    {"transform.random_flip", real, "0.5",
     "For volumes: probability of a flip along each axis (RandFlipd).", 0, 1},
    {"transform.random_rotate90", real, "0.5",
     "For volumes: probability of a rotation by 90, 180 or 270 degrees in the plane of a slice "
     "(RandRotate90d).",
     0, 1},
    {"transform.intensity_min", real, "-1000",
     "For volumes: this value and all below it become 0 (ScaleIntensityRanged)."},
    {"transform.intensity_max", real, "1000", "For volumes: this value and all above it become 1."},
    {"transform.smooth_sigma", real, "1",
     "For volumes: maximum standard deviation, in voxels, of the random Gaussian smoothing "
     "(RandGaussianSmoothd); 0: none.",
     0, 16},
    {"transform.smooth_passes", integer, "1",
     "For volumes: how often smoothing is applied, to make the transform as heavy as a real "
     "pipeline's.",
     1, 1e6},
    {"transform.max_length", integer, "none",
     "For tokens: longer sequences are truncated to this length; none: no limit.", 1, 1 << 24},
    {"transform.pad_to_multiple_of", integer, "8",
     "For tokens: a batch is padded to its longest sequence, rounded up to a multiple of this.", 1,
     65536},
    {"transform.pad_token_id", integer, "0", "For tokens: the padding token id.", -2147483648.0,
     2147483647},
    choice_parameter(
        "transform.token_dtype", "int64",
        "For tokens: element type of input_ids. int64 is what PyTorch's collators make, int32 "
        "is half the bytes.",
        kTokenTypes),
    choice_parameter(
        "decode.backend", "cpu",
        "Who decodes encoded images. cpu: the workers; nvjpeg: workers read and draw crops, "
        "and the CUDA device of the trainer decodes, crops, resizes and normalises by NVIDIA's "
        "library nvJPEG (package nvidia-nvjpeg), so that batches are made in its memory. The "
        "workers decode what it does not take: PNG, CMYK, files without an end.",
        kDecoders),
    choice_parameter(
        "residency", "storage",
        "storage: each sample is read when it is needed; host: all stored bytes are read into "
        "memory once at the start; device: all samples are read, decoded and transformed once "
        "at the start, kept in the accelerator's memory and gathered there, for which a "
        "sample must be the same in every epoch.",
        kResidencies),
    choice_parameter(
        "io", "auto",
        "How stored bytes are read. pread, mmap, io_uring, direct (O_DIRECT, bypassing the "
        "page cache): by their position in the file; library: by the format's own library, "
        "including its locks; auto: pread, or the library if only it can locate the samples. "
        "If the method is not available here, the trial is SKIPPED with the reason; there is "
        "no silent fallback.",
        kEngines),
    {"io_depth", integer, "0",
     "Reads kept in flight ahead of the workers for batches already requested; 0: each worker "
     "reads what it needs itself.",
     0, 256},
    {"read_size", ParameterType::bytes, "4MiB",
     "Samples of a batch that are adjacent in a file are merged into one read of up to this many "
     "bytes; 0: no merging.",
     0, 1 << 30},
    choice_parameter(
        "payload", "stored",
        "For measuring only, as --substitute does: part of the work is skipped, and other "
        "samples take the place of the real ones. decoded: the pixels of 64 samples are kept "
        "in memory and nothing is decoded (compressed arrays: read, not inflated); "
        "transformed: each sample is decoded, then a finished row of one of 64 is copied; "
        "ready: that row is copied and nothing is decoded; raw_bytes: for any kind of data, "
        "one word of each 64 stored bytes is summed and a row is the sample's length and that "
        "sum, so that the rate is that of storage. stored: the real work.",
        kPayloads),
};

void require(bool holds, std::string_view message, std::string_view hint) {
  if (!holds) throw ScenarioError(message, hint);
}

void take_evaluation(const Settings& settings, ImageRecipe& recipe) {
  recipe.crop = ImageRecipe::Crop::centre;
  recipe.size = static_cast<int>(settings.integer("transform.center_crop"));
  recipe.flip_probability = 0;
  require(settings.has("transform.resize"),
          "loader.transform.center_crop needs loader.transform.resize",
          fmt::format("the usual value is resize: {}", recipe.size * 8 / 7));
  recipe.resize = static_cast<int>(settings.integer("transform.resize"));
  require(
      recipe.resize >= recipe.size,
      fmt::format("loader.transform.resize is {}, smaller than loader.transform.center_crop, {}",
                  recipe.resize, recipe.size),
      "the centre crop is taken from the resized image: make resize at least as large");
}

void take_training(const Settings& settings, ImageRecipe& recipe) {
  require(!settings.has("transform.resize"),
          "loader.transform.resize has no effect without loader.transform.center_crop",
          "a random crop is taken from the original image; drop resize or add center_crop");
  recipe.size = static_cast<int>(settings.integer("transform.random_resized_crop"));
  recipe.flip_probability = settings.real("transform.horizontal_flip");
  recipe.range = {.scale_min = settings.real("transform.scale_min"),
                  .scale_max = settings.real("transform.scale_max"),
                  .ratio_min = settings.real("transform.ratio_min"),
                  .ratio_max = settings.real("transform.ratio_max")};
  require(recipe.range.scale_min <= recipe.range.scale_max,
          "loader.transform.scale_min is larger than loader.transform.scale_max",
          "the usual values are 0.08 and 1");
  require(recipe.range.ratio_min <= recipe.range.ratio_max,
          "loader.transform.ratio_min is larger than loader.transform.ratio_max",
          "the usual values are 0.75 and 1.3333");
}

// Refuses settings of work that the device does instead of the workers.
void check_decoding(const Settings& settings) {
  if (settings.text("decode.backend") != "nvjpeg") return;
  const auto only = [&](std::string_view key, bool holds, std::string_view allowed) {
    require(holds, fmt::format("loader.decode.backend: nvjpeg needs loader.{}: {}", key, allowed),
            fmt::format("set loader.{} to {}, or loader.decode.backend to cpu", key, allowed));
  };
  only("payload", settings.text("payload") == "stored", "stored");
  only("residency", settings.text("residency") != "device", "storage");
  only("transform.scaled_decode", !settings.boolean("transform.scaled_decode"), "false");
}

}  // namespace

std::span<const Parameter> native_parameters() noexcept { return kParameters; }

ImageRecipe recipe_of(const Settings& settings) {
  ImageRecipe recipe;
  if (settings.has("transform.center_crop"))
    take_evaluation(settings, recipe);
  else
    take_training(settings, recipe);
  // Only native has it.
  recipe.scaled_decode =
      settings.has("transform.scaled_decode") && settings.boolean("transform.scaled_decode");
  const bool normalize = settings.text("transform.normalize") == "imagenet";
  recipe.normalize = normalize && settings.text("transform.normalize_on") == "worker";
  recipe.normalize_in_step = normalize && !recipe.normalize;
  return recipe;
}

BatchSpec labelled_images(const ImageRecipe& recipe) {
  BatchSpec spec = labelled(recipe.tensor());
  spec.normalize_in_step = recipe.left_to_step();
  return spec;
}

void check_transforms(const Settings& settings) {
  static_cast<void>(recipe_of(settings));
  if (!settings.has("transform.intensity_min")) return;  // libtorch's have no more
  check_decoding(settings);
  require(settings.text("residency") != "device" || settings.text("payload") == "raw_bytes" ||
              settings.has("transform.center_crop"),
          "loader.residency: device keeps one row a sample, but random crops and patches differ in "
          "each epoch",
          "of images, set transform.center_crop and transform.resize");
  require(static_cast<float>(settings.real("transform.intensity_min")) <
              static_cast<float>(settings.real("transform.intensity_max")),
          "loader.transform.intensity_min is not below loader.transform.intensity_max",
          "the usual values are 0 and 1");
}

}  // namespace benchbench
