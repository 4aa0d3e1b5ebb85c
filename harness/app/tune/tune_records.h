// What of a tune follows from its scenario and its first round: the problem, and what a full run
// costs.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/rates/window_rates.h"
#include "harness/app/tune/tune_knobs.h"
#include "harness/app/tune/tune_options.h"
#include "harness/record/trial_record.h"
#include "harness/report/text/notes.h"
#include "harness/tune/propose.h"

namespace benchbench {

// The first round of a stored tune is of the present settings alone: L, T and F, and the first pass
// over the data, which is not scored. The engine's round r is the store's round r + kFirstRounds.
inline constexpr std::uint32_t kFirstRounds = 1;

struct TuneStudy {
  const Plan& plan;
  const TuneGrid& grid;
  const TuneAsked& asked;
  Mode mode = Mode::pipeline;  // what is searched; Mode::loader where there is no step
  bool simulated = false;
  double cores = 0;
  double guessed_full_run = 1;  // seconds, where the present settings do not run
};

std::optional<std::uint32_t> trial_of(const TuneStudy& study, std::uint32_t point, Mode mode);
// Returns the mean rate of the trial's usable records, of all rounds or of one.
std::optional<double> mean_rate(std::span<const TrialRecord> records, std::uint32_t trial,
                                std::optional<std::uint32_t> round = {});
// Returns the notes on these trials as `run` says them.
std::vector<Note> note_problems(const Plan& plan, const std::vector<TrialRecord>& records);
// What its window, warm-up and start would cost anywhere, and what its process takes: of what full
// runs are made.
double planned_seconds(const TuneStudy& study, const TrialRecord& record) noexcept;
// What it took of the budget, whatever became of it.
double cost_seconds(const TuneStudy& study, const TrialRecord& record) noexcept;

std::vector<PlannedRun> first_runs(const TuneStudy& study);
// Returns what follows from the first round's records: the trainer's rate, where other programs
// left one of its trials alone (R09), and how many full runs the budget is.
TuneProblem problem_of(const TuneStudy& study, const std::vector<TrialRecord>& records);
double full_run_seconds(const TuneStudy& study, const std::vector<TrialRecord>& records);

}  // namespace benchbench
