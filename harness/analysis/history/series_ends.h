// Finds the series of one machine that have ended, and why. Pure.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/history/night_sets.h"
#include "harness/record/kept_run.h"

namespace benchbench {

using NamedValues = std::map<std::string, std::string>;

// Returns what is otherwise in the later one, by name: "kernel: Linux 6.1 -> Linux 6.8". A value
// that is absent or empty is "none".
std::vector<std::string> changed_values(const NamedValues& then, const NamedValues& now);

// Returns KeptSeries::settings by key.
NamedValues named_settings(const KeptSeries& series);

// True of a value of a trial that could not run on that machine, such as one without a GPU.
bool is_skipped(const KeptValue& value);

// A series has ended after this many nights without it, though none of its name goes on.
inline constexpr std::size_t kNightsWithout = 10;

struct SeriesEnd {
  std::size_t night = 0;  // the first one without it
  // A series of its name with other settings goes on from that night.
  bool goes_on = false;
  // The settings that are otherwise in it, as changed_values() has them; empty where nothing goes
  // on, or where an older version kept one of both.
  std::vector<std::string> changed = {};
  // The sets of the nights since then do not hold it.
  bool out_of_set = false;
};

// The values of one night, by series' digest.
using ValuesOfNight = std::map<std::string, const KeptValue*>;

class SeriesEnds {
 public:
  // All must outlive this. `left_out` is of the same nights.
  SeriesEnds(const std::map<std::string, KeptSeries>& series,
             const std::vector<ValuesOfNight>& nights, const std::vector<LeftOut>& left_out);
  // Returns nullopt for a canary, and for a series that goes on.
  std::optional<SeriesEnd> find(const std::string& digest) const;
  // True if another series of its name was there in that night.
  bool has_namesake(const std::string& digest, std::size_t night) const;

 private:
  std::vector<std::string> namesakes(const std::string& digest) const;
  std::optional<std::size_t> first_night_after(const std::string& digest, std::size_t night) const;

  std::optional<std::size_t> left_out_from(const std::string& digest, std::size_t last) const;
  std::optional<SeriesEnd> find_successor(const std::string& digest, std::size_t last) const;

  const std::map<std::string, KeptSeries>& series_;
  const std::vector<ValuesOfNight>& nights_;
  const std::vector<LeftOut>& left_out_;
  std::map<std::string, std::size_t> last_;          // the last night that ran it, by digest
  std::multimap<std::string, std::string> by_name_;  // digests but those of canaries
};

}  // namespace benchbench
