// The report of `require`, from its plan and its records: while it measures, at its end, and of its
// folder.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/app/command.h"
#include "harness/record/trial_record.h"
#include "harness/report/require/require_report.h"

namespace benchbench {

// Facts that no record has; they are kept in the folder.
struct RequireFacts {
  bool interrupted = false, simulated = false;
};
inline constexpr const char* kRequireFile = "require.json";
// Throws StoreError.
void write_require_facts(const std::string& folder, const RequireFacts& facts);
// Returns nullopt if the folder is none of a require's. Throws StoreError.
std::optional<RequireFacts> read_require_facts(const std::string& folder);

// The label of a point that stands for a rate of supply, a number of workers or a store.
inline constexpr std::string_view kRateLabel = "loader.rate", kWorkersLabel = "loader.num_workers",
                                  kStoreLabel = "dataset.storage.like";

// Returns the base point's trial of a mode, as far as the plan has one.
std::uint32_t find_base_trial(const Plan& plan, Mode mode);
// Returns the loader's settings that stores are played below; nullopt: it is none that reads a data
// set in this process.
std::optional<SettingsMap> loader_above_stores(const Plan& plan, std::uint32_t workers);

// Returns what is known by these records. `stop` is budget where the search has not ended.
RequireReport read_require(const Plan& plan, std::span<const TrialRecord> records,
                           const RequireFacts& facts);
// The same with the notes on trials that are not used.
RequireReport report_require(const Plan& plan, const std::vector<TrialRecord>& records,
                             const RequireFacts& facts);

// Writes it as text to standard output, and as JSON where --json says. Throws StoreError.
void tell_require(const Arguments& arguments, const RequireReport& report);

}  // namespace benchbench
