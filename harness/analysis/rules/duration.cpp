#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

struct WindowClass {
  std::string_view name;
  double seconds;
  std::uint64_t batches;
};
constexpr std::array kClasses{WindowClass{"normal", 1, 5}, WindowClass{"gate", 10, 100},
                              WindowClass{"selftest", 0.2, 100}};

const WindowClass& class_of(const Trial& trial) {
  const Value* value = trial.settings.find("measure.class");
  const std::string name = value ? value->text() : "normal";
  const auto at =
      std::find_if(kClasses.begin(), kClasses.end(), [&](const WindowClass& c) { return c.name == name; });
  return at == kClasses.end() ? kClasses.front() : *at;
}

}  // namespace

// Under the simulated clock the window is virtual time, and the same holds: 100 batches are 100 batches.
std::optional<Firing> duration(const TrialRecord& record) {
  const WindowClass& least = class_of(record.trial);
  const double seconds = static_cast<double>(record.facts.window_ns) * 1e-9;
  if (seconds < least.seconds)
    return Firing{
        true, fmt::format("a window of {:.3g} s; class {} needs {:g} s", seconds, least.name, least.seconds)};
  if (record.facts.steps < least.batches)
    return Firing{true, fmt::format("{} batches in the window; class {} needs {}", record.facts.steps,
                                    least.name, least.batches)};
  return std::nullopt;
}

}  // namespace benchbench::rules
