#include "harness/app/options.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "harness/report/text/formats.h"

namespace benchbench {
namespace {

constexpr Option kScenario[] = {
    {"--set", "KEY=VALUE", "give a setting one value; sweep=none: no sweep", true},
    {"--only", "KEY=A,B,C", "sweep this setting instead of the file's sweep", true},
    {"--sweep", "KEY=A,B,C", "add this setting to the sweep, or replace its values", true},
    {"--variant", "NAME", "apply a variant of the file", true},
    {"--rounds", "N", "as --set measure.rounds=N"},
    {"--budget", "TIME", "as --set measure.budget=TIME (\"3min\")"},
    {"--substitute", "", "also measure the step without each of its components"},
    {"--interference", "", "also measure the trainer with a background loader"},
    {"--clock", "real|simulated", "simulated: virtual time, without waiting; for mocks"},
    {"--cache", "DIR", "folder for datasets and estimates"},
};
constexpr Option kJob[] = {
    {"--job-samples", "N", "hours for a job of N samples, before and after the recommended change"},
    {"--job-epochs", "N", "the same, for N epochs of the dataset"},
    {"--job-hours", "H", "what the change makes of a job that takes H hours today"},
    {"--price", "X", "that job's cost too, at X an hour in any currency"},
};
constexpr Option kMore[] = {
    {"--out", "DIR", "folder for results (default: a new one in results/runs)"},
    {"--resume", "", "continue what is in --out, or this scenario's newest"},
    {"--strict", "", "exit with 9 if a trial is NOISY or INVALID, 6 if hardware is missing"},
    {"--quiet", "", "no progress, only warnings and errors"},
    {"--max-workers", "N", "a search tries no more workers (default: the cores)"},
    {"--target-rate", "R", "samples/s that are enough: a search looks for no more"},
};
constexpr Option kOutputs[] = {
    {"--detail", "", "print all that was measured, not only what decides"},
    {"--trace", "FILE", "write events of the base's pipeline, for Perfetto"},
};

}  // namespace

std::span<const Option> scenario_options() noexcept { return kScenario; }
std::span<const Option> job_options() noexcept { return kJob; }

std::vector<Option> output_options() {
  std::vector<Option> all;
  for (const ReportFormat* format : report_formats())
    if (!format->help.empty()) all.push_back({format->option, "FILE", format->help});
  all.insert(all.end(), std::begin(kOutputs), std::end(kOutputs));
  return all;
}

std::vector<Option> shared_options(std::span<const std::string_view> names) {
  const std::vector<Option> all = joined({kScenario, kJob, kMore, output_options()});
  std::vector<Option> named;
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(all, name, &Option::name);
    if (found == all.end()) throw std::logic_error("no shared option " + std::string(name));
    named.push_back(*found);
  }
  return named;
}

std::vector<Option> joined(std::initializer_list<std::span<const Option>> groups) {
  std::vector<Option> all;
  for (const std::span<const Option> group : groups)
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace benchbench
