// No torch header: descriptions live in the main program.
#include <algorithm>
#include <vector>

#include "scenarios/loaders/native_settings.h"

namespace benchbench::parts {
namespace {

using enum ParameterType;

constexpr std::string_view kPaths[] = {"customary", "bytes_first", "same"};
constexpr std::string_view kCollations[] = {"stack", "none"};

constexpr Parameter kPath =
    choice_parameter("path", "customary",
                     "customary: as libtorch programs do it: decode the whole image, "
                     "convert to float32, crop, resize with torch (bilinear, "
                     "antialiased), normalise in the worker regardless of "
                     "transform.normalize_on, and stack. bytes_first: the same, but crop "
                     "and resize as bytes, which is faster in torch, then convert to "
                     "float32. same: native's own code makes each row, torch stacks them: "
                     "the difference to native is the cost of torch::data.",
                     kPaths);

constexpr std::string_view kOfNative[] = {
    "transform.random_resized_crop", "transform.scale_min", "transform.scale_max",
    "transform.ratio_min",           "transform.ratio_max", "transform.center_crop",
    "transform.horizontal_flip",     "transform.resize",    "transform.normalize",
    "transform.normalize_on"};

constexpr std::string_view kResidencies[] = {"storage", "host"};
constexpr Parameter kResidency =
    choice_parameter("residency", "storage",
                     "storage: each sample is read when it is needed; host: all "
                     "stored bytes are read into memory once at the start.",
                     kResidencies);

// Native's own words for what means the same here, so that one scenario can name both loaders.
std::span<const Parameter> libtorch_parameters() {
  static const std::vector<Parameter> parameters = [] {
    std::vector<Parameter> all;
    for (const Parameter& p : native_parameters())
      if (std::ranges::find(kOfNative, p.key) != std::end(kOfNative)) all.push_back(p);
    all.push_back(kResidency);
    all.push_back(kPath);
    return all;
  }();
  return parameters;
}

constexpr Parameter kMockParameters[] = {
    {"samples", integer, "8192", "Samples in an epoch.", 1, 1e9},
    {"height", integer, "224", "Height of an image.", 1, 16384},
    {"width", integer, "224", "Width of an image.", 1, 16384},
    {"channels", integer, "3", "Channels of an image.", 1, 64},
    {"classes", integer, "1000", "Number of classes; labels are below it.", 1, 1e9},
    choice_parameter(
        "collate", "stack",
        "stack: each image is cloned into its own tensor, and these are stacked into a batch; "
        "none: empty batches, which leaves only the hand-over.",
        kCollations),
};

constexpr Stage kLibtorchStages[] = {Stage::read, Stage::parse, Stage::decode, Stage::transform,
                                     Stage::collate};
constexpr Stage kMockStages[] = {Stage::collate};

constexpr Change kLibtorchWithoutStorage[] = {{"residency", "host"}};
constexpr Substitution kLibtorchSubstitutions[] = {{Component::storage, kLibtorchWithoutStorage}};

}  // namespace

extern const PartDescription loader_libtorch_description{
    .kind = PartKind::loader,
    .name = "libtorch",
    .summary =
        "JPEG images by torch::data's DataLoader: num_workers sets its threads, max_jobs its "
        "max_jobs, in_order its enforce_ordering. It has no dispatch or work_unit; with pin_memory "
        "the trainer's thread copies each batch to pinned memory.",
    .data = DataKind::image,
    .parameters = libtorch_parameters(),
    .stages = kLibtorchStages,
    .needs_dataset = true,
    .substitutions = kLibtorchSubstitutions,
    .check = check_transforms,
};

extern const PartDescription loader_libtorch_mock_description{
    .kind = PartKind::loader,
    .name = "libtorch_mock",
    .summary =
        "Synthetic images by torch::data's DataLoader: the cost of cloning, stacking and "
        "hand-over.",
    .data = DataKind::image,
    .parameters = kMockParameters,
    .stages = kMockStages,
    .mock = true,
};

}  // namespace benchbench::parts
