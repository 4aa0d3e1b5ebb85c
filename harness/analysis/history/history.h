// Kept runs -> nights, alerts and what a reader must know of them. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/history/alerts.h"
#include "harness/analysis/history/canaries.h"
#include "harness/analysis/history/self_check.h"
#include "harness/analysis/history/series_ends.h"
#include "harness/record/kept_run.h"

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

// A series that ran in fewer nights, such as a single run of another scenario, need not be there in
// each.
inline constexpr std::size_t kFollowedNights = 3;
inline constexpr const char* kMachineChanged =
    "the machine changed";  // scripts/nightly looks for it

struct NightReason {
  std::size_t night = 0;
  std::string reason;  // one line: KeptValue::reason, "was not measured", kMachineChanged
};

struct SeriesHistory {
  KeptSeries series;
  // "loader.batch_time 5ms": the settings in which it differs from others of its name; empty where
  // it has the name alone, or where an older version kept no settings.
  std::vector<std::string> apart = {};
  std::vector<Alert> alerts;  // indices of nights
  std::size_t judged = 0;     // nights since the last change: under kLearningNights it is learning
  std::vector<std::size_t> judged_nights;  // ever, wide ones too
  // Nights from the first in which it ran to its end, each in one of these or neither.
  std::vector<NightReason> not_judged, wide;
  // The machine's last nights, in a row, that were not judged; 0 of a series that has ended.
  std::size_t unjudged_at_end = 0;
  std::optional<SeriesEnd> ended = {};
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
