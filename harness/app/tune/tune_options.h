// What `benchbench tune` was asked for.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/app/command.h"

namespace benchbench {

struct TuneAsked {
  double budget_seconds = 600;               // --budget
  std::optional<std::uint32_t> max_workers;  // --max-workers; nullopt: the cores
  std::optional<double> memory_bytes;        // --max-memory
  std::optional<double> target_rate;         // --target-rate, samples/s
  std::vector<std::string> knobs;            // --knobs; empty: those that fit the loader
  std::optional<double> job_seconds;         // --job-hours: what a job takes today
  std::optional<double> price;               // --price, an hour
};

// The command's options; those of a scenario are among them, but for the ones that are the tune's
// own business.
std::vector<Option> tune_options();
// Returns the words between commas, without empty ones.
std::vector<std::string> split_at_commas(std::string_view text);
// Throws UsageError.
TuneAsked tune_asked(const Arguments& arguments);

// A setting and the values that are tried.
struct TuneSweep {
  std::string key;
  std::vector<std::string> values;
};
struct TuneGridAsked {
  std::vector<TuneSweep> sweep;
  std::uint32_t rounds = 1;
  bool loader_alone = false;
  // The trainer.intra_op_threads, where `auto` would follow the grid's most workers.
  std::optional<std::int64_t> threads;
};
// As given, with the knobs as a grid in place of the scenario's own sweep, and without its budget.
Arguments with_sweep(const Arguments& arguments, const TuneGridAsked& grid);

// As given, with the scenario's own sweep: what it would run.
Arguments with_sweep_as_it_is(const Arguments& arguments);

}  // namespace benchbench
