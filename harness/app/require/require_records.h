// The report of `require`, from its plan and its records: while it measures, at its end, and of its
// folder.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/app/command.h"
#include "harness/record/setting_keys.h"
#include "harness/record/trial_record.h"
#include "harness/report/require/require_report.h"

namespace benchbench {

// A require's folder has it: the word of how its trials ended, which no record has.
inline constexpr const char* kRequireFile = "require.txt";
inline constexpr const char *kWholeSearch = "ended\n", *kCutSearch = "interrupted\n";

// The label of a point that stands for a rate of supply, or a number of workers.
inline constexpr std::string_view kRateLabel = "loader.rate",
                                  kWorkersLabel = keys::loader.num_workers;

// Returns the loader's settings that stores are played below; nullopt: it is none that reads a data
// set in this process.
std::optional<SettingsMap> loader_above_stores(const Plan& plan, std::uint32_t workers);

// Returns what is known by these records, without notes on those that are not used. `stop` is
// budget if the search has not ended.
RequireReport read_require(const Plan& plan, std::span<const TrialRecord> records,
                           bool interrupted);

// Adds those notes, and writes the report as text to standard output, and as JSON if --json says
// so. Throws StoreError.
void tell_require(const Arguments& arguments, const Plan& plan,
                  const std::vector<TrialRecord>& records, RequireReport report);

}  // namespace benchbench
