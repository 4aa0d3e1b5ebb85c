#include "scenarios/python/interpreter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "harness/core/error.h"

namespace benchbench::python_part {
namespace {

constexpr std::string_view kHint =
    "set `python` of the loader or the trainer to the interpreter that has your packages";

bool runs(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Empty where no folder of PATH has it.
std::string in_path(std::string_view name) {
  std::string path = variable("PATH");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string folder = path.substr(at, end - at);
    const std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    if (runs(file)) return file;
    at = end + 1;
  }
  return {};
}

std::optional<std::string> given(const Settings* settings) {
  if (!settings || !settings->has("python")) return std::nullopt;
  return std::string(settings->text("python"));
}

std::string found(const std::string& asked) {
  const std::string path = asked.find('/') == std::string::npos ? in_path(asked) : asked;
  if (!path.empty() && runs(path)) return path;
  if (path.empty())
    throw ScenarioError(fmt::format("the Python interpreter '{}' is in no folder of PATH", asked),
                        kHint);
  std::error_code failed;
  throw ScenarioError(
      fmt::format(
          "the Python interpreter '{}' {}", asked,
          std::filesystem::exists(path, failed) ? "is not an executable file" : "does not exist"),
      kHint);
}

}  // namespace

std::string interpreter_named(std::string_view name) {
  return name.empty() ? interpreter_for(nullptr, nullptr) : found(std::string(name));
}

std::string interpreter_for(const Settings* loader, const Settings* trainer) {
  const auto of_loader = given(loader), of_trainer = given(trainer);
  if (of_loader && of_trainer && *of_loader != *of_trainer)
    throw ScenarioError(
        fmt::format("loader.python is '{}' and trainer.python is '{}'", *of_loader, *of_trainer),
        "both run in one interpreter: give it once");
  if (of_loader) return found(*of_loader);
  if (of_trainer) return found(*of_trainer);
  std::string tried;
  if (const std::string environment = variable("VIRTUAL_ENV"); !environment.empty()) {
    const std::string path = environment + "/bin/python";
    if (runs(path)) return path;
    tried = fmt::format("{} (of VIRTUAL_ENV) cannot be executed, and ", path);
  }
  const std::string path = in_path("python3");
  if (path.empty())
    throw ScenarioError(
        fmt::format("no Python interpreter: {}no folder of PATH has python3", tried), kHint);
  return path;
}

std::string child_script() {
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  const std::string script = folder / "python" / "start_child.py";
  if (!std::filesystem::exists(script, failed))
    throw PartError(fmt::format("'{}' does not exist", script),
                    "the folder python/ belongs next to the program");
  return script;
}

}  // namespace benchbench::python_part
