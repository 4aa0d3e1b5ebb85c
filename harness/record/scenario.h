// A scenario after reading: every key resolved for the base point, the axes of its sweep, and what
// was decided on the user's behalf. A value; knows nothing of YAML.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/contains.h"
#include "harness/core/words.h"
#include "harness/record/value.h"

namespace benchbench {

enum class SweepMode : std::uint8_t { one_at_a_time, grid, zip };
template <>
inline constexpr auto kWordsOf<SweepMode> =
    std::to_array<std::string_view>({"one_at_a_time", "grid", "zip"});

// Changes one axis value makes to the base point: one pair for a scalar axis, many where a part is
// the axis or where a swept `trainer.device` lays on its variant. `erase` holds prefixes dropped
// first (the old part's own parameters).
struct AxisValue {
  std::string label;  // "4", "hdf5", "rate_limited(rate=500/s)"
  std::vector<std::string> erase;
  std::vector<std::pair<std::string, Value>> set;
  std::uint32_t repeat = 0;  // 1, 2, 3 of a value that the axis holds several times

  // Returns the value that it sets `key` to; null where it sets none.
  const Value* find(std::string_view key) const {
    const auto* const at = find_element(set, key, &std::pair<std::string, Value>::first);
    return at ? &at->second : nullptr;
  }
  void erase_from(SettingsMap& settings) const {
    for (const std::string& prefix : erase) {
      settings.erase(prefix);
      settings.erase_prefix(prefix + ".");
    }
  }
};

struct Axis {
  std::string key;  // "loader.num_workers", or "loader" for a part axis
  std::vector<AxisValue> values;
  // True if the command line gave it: a budget cuts it last. Not stored.
  bool typed = false;
};

// A setting that a variant, or --set, gave another value than the file does by itself.
struct Replaced {
  std::string by;        // "cpu", "--set": the last one that gave it
  std::string key;       // "trainer.use"
  std::string from, to;  // as text; empty: it was not set, it is no more
};

struct Scenario {
  std::string name;
  std::string question;
  std::string source;         // the file as given, or "-"
  std::string source_digest;  // of the file's bytes
  SettingsMap base;           // complete: defaults in, device and `auto` resolved, also measure.*
  SweepMode mode = SweepMode::one_at_a_time;
  std::vector<Axis> axes;
  // loader.max_jobs was not given: max(1, num_workers) x prefetch_factor at each point.
  bool max_jobs_follows = false;
  // trainer.intra_op_threads was not given: auto at each point whose axes do not say.
  bool threads_follow = false;
  // The number that auto comes to there, where the user's own code does not decide.
  std::int64_t auto_threads = 1;
  // measure.modes was not given: loader alone at points whose step takes no time.
  bool modes_follow = false;
  // True if neither measure.window nor another class than normal was given: the plan may choose a
  // longer window where starts are dear. Not stored.
  bool window_follows = false;
  std::vector<Replaced> replaced;  // of dataset, loader and trainer, in the order of the layers
  // "loader=synthetic", "trainer=timed": parts of it, swept ones too, that stand in for real ones
  std::vector<std::string> mocks;
  // "variant cpu laid on: trainer.device is cpu", "sweep of ... dropped: --set".
  std::vector<std::string> decisions;
};

// The values that a point has: the place of each by that of its axis.
using SweepChoice = std::map<std::size_t, std::size_t>;
// Returns those of every point but the base, in the order of the axes; in a grid the last axis
// turns fastest, as nested loops would. The axes of a zip are of one length.
std::vector<SweepChoice> list_choices(const Scenario& scenario);

// Returns the largest loader.num_workers of the base and of all axes.
std::int64_t largest_workers(const Scenario& scenario);

// Returns what trainer.intra_op_threads: auto comes to at a point: the number of the whole sweep,
// or as many of the point's own cores (run.cpus) as the sweep's largest num_workers leaves free, at
// least 1.
std::int64_t auto_threads_at(const Scenario& scenario, const SettingsMap& point);

}  // namespace benchbench
