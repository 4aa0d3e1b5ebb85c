// What `compare` was asked for.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/compare/compare_runs.h"
#include "harness/analysis/compare/gates.h"
#include "harness/app/command.h"

namespace benchbench {

struct CompareOptions {
  std::vector<Gate> gates;
  CompareAsked asked = {};               // but for its relation
  std::vector<std::string> b_sets = {};  // of --interleave
  std::string b_program = {};            // empty: this program
  std::string budget = {};               // as it was typed; empty: none
  double budget_seconds = 0;
  bool interleave = false, confirm = false, detail = false, quiet = false;
};

// UsageError where options contradict each other.
CompareOptions compare_options(const Arguments& arguments);
std::vector<Option> compare_command_options();

// The command line of one interleaved side: its file, what is given for both, `sets` as further
// --set, fixed rounds, no budget.
Arguments side_arguments(const Arguments& given, const std::string& file,
                         const std::vector<std::string>& sets);

// Two sides of 15 rounds show 5 % where a round is off by 2 %.
inline constexpr const char* kDefaultRounds = "15";

}  // namespace benchbench
