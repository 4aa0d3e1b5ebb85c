// Parameters that every trainer of the torch module has. No torch header: descriptions live in the
// main program.
#pragma once
#include "harness/part/description.h"

namespace benchbench {

inline constexpr std::string_view kPrecisions[] = {"fp32", "bf16-mixed"};
inline constexpr std::string_view kMemoryFormats[] = {"contiguous", "channels_last"};
inline constexpr Stage kTrainingStages[] = {Stage::forward, Stage::backward, Stage::optimizer};

inline constexpr Parameter kPrecision{.key = "precision",
                                      .type = ParameterType::choice,
                                      .standard = "fp32",
                                      .help =
                                          "Number format of the step; bf16-mixed is torch's "
                                          "autocast, as torch.autocast(dtype=torch.bfloat16).",
                                      .choices = kPrecisions};
inline constexpr Parameter kMemoryFormat{
    .key = "memory_format",
    .type = ParameterType::choice,
    .standard = "contiguous",
    .help =
        "Memory format of images and convolution weights; decoded images are channels_last, so "
        "that it costs no copy.",
    .choices = kMemoryFormats};
inline constexpr Parameter kLearningRate{
    "learning_rate", ParameterType::real, "0.01", "Learning rate of SGD.", 0.0, 1e3};
inline constexpr Parameter kMomentum{"momentum", ParameterType::real,
                                     "0.9",      "Momentum of SGD; 0 keeps no momentum buffers.",
                                     0.0,        1.0};
inline constexpr Parameter kWeightDecay{"weight_decay",
                                        ParameterType::real,
                                        "0.0001",
                                        "L2 penalty that SGD adds to each gradient.",
                                        0.0,
                                        1e3};

}  // namespace benchbench
