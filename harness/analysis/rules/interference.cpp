#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {

std::optional<Firing> interference(const TrialRecord& record) {
  const double share = record.facts.instrument.overhead_share;
  if (!(share > 0.01)) return std::nullopt;
  // A wrapped script has no such setting.
  const bool of_script = is_of_script(record.trial.settings);
  return Firing{share > 0.03,
                fmt::format("measuring itself cost {:.1f} % (doubt above 1 %, void above 3 %){}",
                            100 * share, of_script ? "" : "; measure.observer: 0 costs less")};
}

}  // namespace benchbench::rules
