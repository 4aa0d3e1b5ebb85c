#include "harness/app/preparation/run_place.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>

#include "harness/app/tell.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTimeWidth = 15;  // 20261231-235959

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// When it began, and which of that second it is; none of a folder that fresh_path() did not name.
std::optional<std::pair<std::string, int>> began_of(const std::string& folder,
                                                    const std::string& scenario) {
  if (!folder.starts_with(scenario + "-") || folder.size() < scenario.size() + 1 + kTimeWidth)
    return std::nullopt;
  const std::string time = folder.substr(scenario.size() + 1, kTimeWidth),
                    rest = folder.substr(scenario.size() + 1 + kTimeWidth);
  if (!is_digits(time.substr(0, 8)) || time[8] != '-' || !is_digits(time.substr(9)))
    return std::nullopt;
  if (rest.empty()) return std::pair{time, 1};
  if (rest.size() > 9 || rest[0] != '.' || !is_digits(rest.substr(1))) return std::nullopt;
  return std::pair{time, std::stoi(rest.substr(1))};
}

std::string newest_of(const std::string& scenario) {
  std::pair<std::string, int> last;
  std::string newest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(kRuns, error)) {
    const auto began = began_of(entry.path().filename().string(), scenario);
    if (!began || *began < last) continue;
    last = *began;
    newest = entry.path().string();
  }
  return newest;
}

}  // namespace

std::string fresh_path(const std::string& folder, const std::string& name) {
  const std::string base =
      fmt::format("{}/{}-{:%Y%m%d-%H%M%S}", folder, name, fmt::localtime(std::time(nullptr)));
  std::string path = base;
  for (int i = 2; is_there(path); ++i) path = fmt::format("{}.{}", base, i);
  return path;
}

std::string run_path(const Arguments& arguments, const std::string& scenario) {
  if (arguments.flag("--out")) return arguments.text("--out");
  if (arguments.flag("--resume"))
    if (std::string newest = newest_of(scenario); !newest.empty()) return newest;
  return fresh_path(std::string(kRuns), scenario);
}

bool is_begun(const std::string& path) { return is_there(path) && !RunFolder::is_only_begun(path); }

bool resumes(const Arguments& arguments, const std::string& scenario) {
  if (!arguments.flag("--resume")) return false;
  const std::string path = run_path(arguments, scenario);
  if (is_begun(path)) return true;
  if (is_there(path))
    tell("nothing was measured in {} yet: starting afresh\n", path);
  else
    tell("no earlier run{} in {}: starting afresh\n", scenario.empty() ? "" : " of " + scenario,
         arguments.text("--out", std::string(kRuns)));
  return false;
}

std::vector<std::pair<std::string, std::string>> read_labels(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& text : arguments.list("--label")) {
    const std::size_t at = text.find('=');
    const bool plain =
        std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (at == std::string::npos || at == 0 || at + 1 == text.size() || !plain)
      throw UsageError(
          fmt::format("--label {}: expected KEY=VALUE without control characters", text),
          "such as --label driver=570");
    const std::string key = text.substr(0, at);
    std::erase_if(out, [&](const auto& label) { return label.first == key; });
    out.emplace_back(key, text.substr(at + 1));
  }
  return out;
}

std::string run_command_text(const Arguments& arguments, std::span<const Option> options) {
  std::string text = "benchbench run";
  for (const std::string& file : arguments.positional()) text += " " + shell_word(file);
  for (const Option& o : options) {
    if (o.name == "--resume" || o.name == "--out" || !arguments.flag(o.name)) continue;
    if (o.value.empty()) text += fmt::format(" {}", o.name);
    // If an option does not repeat, the last one counts.
    const std::vector<std::string> given = arguments.list(o.name);
    for (std::size_t i = o.repeats || given.empty() ? 0 : given.size() - 1; i < given.size(); ++i)
      text += fmt::format(" {} {}", o.name, shell_word(given[i]));
  }
  return text;
}

std::string resume_command(const Arguments& arguments, std::span<const Option> options,
                           const std::string& folder) {
  return run_command_text(arguments, options) + " --resume --out " + shell_word(folder);
}

}  // namespace benchbench
