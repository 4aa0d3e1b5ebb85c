// The parameters of the native loader, and what they mean for an image.
#pragma once
#include <span>

#include "harness/part/description.h"
#include "harness/part/settings.h"
#include "scenarios/decode/row_maker.h"

namespace benchbench {

std::span<const Parameter> native_parameters() noexcept;

// ScenarioError where the settings contradict each other.
ImageRecipe recipe_of(const Settings& settings);
// The rows of such images, and their labels.
BatchSpec labelled_images(const ImageRecipe& recipe);
// ScenarioError where those of an image, or of a volume's intensities, do.
void check_transforms(const Settings& settings);

}  // namespace benchbench
