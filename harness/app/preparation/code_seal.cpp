#include "harness/app/preparation/code_seal.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/part/own_library.h"

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

// Empty where the section's part is in no library of the user's own.
std::string library_in(const SettingsMap& settings, const std::string& section) {
  const std::string use = section + "use";
  return settings.has(use) && is_library(settings.text(use)) ? settings.text(use) : "";
}

// Empty where the section has no script, or none whose file is known.
std::string script_in(const SettingsMap& settings, const std::string& section) {
  if (!settings.given(section + "call")) return {};
  if (settings.given(section + "script")) return settings.text(section + "script");
  return settings.given(section + "module") ? file_of_module(settings.text(section + "module"))
                                            : "";
}

// A kind of file that holds the user's code.
struct CodeFile {
  const char* key;  // of its digest, below the section
  std::string (*in)(const SettingsMap&, const std::string& section);
};
constexpr CodeFile kCodeFiles[] = {{"script_digest", script_in}, {"library_digest", library_in}};

std::string bytes_of(const std::string& path) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  if (in && fs::is_regular_file(path, ignored)) bytes << in.rdbuf();
  if (!in || !fs::is_regular_file(path, ignored))
    throw ScenarioError(fmt::format("there is no {}, or it cannot be read", path),
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
    for (const CodeFile& code : kCodeFiles)
      if (const std::string file = code.in(settings, section); !file.empty())
        settings.set(section + code.key, {ParameterType::text, digest_of_file(file)});
}

void CodeSeal::check_seal(const SettingsMap& trial) {
  for (const CodeFile& code : kCodeFiles)
    check_seals(trial, code.key, [&](const std::string& section) -> std::optional<Sealed> {
      const std::string file = code.in(trial, section);
      if (file.empty()) return std::nullopt;
      return Sealed{file, digest_of_file(file)};
    });
}

std::vector<std::string> libraries_in(const SettingsMap& trial) {
  std::vector<std::string> libraries;
  for (const std::string section : kCodeSections)
    if (std::string path = library_in(trial, section); !path.empty())
      libraries.push_back(std::move(path));
  return libraries;
}

std::string changed_code(const Plan& then, const Plan& now) {
  std::map<std::string, std::string> was;
  const auto look = [](const Plan& plan, const auto& at) {
    for (const Point& point : plan.points)
      for (const std::string section : kCodeSections)
        for (const CodeFile& code : kCodeFiles)
          if (const std::string key = section + code.key; point.settings.has(key))
            at(code.in(point.settings, section), point.settings.text(key));
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
