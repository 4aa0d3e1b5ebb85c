// Options that several commands have, each declared once: one word means the same everywhere.
#pragma once
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "harness/app/command.h"

namespace benchbench {

// Returns --set, --sweep, --rounds, --clock, ...: how a scenario is read.
std::span<const Option> scenario_options() noexcept;
// Returns --job-samples, --job-epochs, --job-hours and --price.
std::span<const Option> job_options() noexcept;
// Returns one option for each of report_formats(), --detail and --trace.
std::vector<Option> output_options();
// Returns those of the options above, and of --out, --resume, --strict, --quiet, --max-workers and
// --target-rate, that `names` lists, in its order. Another name is a bug: std::logic_error.
std::vector<Option> shared_options(std::span<const std::string_view> names);
inline std::vector<Option> shared_options(std::initializer_list<std::string_view> names) {
  return shared_options(std::span(names.begin(), names.size()));
}
// The scenario options of a command that measures one point.
inline constexpr std::array<std::string_view, 4> kOnePointOptions{"--set", "--variant", "--clock",
                                                                  "--cache"};

std::vector<Option> joined(std::initializer_list<std::span<const Option>> groups);

}  // namespace benchbench
