#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

// The environment names the driver and the device, or says why there is none.
bool names_a_device(const std::string& cuda) {
  for (const std::string_view absent : {"no ", "none", "not "})
    if (cuda.starts_with(absent)) return false;
  return !cuda.empty();
}

}  // namespace

// A CPU is what every trial runs on. Whatever asked for CUDA and ran where the environment names no device ran on
// something else; a loader alone uses none.
std::optional<Firing> device(const TrialRecord& record) {
  const std::string wanted = asked(record.trial, "trainer.device");
  if (!wanted.starts_with("cuda") || record.trial.mode == Mode::loader) return std::nullopt;
  const std::string& cuda = record.environment.cuda;
  if (names_a_device(cuda)) return std::nullopt;
  return Firing{
      true, fmt::format("{} was requested, but the devices were: {}", wanted, cuda.empty() ? "none" : cuda)};
}

}  // namespace benchbench::rules
