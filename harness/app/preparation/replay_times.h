// The times that parts named `replay` take again: from a CSV file, or from the series of a stored
// run.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/scenario.h"

namespace benchbench {

enum class Replayed : std::uint8_t { batches, steps };  // loader.times, trainer.times

// `path` is a file or the folder of a stored run.
//
// A file: comma-separated, one value a line or in the column named (by default the first that holds
// a number). A first line that holds no number there names the columns; a name that ends in _ns,
// _us, _ms or _s says the unit, which is seconds otherwise. Lines that begin with # and blank ones
// at the end do not count. A folder: of the base point's first usable record of mode loader the
// waits for a batch (batches), of mode trainer the step times (steps).
//
// ScenarioError naming file:line, the value and what is allowed, where one is empty, negative, no
// number or longer than a day, or where there is none at all.
std::vector<std::int64_t> read_replay_times(const std::string& path, const std::string& column,
                                            Replayed what);

// What the settings of trials and points name, each file read once. One thread.
class ReplayTimes {
 public:
  // Empty where the settings name none. Valid as long as this. A trial's loader may stand under
  // "loader.of." or "beside.".
  const std::vector<std::int64_t>& of(const SettingsMap& settings, Replayed what);
  // Sets <loader|trainer>.times_digest where times are named, so that a run of other times is
  // another run. Throws as read_replay_times() does.
  void seal(SettingsMap& settings);
  // Throws ScenarioError where the times are not those that the settings were sealed with.
  void check_seal(const SettingsMap& trial);

 private:
  struct Read {
    std::vector<std::int64_t> ns;
    std::string digest;
  };
  const Read& read(const SettingsMap& settings, const std::string& side, Replayed what);
  std::map<std::string, Read> read_;
};

}  // namespace benchbench
