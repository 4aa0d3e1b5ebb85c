// The answer of a tune, from which its report is written, and how it ends. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/tune/result.h"

namespace benchbench {

// The step of the present settings, before anything was changed.
struct PresentStep {
  // Times of one step: the trainer's wait for its batch, and all of it; 0: not seen.
  double wait_ms = 0, step_ms = 0;
  std::optional<double> loader, trainer, pipeline;  // samples/s: L, T and F
};

// The beginning of an epoch for which workers are started: persistent_workers=True would save it.
struct EpochStart {
  double start_ms = 0, epoch_s = 0;
  double share() const noexcept { return 1e-3 * start_ms / (1e-3 * start_ms + epoch_s); }
};

struct UntriedKnob {
  std::string name, why;
};

// The memory that Observation::memory_bytes is of.
enum class MemoryMeasure : std::uint8_t {
  resident,   // of the one process, pages that it shares with others too
  processes,  // PSS summed over all processes, at the largest look
};

// The problem and the records must outlive it.
struct TuneFindings {
  std::string scenario;
  std::string loader;  // loader.use
  const TuneProblem& problem;
  Observations records;
  TuneResult result;
  std::optional<PresentStep> present;
  bool loader_alone = false;  // there is no step: the loader's own rate was searched
  bool interrupted = false;
  bool simulated = false;
  double full_run_seconds = 0;
  MemoryMeasure memory = MemoryMeasure::resident;
  std::vector<UntriedKnob> not_tried = {};
  std::optional<EpochStart> epoch_start = {};  // of the chosen point
  bool streams = false;                        // each worker has a stream of samples of its own
  std::optional<double> job_seconds = {};      // of a job with the present settings
  std::optional<double> price = {};            // an hour
  bool first_round = false;                    // round 1, of the present settings alone, has a rate
};

// True if the trainer, the cores or the target rate ended the search.
bool has_limit(Stop stop) noexcept;
// True if nothing can be said for noise: the interval of the gain holds both none and more than
// twice the floor.
bool is_too_noisy(const TuneFindings& f) noexcept;
// True if a larger budget or another search may say more, and what was seen is not too noisy.
bool is_unfinished(const TuneFindings& f) noexcept;
// True if a limit of memory was asked for, and no trial's memory is known.
bool is_limit_unknown(const TuneFindings& f) noexcept;
// True if trials ran, and none within the limit of memory.
bool is_over_limit(const TuneFindings& f) noexcept;
// True if no trial of the first rounds had a usable rate, for another reason than the limit.
bool is_unusable(const TuneFindings& f) noexcept;
// True if the target rate is not met, or it is not shown that the limit of memory is.
bool misses_goal(const TuneFindings& f) noexcept;
// True if starting workers takes so much of an epoch that persistent_workers=True is advised.
bool should_keep_workers(const TuneFindings& f) noexcept;

}  // namespace benchbench
