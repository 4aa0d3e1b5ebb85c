// The scenario's own keys: those that the harness, not a part, gives meaning to. A part's
// parameters come on top, from its description. One table for checking, `describe`, the schema and
// defaults.
#pragma once
#include <span>

#include "harness/core/contains.h"
#include "harness/part/description.h"

namespace benchbench {

// The section of the loader that makes the batch which loader.use repeats, with its keys of the
// harness. A trial that repeats no batch has no such keys.
inline constexpr char kRepeated[] = "loader.of.";
inline constexpr char kRepeatedUse[] = "loader.of.use";

// Keys under `dataset`, `loader`, `trainer`, `measure`, `run`, without that prefix. Kept when
// `use:` changes.
std::span<const Parameter> dataset_keys() noexcept;  // format, path, and residency of what is read
// use, num_workers, batch_size, prefetch_factor, in_order, drop_last, pin_memory, access (alias
// shuffle), dispatch, work_unit, max_jobs, seed
std::span<const Parameter> loader_keys() noexcept;
// measure.modes, where it is not given.
inline constexpr std::string_view kAllModes = "loader,trainer,pipeline";

std::span<const Parameter> trainer_keys() noexcept;  // use, device, intra_op_threads
// rounds, window, window_batches, warmup, budget, modes, ...
std::span<const Parameter> measure_keys() noexcept;
std::span<const Parameter> run_keys() noexcept;  // cpus: where all of a trial runs

// All of them, each with its prefix: "dataset.".
struct KeySection {
  std::string_view prefix;
  std::span<const Parameter> keys;
};
std::span<const KeySection> key_sections() noexcept;

// Returns the parameter with that key; nullptr where there is none.
inline const Parameter* find_parameter(std::span<const Parameter> parameters,
                                       std::string_view key) noexcept {
  return find_element(parameters, key, &Parameter::key);
}

// True if the key holds a digest of a file of the user's code.
constexpr bool is_code_digest(std::string_view key) noexcept {
  return key.ends_with(".script_digest") || key.ends_with(".library_digest");
}

}  // namespace benchbench
