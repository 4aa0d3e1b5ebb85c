#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

constexpr double kMaxPpm = 100;

}  // namespace

std::optional<Firing> clock_slew(const TrialRecord& record) {
  const auto ppm = record.facts.instrument.clock_slew_ppm;
  if (!ppm || !(std::abs(*ppm) > kMaxPpm)) return std::nullopt;
  return doubt(
      fmt::format("the clock was slewed by {:+.0f} ppm against the raw monotonic clock "
                  "(limit {:.0f}): a time daemon is adjusting it",
                  *ppm, kMaxPpm));
}

}  // namespace benchbench::rules
