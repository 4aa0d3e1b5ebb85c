#include "scenarios/loaders/native_settings.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace benchbench {
namespace {

using enum ParameterType;

constexpr std::string_view kNormalize[] = {"none", "imagenet"};
constexpr std::string_view kPlaces[] = {"worker", "device"};
constexpr std::string_view kResidencies[] = {"storage", "host"};
constexpr std::string_view kTokenTypes[] = {"int64", "int32"};
constexpr std::string_view kPayloads[] = {"stored", "decoded", "transformed", "ready", "raw_bytes"};
constexpr std::string_view kEngines[] = {"auto", "pread", "mmap", "io_uring", "direct", "library"};

constexpr double kLargestSide = 4096;

constexpr Parameter kParameters[] = {
    {"transform.random_resized_crop", integer, "224",
     "Side in pixels of the random crop, drawn and resized as torchvision's RandomResizedCrop does.", 1,
     kLargestSide},
    {"transform.scale_min", real, "0.08", "Smallest random crop, as a share of the image's area.", 0.0001, 1},
    {"transform.scale_max", real, "1", "Largest random crop, as a share of the image's area.", 0.0001, 1},
    {"transform.ratio_min", real, "0.75", "Least width of a random crop over its height.", 0.01, 100},
    {"transform.ratio_max", real, "1.3333333333333333", "Most width of a random crop over its height.", 0.01,
     100},
    {"transform.horizontal_flip", real, "0.5", "Probability that an image is mirrored left to right.", 0, 1},
    {"transform.center_crop", integer, "none",
     "Side in pixels of a central crop, as for evaluation: takes the place of the random crop and its flip, "
     "and needs transform.resize.",
     1, kLargestSide},
    {"transform.resize", integer, "none",
     "With transform.center_crop: the shorter side is resized to this first.", 1, kLargestSide},
    {.key = "transform.normalize",
     .type = choice,
     .standard = "imagenet",
     .help =
         "imagenet: subtract the mean and divide by the deviation of each channel; none: values stay 0..255.",
     .choices = kNormalize},
    {.key = "transform.normalize_on",
     .type = choice,
     .standard = "device",
     .help = "worker: the loader hands over normalised float32; device: it hands over uint8, a quarter of "
             "the bytes to copy, and the training step normalises.",
     .choices = kPlaces},
    {"transform.scaled_decode", boolean, "false",
     "Of encoded images: where a crop is at least 2, 4 or 8 times its result in both directions, let the "
     "JPEG decoder give it that much smaller (its 4/8, 2/8, 1/8). Pixels are then no longer Pillow's: on "
     "pictures of 1600 x 1200 they differ from those of a full decode by 2.2 of 255 levels on average, "
     "single ones by up to 45."},
    {"transform.random_patch", integer, "64",
     "Of volumes: side of the random patch that is cut (RandSpatialCropd); a shorter side of the volume "
     "stays as it is.",
     1, kLargestSide},
    {"transform.random_flip", real, "0.5", "Of volumes: probability of a mirror along each axis (RandFlipd).",
     0, 1},
    {"transform.random_rotate90", real, "0.5",
     "Of volumes: probability of a turn by 90, 180 or 270 degrees in the plane of a slice (RandRotate90d).",
     0, 1},
    {"transform.intensity_min", real, "-1000",
     "Of volumes: becomes 0, and all below it (ScaleIntensityRanged)."},
    {"transform.intensity_max", real, "1000", "Of volumes: becomes 1, and all above it."},
    {"transform.smooth_sigma", real, "1",
     "Of volumes: largest standard deviation, in voxels, of the random Gaussian smoothing "
     "(RandGaussianSmoothd); 0: none.",
     0, 16},
    {"transform.smooth_passes", integer, "1",
     "Of volumes: how often the smoothing is done: makes the transform as heavy as a real pipeline's.", 1,
     1e6},
    {"transform.max_length", integer, "none",
     "Of tokens: longer sequences are cut to so many; none: as long as they are.", 1, 1 << 24},
    {"transform.pad_to_multiple_of", integer, "8",
     "Of tokens: a batch is padded to its longest sequence, rounded up to a multiple of this.", 1, 65536},
    {"transform.pad_token_id", integer, "0",
     "Of tokens: what stands behind a sequence that is shorter than its batch's longest.", -2147483648.0,
     2147483647},
    {.key = "transform.token_dtype",
     .type = choice,
     .standard = "int64",
     .help =
         "Of tokens: element of input_ids. int64 is what PyTorch's own collators make, int32 half the bytes.",
     .choices = kTokenTypes},
    {.key = "residency",
     .type = choice,
     .standard = "storage",
     .help = "storage: each sample is read when it is needed; host: all stored bytes are read into memory "
             "once at the start.",
     .choices = kResidencies},
    {.key = "io",
     .type = choice,
     .standard = "auto",
     .help = "How stored bytes get into memory. pread, mmap, io_uring, direct (O_DIRECT, past the page "
             "cache): by where they lie in the file; library: by the format's own library, its locks "
             "included; auto: pread, or the library where only that finds its way. One that cannot work "
             "here is a trial skipped with the reason, never another one.",
     .choices = kEngines},
    {"io_depth", integer, "0",
     "Reads in flight ahead of the workers and apart from them, of tickets that are issued; 0: each worker "
     "reads by itself what it needs next.",
     0, 256},
    {"read_size", ParameterType::bytes, "4MiB",
     "Samples of a ticket that lie side by side in a file are read at once, up to so many bytes; 0: each by "
     "itself.",
     0, 1 << 30},
    {.key = "payload",
     .type = choice,
     .standard = "stored",
     .help =
         "Only to measure what a step would win without a part of the work, as --substitute does: other "
         "samples' pictures take the place of the real ones. decoded: the pixels of 64 samples are held in "
         "memory and nothing is decoded; transformed: each sample is decoded, then a finished row of one of "
         "64 is copied; ready: that row is copied and nothing is decoded; raw_bytes: of any kind of data, a "
         "word of each 64 stored bytes is added up and a row is the sample's length and that sum, so that "
         "the rate is the storage's. stored: the real thing.",
     .choices = kPayloads},
};

void require(bool holds, std::string_view message, std::string_view hint) {
  if (!holds) throw ScenarioError(message, hint);
}

void take_evaluation(const Settings& settings, ImageRecipe& recipe) {
  recipe.crop = ImageRecipe::Crop::centre;
  recipe.size = static_cast<int>(settings.integer("transform.center_crop"));
  recipe.flip_probability = 0;
  require(settings.has("transform.resize"), "loader.transform.center_crop needs loader.transform.resize",
          fmt::format("customary: resize: {}", recipe.size * 8 / 7));
  recipe.resize = static_cast<int>(settings.integer("transform.resize"));
  require(recipe.resize >= recipe.size,
          fmt::format("loader.transform.resize is {}, smaller than loader.transform.center_crop, {}",
                      recipe.resize, recipe.size),
          "the central crop is taken out of the resized image: make resize at least as large");
}

void take_training(const Settings& settings, ImageRecipe& recipe) {
  require(!settings.has("transform.resize"),
          "loader.transform.resize has no meaning without loader.transform.center_crop",
          "a random crop is taken from the image as it is; drop resize or add center_crop");
  recipe.size = static_cast<int>(settings.integer("transform.random_resized_crop"));
  recipe.flip_probability = settings.real("transform.horizontal_flip");
  recipe.range = {.scale_min = settings.real("transform.scale_min"),
                  .scale_max = settings.real("transform.scale_max"),
                  .ratio_min = settings.real("transform.ratio_min"),
                  .ratio_max = settings.real("transform.ratio_max")};
  require(recipe.range.scale_min <= recipe.range.scale_max,
          "loader.transform.scale_min is larger than loader.transform.scale_max", "0.08 and 1 are customary");
  require(recipe.range.ratio_min <= recipe.range.ratio_max,
          "loader.transform.ratio_min is larger than loader.transform.ratio_max",
          "0.75 and 1.3333 are customary");
}

}  // namespace

std::span<const Parameter> native_parameters() noexcept { return kParameters; }

ImageRecipe recipe_of(const Settings& settings) {
  ImageRecipe recipe;
  if (settings.has("transform.center_crop"))
    take_evaluation(settings, recipe);
  else
    take_training(settings, recipe);
  recipe.scaled_decode = settings.has("transform.scaled_decode") && settings.boolean("transform.scaled_decode");  // native's alone
  recipe.normalize = settings.text("transform.normalize") == "imagenet" &&
                     settings.text("transform.normalize_on") == "worker";
  return recipe;
}

}  // namespace benchbench
