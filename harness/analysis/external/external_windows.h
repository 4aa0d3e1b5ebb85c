// One trial's windows of a loader that lives in a process of its own, as numbers a step.
#pragma once
#include <functional>

#include "harness/analysis/external/external.h"
#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

struct ExternalWindow {
  const Facts& facts;
  const ExternalFacts& external;
  double steps = 1;
  double step_ms = 0;
  std::uint32_t workers = 0;  // those that were seen, else those that were asked for of torch
  std::optional<double> wait_ms = {};  // a step, for a batch
  std::optional<double> batches_an_epoch = {};

  double cores() const noexcept { return facts.cpu.cores_available; }
  // Of a step, what its CPU time leaves free of the cores: workers that did more would need it.
  double free_of_cores_ms() const noexcept;
  // Workers that delivered anything; nullopt where it is not known, or where not every worker had
  // its turn.
  std::optional<std::uint32_t> workers_with_data() const;
  // Of the whole window; nullopt where not measured or impossible.
  std::optional<double> per_step_ms(const std::optional<std::int64_t>& ns) const;
};

// "train.py:31": where the user makes their DataLoader; "" where the harness makes it.
inline std::string place_of_loader(const ExternalFacts& e) {
  return e.kind == "DataLoader" ? e.where : "";
}
// The data set: its class, else where its samples are made.
inline std::string place_of_data(const ExternalFacts& e) {
  return e.kind == "Dataset" ? e.where : e.getitem_where;
}

// Whether the loader's own batches were made over there, while it was measured.
bool has_loader(const Facts& facts) noexcept;

// Returns loader.num_workers; 0 where it is not set.
std::uint32_t workers_asked(const Point& point);
// nullopt where the facts have no such loader, or no window.
std::optional<ExternalWindow> external_window(const Facts& facts, std::uint32_t workers_asked);

// The trial of a point in which its loader can be seen at work: its pipeline, else the loader
// alone.
struct LoaderTrials {
  const Point& point;
  std::uint32_t trial = 0;
  Mode mode = Mode::loader;
  const JudgedTrials& trials;

  using Number = std::function<std::optional<double>(const ExternalWindow&)>;
  ByRound by_round(const Number& number) const;
  // Over the rounds that have it.
  Measured mean(const Number& number) const;
  std::optional<double> mean_value(const Number& number) const { return value_of(mean(number)); }
  // Returns the usable rounds that have such a window.
  std::uint32_t count_rounds() const;
  // Returns the facts of the last usable round.
  const Facts* last() const;
  // Returns its window as numbers a step.
  ExternalWindow last_window() const;
};
// Returns what was noticed of that kind; nullptr: nothing was.
const ExternalNoticed* find_noticed(const ExternalFacts& facts, std::string_view kind) noexcept;
// Returns the job's time, divided; nullopt where it was not seen.
std::optional<JobTime> job_time_in(const LoaderTrials& trial);
std::optional<LoaderTrials> loader_trials(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
