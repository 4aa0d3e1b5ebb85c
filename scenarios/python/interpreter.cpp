#include "scenarios/python/interpreter.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/files/program_path.h"

namespace benchbench::python_part {
namespace {

constexpr std::string_view kHint =
    "set `python` of the loader or the trainer to the interpreter that has your packages";

std::optional<std::string> given(const Settings* settings) {
  if (!settings || !settings->has("python")) return std::nullopt;
  return std::string(settings->text("python"));
}

std::string found(const std::string& asked) {
  const std::string path = asked.find('/') == std::string::npos ? program_in_path(asked) : asked;
  if (!path.empty() && can_execute(path)) return path;
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
  if (std::string path = active_python(); !path.empty()) return path;
  const char* const environment = std::getenv("VIRTUAL_ENV");
  const std::string tried =
      environment && *environment
          ? fmt::format("{}/bin/python (of VIRTUAL_ENV) cannot be executed, and ", environment)
          : "";
  throw ScenarioError(fmt::format("no Python interpreter: {}no folder of PATH has python3", tried),
                      kHint);
}

std::string child_script() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::string script = program.parent_path().parent_path() / "python" / "start_child.py";
  if (!std::filesystem::exists(script, failed))
    throw PartError(fmt::format("'{}' does not exist", script),
                    "the folder python/ belongs next to the program's folder bin/");
  return script;
}

}  // namespace benchbench::python_part
