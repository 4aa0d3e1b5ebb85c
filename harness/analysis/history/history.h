// Kept runs -> nights, alerts and what a reader must know of them. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/history/alerts.h"
#include "harness/analysis/history/canaries.h"
#include "harness/analysis/history/self_check.h"
#include "harness/record/history/kept_run.h"

namespace benchbench {

// Runs of one machine with one night's name; of a series that several of them have, the last one's
// value counts.
struct Night {
  std::string name;        // KeptRun::night()
  std::string started_at;  // of its first run
  std::vector<std::string> folders;
  CanaryNight canaries;
  // What was otherwise than in the night before: "kernel: Linux 6.1 -> Linux 6.8", labels too.
  std::vector<std::string> changed;
};

struct SeriesHistory {
  KeptSeries series;
  std::vector<Alert> alerts;  // indices of nights
  std::size_t judged = 0;     // nights since the last change: under kLearningNights it is learning
  std::size_t judged_ever = 0;
  std::size_t unusable = 0;               // nights whose rounds were not VALID
  std::optional<std::size_t> last_night;  // that had a value
  bool judged_last = false;               // the machine's last night was judged
};

struct MachineHistory {
  std::string machine, machine_text;
  std::vector<Night> nights;          // by the time they started
  std::vector<SeriesHistory> series;  // by name
  SelfCheck check;
  // What nights without a change differ by: under it stay 999 of 1,000 differences, as a share,
  // between judged nights of a series that follow each other, but for those at which a change
  // begins. nullopt: no series has kLearningNights.
  std::optional<double> spread;
};

struct History {
  std::vector<MachineHistory> machines;  // that with the newest night first
};

History make_history(const KeptHistory& kept);

}  // namespace benchbench
