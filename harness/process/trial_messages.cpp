// The text of the frames between supervisor and child.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "harness/core/error.h"
#include "harness/process/supervisor.h"

namespace benchbench {

std::string progress_payload(const TrialProgress& p) {
  return fmt::format("{} {:.4f} {:.6g}", static_cast<int>(p.phase), p.share, p.samples_per_second);
}

TrialProgress progress_from(std::string_view payload) {
  int phase = 0;
  TrialProgress p{};
  if (std::sscanf(std::string(payload).c_str(), "%d %lf %lf", &phase, &p.share,
                  &p.samples_per_second) != 3 ||
      phase < static_cast<int>(Phase::starting) || phase > static_cast<int>(Phase::finishing))
    throw PartError("damaged progress frame");
  p.phase = static_cast<Phase>(phase);
  return p;
}

std::string planned_payload(const PlannedRun& s) {
  return fmt::format("{} {} {}", s.trial, s.round, s.repeat);
}

PlannedRun planned_from(std::string_view payload) {
  PlannedRun s;
  if (std::sscanf(std::string(payload).c_str(), "%u %u %u", &s.trial, &s.round, &s.repeat) != 3)
    throw PartError("damaged slot frame");
  return s;
}

}  // namespace benchbench
