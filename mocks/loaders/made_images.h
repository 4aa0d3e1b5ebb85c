// The images that loader mocks hand over: made up, and the same wherever a sample comes.
#pragma once
#include <array>

#include "harness/part/loader.h"
#include "harness/part/parameter_list.h"

namespace benchbench {

inline constexpr std::string_view kImageDTypes[] = {"uint8", "float32"};
inline constexpr std::string_view kImageFills[] = {"auto", "write", "none"};

// The parameters that say how a batch of made-up images looks.
inline constexpr std::array kShapeParameters = {
    Parameter{"height", ParameterType::integer, "224", "Height of an image.", 1, 16384},
    Parameter{"width", ParameterType::integer, "224", "Width of an image.", 1, 16384},
    Parameter{"channels", ParameterType::integer, "3", "Channels of an image.", 1, 64},
    choice_parameter("dtype", "uint8", "Element type of an image: uint8 or float32.", kImageDTypes),
    Parameter{"normalize_on_device", ParameterType::boolean, "none",
              "true: a step on an accelerator normalises the uint8 images with ImageNet's mean and "
              "deviation, as with transform.normalize_on: device. Default: false."},
    Parameter{"classes", ParameterType::integer, "1000", "Number of classes; labels are below it.",
              1, 1e9},
};

// The parameters that every loader mock has.
inline constexpr auto kImageParameters =
    joined(joined(std::array{Parameter{"samples", ParameterType::integer, "8192",
                                       "Samples per epoch.", 1, 1e9}},
                  kShapeParameters),
           std::array{choice_parameter(
               "fill", "auto",
               "write: every byte of every sample is written, within its time; none: image "
               "memory is left untouched; auto: write, but none under the simulated clock, "
               "where writing takes no time.",
               kImageFills)});

// Throws ScenarioError where images that are to be normalised on a device are not bytes.
void check_images(const Settings& settings);

// Thread-safe.
class MadeImages {
 public:
  // `needed`: somebody reads them, whatever the clock.
  explicit MadeImages(const LoaderContext& context, bool needed = false);
  Layout layout() const noexcept { return {samples_, {}, {}}; }
  const BatchSpec& spec() const noexcept { return spec_; }
  std::uint32_t classes() const noexcept { return static_cast<std::uint32_t>(classes_); }
  std::int64_t find_label(SampleId id) const noexcept {
    return static_cast<std::int64_t>(id % classes_);
  }
  // Writes the request's rows: what a sample looks like depends on its id alone.
  void write(const BatchRequest& request) const { write(request, 0); }
  // The same with the images of other samples: those `off` further on. The labels are right.
  void write(const BatchRequest& request, SampleId off) const;

 private:
  std::uint64_t samples_;
  std::uint64_t classes_;
  bool fill_;
  BatchSpec spec_;
};

}  // namespace benchbench
