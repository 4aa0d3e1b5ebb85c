// What a history keeps of a run: the medians of its points' rates, and what it ran on. A value; no
// statistics.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace benchbench {

// One metric of one point: what is followed from night to night.
struct KeptSeries {
  std::string scenario;  // its name
  std::string point;     // Point::name()
  // "loader_rate", "trainer_rate", "pipeline_rate": samples/s, higher is better.
  std::string metric;
  bool canary = false;  // its run is labelled so: it tells of the machine
  // Those that the digest is made from, "key=value" a line; empty where an older version kept it.
  std::string settings = {};
  // "quickstart/base/pipeline_rate"
  std::string name() const { return scenario + "/" + point + "/" + metric; }
  bool operator==(const KeptSeries&) const = default;
};

struct KeptValue {
  std::string series;  // digest: of scenario, point's settings, metric, canary's label
  // Over its VALID rounds, samples/s; where they are fewer than half, over the NOISY ones that may
  // have been faster, too; 0: these are fewer than half as well.
  double median = 0;
  std::uint32_t rounds = 0;  // VALID ones
  // By how much, as a logarithm, the value may have been higher; 0 where half of the rounds were
  // VALID.
  double width = 0;
  // Why fewer than half of the rounds were VALID, one line; empty where they were not fewer, or
  // where an older version kept it. It begins with a rule, "R09 neighbours in 3 of 3 rounds: ...",
  // or with a status.
  std::string reason = {};

  bool is_wide() const noexcept { return width > 0; }
  bool operator==(const KeptValue&) const = default;
};

// Other data under the same path are the same series: how many samples there are tells them apart.
inline constexpr const char* kDataPrefix = "data of ";

struct KeptRun {
  std::string folder;        // its name, without the path
  std::string started_at;    // ISO 8601 UTC, of its first record
  std::string machine;       // Environment::machine
  std::string machine_text;  // "AMD EPYC 7B13, 8 cores"
  std::vector<std::pair<std::string, std::string>> labels;
  // "kernel" -> "Linux 6.1": what may change without the machine, and kDataPrefix with the
  // scenario's name -> "2,048 samples".
  std::vector<std::pair<std::string, std::string>> surroundings;
  std::vector<KeptValue> values;
  // Of the journal that this was read from: another size or time, and it is read again.
  std::uint64_t journal_bytes = 0;
  std::int64_t journal_time_ns = 0;

  // The label `night`, else the date it started.
  std::string night() const {
    for (const auto& [key, value] : labels)
      if (key == "night") return value;
    return started_at.substr(0, 10);
  }
};

struct KeptHistory {
  std::map<std::string, KeptSeries> series;  // by digest
  std::vector<KeptRun> runs;
};

}  // namespace benchbench
