// Nights of one series, in order -> its changes, each told once.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/components/stage_growth.h"
#include "harness/analysis/history/look.h"

namespace benchbench {

// Of one series. Indices are those of the nights that were given.
struct Alert {
  ChangeKind kind = ChangeKind::step;
  std::size_t first = 0;        // the first changed night; of a drift the first night of the line
  std::size_t last_before = 0;  // of a step: the last judged night before it
  std::size_t told = 0;         // the night that showed it first
  std::size_t last = 0;         // of a drift: the last night of the line
  double ratio = 1;  // value after over before, below 1 is worse; of a drift last over first
  // The stage that moved, in ms per step, after - before: moved_stage.h; nullopt where none clearly
  // did, or none was looked for.
  std::optional<StageGrowth> stage = {};
  bool worse() const noexcept { return ratio < 1; }
};

// What is known of one night of one series.
struct SeriesNight {
  // Logarithm of the value, oriented so that higher is better; nullopt: no usable value, not
  // judged.
  std::optional<double> log;
  bool machine_changed = false;  // its canaries moved: not judged
  // The canaries' new level has lasted: nights before are not compared with this one.
  bool new_machine = false;
  // By how much, as a logarithm, the value may have been higher; above 0 the night is a wide one.
  double width = 0;
};

// The judge of one series, a night at a time: a look over at most kHistoryWindow judged nights
// since the last change. A step, or two, that turn out to be parts of a drift become that one
// alert.
class SeriesJudge {
 public:
  void add(const SeriesNight& night);
  const std::vector<Alert>& alerts() const noexcept { return alerts_; }
  // Judged nights since the last change or new machine: under kLearningNights nothing can be said
  // yet.
  std::size_t judged() const noexcept { return logs_.size() - level_; }

 private:
  void begin_anew();
  bool revised(const std::optional<FoundChange>& found);
  void tell(const FoundChange& found);
  void tell_drift(double ratio, std::size_t first);
  void begin_after_drift();

  std::vector<double> logs_, widths_;  // of judged nights since the last new machine
  std::vector<std::size_t> nights_;    // their indices
  std::vector<Alert> alerts_;
  std::size_t level_ = 0;   // in logs_: the first night of this level
  std::size_t before_ = 0;  // the first night of the level before it
  std::size_t given_ = 0;
  // The last change reported was a drift, and this level begins behind its line.
  bool after_drift_ = false;
};

}  // namespace benchbench
