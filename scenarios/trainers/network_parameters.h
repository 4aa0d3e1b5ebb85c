// Parameters that every trainer of the torch module has. No torch header: descriptions are in the
// main program.
#pragma once
#include <array>

#include "harness/part/description.h"

namespace benchbench {

inline constexpr std::string_view kPrecisions[] = {"fp32",       "ieee",       "tf32",
                                                   "bf16-mixed", "fp16-mixed", "bf16-true"};
inline constexpr std::string_view kMemoryFormats[] = {"contiguous", "channels_last"};
inline constexpr std::string_view kOptimizers[] = {"none", "loop", "foreach", "fused"};
inline constexpr std::string_view kPasses[] = {"train", "forward"};
// Enqueue is the host's time for a step on CUDA.
inline constexpr Stage kTrainingStages[] = {Stage::forward, Stage::backward, Stage::optimizer,
                                            Stage::enqueue};

inline constexpr Parameter kMemoryFormat = choice_parameter(
    "memory_format", "contiguous",
    "Memory format of images and convolution weights; decoded images are channels_last, so "
    "that it costs no copy.",
    kMemoryFormats);

inline constexpr std::array kNetworkParameters = {
    choice_parameter("precision", "fp32",
                     "Number format of the step. fp32: torch's default, in which CUDA devices "
                     "compute convolutions in TF32; ieee: no TF32; tf32: matrix products in TF32 "
                     "too. bf16-mixed, fp16-mixed: torch.autocast, the latter with "
                     "torch.amp.GradScaler; bf16-true: weights and images in bfloat16.",
                     kPrecisions),
    choice_parameter("pass", "train",
                     "train: forward, backward and optimizer; forward: inference, in evaluation "
                     "mode and without gradients.",
                     kPasses),
    choice_parameter("optimizer", "none",
                     "How SGD goes over the parameters: one by one (loop), all in each operation "
                     "(foreach), or in one operation (fused). Default: torch's own, foreach on "
                     "CUDA and loop on the CPU.",
                     kOptimizers),
    Parameter{"learning_rate", ParameterType::real, "0.01", "Learning rate of SGD.", 0.0, 1e3},
    Parameter{"momentum", ParameterType::real, "0.9",
              "Momentum of SGD; 0 keeps no momentum buffers.", 0.0, 1.0},
    Parameter{"weight_decay", ParameterType::real, "0.0001",
              "L2 penalty that SGD adds to each gradient.", 0.0, 1e3},
    Parameter{.key = "graph",
              .type = ParameterType::boolean,
              .standard = "false",
              .help =
                  "On CUDA: the step is captured as CUDA graphs after 11 steps, one for each of "
                  "its parts, and replayed; the batches are whole (loader.drop_last).",
              .on = ParameterOn::accelerator},
    Parameter{.key = "cudnn_benchmark",
              .type = ParameterType::boolean,
              .standard = "false",
              .help = "On CUDA: torch.backends.cudnn.benchmark, which tries cuDNN's algorithms in "
                      "the first steps and keeps the fastest.",
              .on = ParameterOn::accelerator},
};

// Throws ScenarioError where settings contradict one another or the device.
void check_network(const Settings& settings);

}  // namespace benchbench
