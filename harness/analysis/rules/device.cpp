#include <fmt/format.h>

#include <cstdlib>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"
#include "harness/record/setting_keys.h"

namespace benchbench::rules {
namespace {

// The environment names the driver and the device, or says why there is none.
bool names_a_device(const std::string& cuda) {
  for (const std::string_view absent : {"no ", "none", "not "})
    if (cuda.starts_with(absent)) return false;
  return !cuda.empty();
}

// Whatever asked for CUDA and ran where the environment names no device ran on something else.
std::optional<Firing> none_there(const std::string& wanted, const std::string& cuda) {
  if (names_a_device(cuda)) return std::nullopt;
  return invalid(fmt::format("{} was requested, but the devices were: {}", wanted,
                             cuda.empty() ? "none" : cuda));
}

// The device that had the name as the run was planned.
std::optional<Firing> another_card(const std::string& wanted, const std::string& ran_on,
                                   const std::vector<std::string>& uuids) {
  const std::size_t ordinal = std::strtoul(wanted.c_str() + sizeof "cuda:" - 1, nullptr, 10);
  if (uuids.empty()) return std::nullopt;
  if (ordinal >= uuids.size())
    return invalid(fmt::format("{} was requested, but there {} {}", wanted,
                               uuids.size() == 1 ? "was" : "were",
                               counted(uuids.size(), "device")));
  if (uuids[ordinal] == ran_on) return std::nullopt;
  return invalid(fmt::format("{} was the device {} as the run began, but steps ran on {}", wanted,
                             uuids[ordinal], ran_on));
}

// Fires if the steps' own events name another device than the one that was asked for.
std::optional<Firing> another(const std::string& wanted, const DeviceFacts& ran,
                              const Environment& e) {
  if (ran.name.empty()) return std::nullopt;  // a record from before it was kept
  if (ran.name != wanted)
    return invalid(fmt::format("{} was requested, but steps ran on {}", wanted, ran.name));
  return another_card(wanted, ran.uuid, e.gpu_uuids);
}

// Counted of the whole GPU: a process whose own memory has one is ended by the driver, and its
// trial FAILED.
std::optional<Firing> spoiled_memory(const GpuFacts& gpu) {
  const std::uint64_t errors = gpu.uncorrected.value_or(0);
  if (errors == 0) return std::nullopt;
  return doubt(fmt::format("the memory of {} had {} that could not be corrected (none allowed)",
                           card_name(gpu), counted(errors, "error")));
}

// True if steps in a process of their own were seen on a card that is not torch's.
bool is_on_card_without_torch(const Facts& facts) {
  return facts.gpu && facts.external->device.empty();
}

// Compares what was asked for with what torch says of steps in a process of their own.
std::optional<Firing> another_elsewhere(const std::string& wanted, const std::string& used) {
  if (used == wanted) return std::nullopt;
  const std::string used_text = used.empty() ? "no device" : used;
  return doubt(
      fmt::format("{} was requested, but torch used {} in the steps' process", wanted, used_text));
}

std::optional<Firing> another_device(const TrialRecord& record) {
  const std::string wanted = record.trial.settings.text_or(keys::trainer.device);
  if (!wanted.starts_with("cuda") || record.trial.mode == Mode::loader) return std::nullopt;
  if (auto fired = none_there(wanted, record.environment.cuda)) return fired;
  if (record.facts.device) return another(wanted, *record.facts.device, record.environment);
  if (record.facts.external && !is_on_card_without_torch(record.facts))
    return another_elsewhere(wanted, record.facts.external->device);
  return std::nullopt;
}

}  // namespace

// A CPU is what every trial runs on; a loader alone uses no device but for pinned memory.
std::optional<Firing> device(const TrialRecord& record) {
  if (auto fired = another_device(record)) return fired;
  return record.facts.gpu ? spoiled_memory(*record.facts.gpu) : std::nullopt;
}

}  // namespace benchbench::rules
