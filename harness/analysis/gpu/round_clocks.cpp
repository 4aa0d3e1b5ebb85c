#include "harness/analysis/gpu/round_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench {
namespace {

constexpr double kClocksApart = 0.03;

struct RoundClock {
  const TrialRecord* record;
  double hertz;
};

// Returns what the clock is compared with: of two the other one.
double usual(std::vector<RoundClock> clocks, const RoundClock& of) {
  if (clocks.size() == 2) return clocks[clocks[0].record == of.record].hertz;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::ranges::nth_element(clocks, middle, {}, &RoundClock::hertz);
  return middle->hertz;
}

std::string words_for(const RoundClock& clock, double against) {
  return fmt::format(
      "the clock of {} was {:.0f} MHz, {:.1f} % off the {:.0f} MHz of the trial's other rounds (at "
      "most 3 % allowed)",
      rules::card_name(*clock.record->facts.gpu), clock.hertz / 1e6,
      100 * std::abs(clock.hertz / against - 1), against / 1e6);
}

void add_off(const std::vector<RoundClock>& clocks, std::vector<OffClock>& found) {
  if (clocks.size() < 2) return;
  for (const RoundClock& clock : clocks) {
    const double against = usual(clocks, clock);
    if (std::abs(clock.hertz - against) > kClocksApart * against)
      found.push_back({clock.record, words_for(clock, against)});
  }
}

}  // namespace

std::vector<OffClock> clocks_off_rounds(const JudgedTrials& trials) {
  std::map<std::uint32_t, std::vector<RoundClock>> by_trial;
  for (const JudgedRecord& judged : trials.all())
    if (const auto hertz = rules::busy_gpu_clock(judged.record->facts); hertz && judged.usable())
      by_trial[judged.record->planned.trial].push_back({judged.record, *hertz});
  std::vector<OffClock> found;
  for (const auto& [trial, clocks] : by_trial) add_off(clocks, found);
  return found;
}

}  // namespace benchbench
