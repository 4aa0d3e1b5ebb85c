#include "harness/app/kept_report.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/report/fields/json_maker.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

constexpr std::string_view kTextFile = "report.txt", kJsonFile = "report.json";

std::string text_file(const std::string& folder) { return fmt::format("{}/{}", folder, kTextFile); }
std::string json_file(const std::string& folder) { return fmt::format("{}/{}", folder, kJsonFile); }

bool both_there(const std::string& folder) {
  return is_there(text_file(folder)) && is_there(json_file(folder));
}

}  // namespace

void keep_report(const std::string& folder, const KeptReport& report) {
  write_whole(text_file(folder), report.text);
  write_whole(json_file(folder), json_text(report.json) + "\n");
}

std::optional<KeptReport> kept_report_in(const std::string& folder) try {
  if (!both_there(folder)) return std::nullopt;
  return KeptReport{read_whole(text_file(folder)),
                    nlohmann::ordered_json::parse(read_whole(json_file(folder)))};
} catch (const nlohmann::ordered_json::exception& e) {
  throw StoreError(fmt::format("{}: {}", json_file(folder), e.what()));
}

bool is_of_kept_report(const std::string& folder, std::string_view name) {
  return (name == kTextFile || name == kJsonFile) && both_there(folder);
}

void leave_to_search(Findings& findings) {
  findings.conclusion.next = {};
  findings.conclusion.next.by_search = true;
  findings.depths.clear();
}

}  // namespace benchbench
