// The report of a tune: what to paste, what it is worth, and what was measured for it.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/external/external.h"
#include "harness/report/notes.h"
#include "harness/tune/result.h"

namespace benchbench {

// The step of the present settings, before anything was changed.
struct PresentStep {
  // Times of one step: the trainer's wait for its batch, and all of it; 0: not seen.
  double wait_ms = 0, step_ms = 0;
  std::optional<double> loader, trainer, pipeline;  // samples/s: L, T and F
};

// Of workers that are started for each epoch: what persistent_workers=True would save.
struct EpochStart {
  double start_ms = 0, epoch_s = 0;
  double share() const noexcept { return 1e-3 * start_ms / (1e-3 * start_ms + epoch_s); }
};

struct UntriedKnob {
  std::string name, why;
};

// What Observation::memory_bytes is.
enum class MemoryMeasure : std::uint8_t {
  resident,   // of the one process, pages that it shares with others too
  processes,  // PSS summed over all processes, at the largest look
};

struct TuneReport {
  std::string scenario;
  std::string loader;  // loader.use
  const TuneProblem& problem;
  std::span<const Observation> records;
  TuneResult result;
  std::optional<PresentStep> present;
  bool loader_alone = false;  // there is no step: the loader's own rate was searched
  bool interrupted = false;
  bool simulated = false;
  double full_run_seconds = 0;
  std::vector<Note> problems = {};  // trials that are not used, and noisy ones, with their reasons
  MemoryMeasure memory = MemoryMeasure::resident;
  std::vector<UntriedKnob> not_tried = {};
  std::optional<EpochStart> epoch_start = {};  // of the chosen point
  bool streams = false;                        // each worker has a stream of samples of its own
  std::optional<double> job_seconds = {};      // of a job with the present settings
  std::optional<double> price = {};            // an hour
  bool first_round = false;                    // round 1, of the present settings alone, has a rate
};

// "num_workers=4 prefetch_factor=2"; knobs that have no effect at the point are left out.
std::string settings_text(const Space& space, PointId point);
// DataLoader(...), libtorch's options or YAML, whichever the loader takes.
std::string line_to_paste(const Space& space, PointId point, const std::string& loader,
                          bool keep_workers = false);
// Of the chosen point, with persistent_workers where it is worth it.
std::string line_to_paste(const TuneReport& report);
// Nothing could be said for noise: the interval of the gain holds both none and more than twice the
// floor. A limit of memory was asked for, and no trial's memory is known.
bool is_limit_unknown(const TuneReport& report) noexcept;
bool is_too_noisy(const TuneProblem& problem, const TuneResult& result) noexcept;
// Trials ran, and none within the limit of memory.
bool is_over_limit(const TuneReport& report) noexcept;
// The first paragraph: what to do, and how sure it is.
std::string tune_summary(const TuneReport& report);
std::string tune_text(const TuneReport& report);
nlohmann::json tune_json(const TuneReport& report);

}  // namespace benchbench
