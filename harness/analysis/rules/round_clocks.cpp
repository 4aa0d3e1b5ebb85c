#include "harness/analysis/rules/round_clocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {
namespace {

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
      "the clock of {} was {:.0f} MHz, {:.1f} % below the {:.0f} MHz of the trial's other rounds "
      "(at "
      "most 3 % allowed)",
      rules::card_name(*clock.record->facts.gpu), clock.hertz / 1e6,
      100 * (1 - clock.hertz / against), against / 1e6);
}

void add_low(const std::vector<RoundClock>& clocks, std::vector<LowClock>& found) {
  if (clocks.size() < 2) return;
  for (const RoundClock& clock : clocks) {
    const double against = usual(clocks, clock);
    if (against - clock.hertz > kMinEffect * against)
      found.push_back({clock.record, words_for(clock, against)});
  }
}

}  // namespace

std::vector<LowClock> clocks_below_rounds(const JudgedTrials& trials) {
  std::map<std::uint32_t, std::vector<RoundClock>> by_trial;
  for (const JudgedRecord& judged : trials.all())
    if (const auto hertz = rules::busy_gpu_clock(judged.record->facts); hertz && judged.usable())
      by_trial[judged.record->planned.trial].push_back({judged.record, *hertz});
  std::vector<LowClock> found;
  for (const auto& [trial, clocks] : by_trial) add_low(clocks, found);
  return found;
}

}  // namespace benchbench
