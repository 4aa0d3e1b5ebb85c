#include "harness/app/kept_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/core/error.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

constexpr std::string_view kTextFile = "report.txt", kJsonFile = "report.json";

std::string text_file(const std::string& folder) { return fmt::format("{}/{}", folder, kTextFile); }
std::string json_file(const std::string& folder) { return fmt::format("{}/{}", folder, kJsonFile); }

bool is_there(const std::string& folder) { return std::filesystem::exists(text_file(folder)) && std::filesystem::exists(json_file(folder)); }

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  if (!(content << in.rdbuf())) throw StoreError(fmt::format("{}: cannot be read", file));
  return content.str();
}

}  // namespace

void keep_report(const std::string& folder, const KeptReport& report) {
  write_whole(text_file(folder), report.text);
  write_whole(json_file(folder), report.json);
}

std::optional<KeptReport> kept_report_in(const std::string& folder) {
  if (!is_there(folder)) return std::nullopt;
  return KeptReport{read(text_file(folder)), read(json_file(folder))};
}

bool is_of_kept_report(const std::string& folder, std::string_view name) { return (name == kTextFile || name == kJsonFile) && is_there(folder); }

void leave_to_search(Findings& findings) {
  findings.conclusion.next = {};
  findings.depths.clear();
}

}  // namespace benchbench
