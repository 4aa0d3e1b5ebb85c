// What a run shows beside its rates that its user should act on. Each alarm compares one quantity
// of the records with a threshold.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/core/words.h"
#include "harness/record/trial_record.h"

namespace benchbench {

enum class AlarmKind : std::uint8_t {
  memory,
  cores,
  throttled,
  memory_growth,
  loader_growth,
  exposed_wait,
  other_writes,
  disk,
  network,
  device_idle,
  device_memory,
};
template <>
inline constexpr auto kWordsOf<AlarmKind> = std::to_array<std::string_view>(
    {"memory", "cores", "throttled", "memory_growth", "loader_growth", "exposed_wait",
     "other_writes", "disk", "network", "device_idle", "device_memory"});

enum class AlarmState : std::uint8_t { raised, not_raised, not_measured };
template <>
inline constexpr auto kWordsOf<AlarmState> =
    std::to_array<std::string_view>({"raised", "not raised", "not measured"});

// What an alarm says of one point's trials, or of the run.
struct AlarmSeen {
  std::optional<std::uint32_t> point;  // nullopt: of the run as a whole
  double value = 0;                    // what is compared with the limit: a share
  // The figures behind it: memory, bytes written, bytes a second, and what they are a share of;
  // cores in use and there.
  double amount = 0, of = 0;
  std::string_view whose = {};  // of memory: "host", "cgroup", "process"
  // The lower bound of a growth: this is compared with the limit in place of `value`.
  std::optional<double> low = {};
  double compared() const noexcept { return low.value_or(value); }
};

struct Alarm {
  AlarmKind kind = AlarmKind::memory;
  AlarmState state = AlarmState::not_measured;
  double limit = 0;                // the alarm is raised above it
  std::optional<AlarmSeen> worst;  // nullopt: not measured, or measured without a case to judge
  // The points where it is raised, in their order; of an alarm of the whole run none.
  std::vector<std::uint32_t> points = {};
  std::string why = {};  // of not_measured
};

namespace alarms {
struct Scene;
struct Sight;
}  // namespace alarms

// One row of the table of thresholds; `measure.alarms.<name>` changes `limit`.
struct AlarmRow {
  AlarmKind kind;
  alarms::Sight (*look)(const alarms::Scene&);  // what it looks at: sights.h
  double limit;                                 // by default
  std::string_view unit;                        // "share", "share/min"
  std::string_view watches;                     // in plain words, to follow "over 90 %: "
};
std::span<const AlarmRow> alarm_rows() noexcept;

// Why the alarms of a device are not measured where steps are on the CPU: no lack.
inline constexpr std::string_view kStepsOnCpu = "steps are on the CPU";

// One alarm a row of the table, in its order, from the trials that are VALID or NOISY. What no
// probe measured is not_measured, with the reason: never not_raised. Pure.
std::vector<Alarm> alarms_of(const Plan& plan, const JudgedTrials& trials);

}  // namespace benchbench
