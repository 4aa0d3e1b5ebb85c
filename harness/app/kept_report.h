// A report that no records give again, kept in its run's folder: `require`, `wrap --tune`.
#pragma once
#include <optional>
#include <string>

namespace benchbench {

struct KeptReport {
  std::string text, json;
};
// Throws StoreError.
void keep_report(const std::string& folder, const KeptReport& report);
// nullopt: the folder has none. Throws StoreError.
std::optional<KeptReport> kept_report_in(const std::string& folder);

}  // namespace benchbench
