#include "harness/app/tune/tune_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "harness/app/options.h"
#include "harness/app/preparation/job_options.h"
#include "harness/app/preparation/run_time.h"
#include "harness/app/tune/tune_knobs.h"
#include "harness/core/error.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

constexpr Option kTuneOptions[] = {
    {"--budget", "TIME", "time for the search and its re-check (default 10min)"},
    {"--max-memory", "BYTES",
     "memory that the loader and the trainer may use (\"8GiB\"); "
     "with --job-hours, by the job's end"},
    {"--knobs", "A,B", "search these settings (default: those that fit the loader)"},
    {"--python", "FILE.py:F",
     "instead of FILE: F returns the DataLoader, the Dataset or the batches (or MODULE:F)"},
    {"--step", "FILE.py:F", "with --python: F(batch) or F(batch, state) is one training step"},
    {"--setup", "FILE.py:F", "with --step: F(device) returns the state"},
    {"--step-time", "T", "with --python, instead of --step: a step that takes T"},
    {"--strict", "", "exit with 9 if the target rate or a limit is not met"},
};

std::uint32_t workers_of(const Arguments& arguments) {
  const double value =
      positive_number(arguments, "--max-workers", std::numeric_limits<double>::max());
  if (value != std::floor(value) || value > 4096)
    throw UsageError(fmt::format("--max-workers {}: expected a whole number up to 4096",
                                 arguments.text("--max-workers")));
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> words;
  for (const auto word : std::views::split(text, ','))
    if (!word.empty()) words.emplace_back(word.begin(), word.end());
  return words;
}

std::vector<Option> tune_options() {
  return joined({kTuneOptions,
                 shared_options({"--max-workers", "--target-rate", "--job-hours", "--price",
                                 "--out", "--resume", "--json", "--quiet"}),
                 shared_options(kOnePointOptions)});
}

TuneAsked tune_asked(const Arguments& arguments) {
  TuneAsked asked;
  asked.budget_seconds = parse_budget(arguments.text("--budget", "10min"));
  if (arguments.flag("--target-rate"))
    asked.target_rate = positive_number(arguments, "--target-rate");
  if (arguments.flag("--max-workers")) asked.max_workers = workers_of(arguments);
  if (arguments.flag("--max-memory")) {
    const auto bytes = parse_bytes(arguments.text("--max-memory"));
    if (!bytes)
      throw UsageError(fmt::format("--max-memory {}: expected a size such as 8GiB",
                                   arguments.text("--max-memory")));
    asked.memory_bytes = static_cast<double>(bytes->value);
  }
  if (arguments.flag("--job-hours"))
    asked.job_seconds = 3600 * positive_number(arguments, "--job-hours");
  if (arguments.flag("--price")) asked.price = positive_number(arguments, "--price");
  if (asked.price && !asked.job_seconds)
    throw UsageError("--price needs the length of a job", "add --job-hours");
  asked.knobs = split_at_commas(arguments.text("--knobs"));
  check_knob_names(asked.knobs);
  if (arguments.flag("--knobs") && asked.knobs.empty())
    throw UsageError("--knobs needs names, such as num_workers,prefetch_factor");
  return asked;
}

Arguments with_sweep_as_it_is(const Arguments& arguments) {
  Arguments out;
  out.set_positional(arguments.positional());
  for (const std::string_view name : kOnePointOptions)
    if (arguments.flag(name)) out.add(name, arguments.list(name));
  return out;
}

Arguments with_sweep(const Arguments& arguments, const TuneGridAsked& grid) {
  Arguments out = with_sweep_as_it_is(arguments);
  std::vector<std::string> sets = arguments.list("--set"), only;
  sets.emplace_back(grid.sweep.empty() ? "sweep=none" : "sweep.mode=grid");
  if (grid.threads) sets.push_back(fmt::format("trainer.intra_op_threads={}", *grid.threads));
  sets.push_back(grid.loader_alone ? "measure.modes=[loader]"
                                   : "measure.modes=[loader, trainer, pipeline]");
  out.add("--set", sets);
  for (const TuneSweep& s : grid.sweep)
    only.push_back(fmt::format("{}={}", s.key, fmt::join(s.values, ",")));
  if (!only.empty()) out.add("--only", only);
  out.add("--rounds", {std::to_string(grid.rounds)});  // and the file's budget makes room for them
  return out;
}

}  // namespace benchbench
