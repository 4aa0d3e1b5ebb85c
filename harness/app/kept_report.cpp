#include "harness/app/kept_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/core/error.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

std::string text_file(const std::string& folder) { return folder + "/report.txt"; }
std::string json_file(const std::string& folder) { return folder + "/report.json"; }

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
  if (!std::filesystem::exists(text_file(folder)) || !std::filesystem::exists(json_file(folder))) return std::nullopt;
  return KeptReport{read(text_file(folder)), read(json_file(folder))};
}

void leave_to_search(Findings& findings) {
  findings.conclusion.next = {};
  findings.depths.clear();
}

}  // namespace benchbench
