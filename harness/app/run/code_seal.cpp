#include "harness/app/run/code_seal.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/core/digest.h"
#include "harness/core/error.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// Modules are looked for in the working directory first.
std::string file_of_module(std::string module) {
  std::ranges::replace(module, '.', '/');
  for (const std::string& path : {module + "/__init__.py", module + ".py"}) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return {};
}

// Empty where the section has no code, or none whose file is known.
std::string file_of(const SettingsMap& settings, const std::string& section) {
  if (!settings.given(section + "call")) return {};
  if (settings.given(section + "script")) return settings.text(section + "script");
  return settings.given(section + "module") ? file_of_module(settings.text(section + "module"))
                                            : "";
}

std::string bytes_of(const std::string& path) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  if (in && fs::is_regular_file(path, ignored)) bytes << in.rdbuf();
  if (!in || !fs::is_regular_file(path, ignored))
    throw ScenarioError(fmt::format("there is no script {}, or it cannot be read", path),
                        "relative paths start at the working directory");
  return std::move(bytes).str();
}

}  // namespace

void check_seals(const SettingsMap& trial, std::string_view key, const SealOf& seal_of) {
  const auto check = [&](const std::string& section) {
    const std::string whole = section + std::string(key);
    if (!trial.has(whole)) return;
    const auto now = seal_of(section);
    if (now && now->digest != trial.text(whole))
      throw ScenarioError(fmt::format("{} has changed since the run was planned", now->file),
                          "start a new run");
  };
  for (const char* section : kCodeSections) check(section);
}

const std::string& CodeSeal::digest_of_file(const std::string& path) {
  const auto known = digests_.find(path);
  return known != digests_.end() ? known->second
                                 : digests_[path] = digest_of(bytes_of(path)).text();
}

void CodeSeal::seal(SettingsMap& settings) {
  for (const std::string section : kCodeSections)
    if (const std::string file = file_of(settings, section); !file.empty())
      settings.set(section + "script_digest", {ParameterType::text, digest_of_file(file)});
}

void CodeSeal::check_seal(const SettingsMap& trial) {
  check_seals(trial, "script_digest", [&](const std::string& section) -> std::optional<Sealed> {
    const std::string file = file_of(trial, section);
    if (file.empty()) return std::nullopt;
    return Sealed{file, digest_of_file(file)};
  });
}

std::string changed_code(const Plan& then, const Plan& now) {
  std::map<std::string, std::string> was;
  const auto look = [](const Plan& plan, const auto& at) {
    for (const Point& point : plan.points)
      for (const std::string section : kCodeSections)
        if (const std::string key = section + "script_digest"; point.settings.has(key))
          at(file_of(point.settings, section), point.settings.text(key));
  };
  look(then, [&](const std::string& file, const std::string& digest) { was[file] = digest; });
  std::string changed;
  look(now, [&](const std::string& file, const std::string& digest) {
    if (const auto known = was.find(file);
        changed.empty() && known != was.end() && known->second != digest)
      changed = file;
  });
  return changed;
}

}  // namespace benchbench
