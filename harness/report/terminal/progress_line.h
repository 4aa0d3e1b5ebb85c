// What stands on the screen while trials run. Pure text; the caller writes it to stderr.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/analysis/rules/stopping.h"
#include "harness/core/units.h"
#include "harness/record/trial.h"

namespace benchbench {

struct Progress {
  std::uint32_t trial = 0, trials = 0;  // k of n, from 1
  std::uint32_t round = 0, rounds = 0;  // from 1
  std::string point;                    // Point::name()
  Mode mode = Mode::pipeline;
  std::string phase;               // "starting", "warming up", "measuring"
  double phase_share = 0;          // of the window; shown between 0 and 1
  std::optional<double> rate_now;  // samples/s of the trial that runs
  // The latest of each mode, all of `point`.
  std::optional<double> loader_rate, trainer_rate, pipeline_rate;
  std::optional<Seconds> left;  // estimated
};

// One line without a break: "[ 12/99] num_workers=4 pipeline, measuring 40 %  1,234/s  |
// L 2,310 T 1,240 F 1,180  |  2 min left". What has least to say is left out first where `width` is
// short; then the line is cut.
std::string progress_text(const Progress& progress, std::size_t width);

// For where output is no terminal: at the end of a trial, with its break. What does not fit into
// `width` is on further lines.
std::string progress_plain(const Progress& progress, std::size_t width = 100);

// Why a run has as many rounds as it has, one line; empty where they are not enough yet.
std::string stopping_text(const StoppingState& state);

}  // namespace benchbench
