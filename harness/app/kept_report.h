// A report that no records give again, kept in its run's folder: `wrap --tune`.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "harness/analysis/findings.h"

namespace benchbench {

struct KeptReport {
  std::string text;
  nlohmann::ordered_json json;
};
// Throws StoreError.
void keep_report(const std::string& folder, const KeptReport& report);
// nullopt: the folder has none. Throws StoreError.
std::optional<KeptReport> kept_report_in(const std::string& folder);
// One of its two files in a folder that has such a report, by the file's name.
bool is_of_kept_report(const std::string& folder, std::string_view name);

// Of a script whose settings were searched beside: what the search tried or measured says more than
// what would be advised without it, which is taken out.
void leave_to_search(Findings& findings);

}  // namespace benchbench
