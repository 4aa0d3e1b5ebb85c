// Tells how far the measuring of a wrapped script is, on standard error.
//
// The terminal is the script's, and where its cursor stands is not known: a line that is redrawn is
// for a script whose own output goes elsewhere. Otherwise there is a line a round, below an empty
// one where the script's stands at a line's begin: a progress bar mostly does not.
#pragma once
#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "harness/app/status_line.h"
#include "harness/app/wrap/schedule/round_schedule.h"
#include "harness/app/wrap/wrap_options.h"
#include "harness/core/units.h"
#include "harness/report/terminal/progress_line.h"

namespace benchbench {

// What is told, as text. Times are seconds of any clock.
class WrapProgress {
 public:
  void planned(const WrapPlanned& planned, double now);
  void measures(const std::string& phase, std::optional<WrapKind> kind,
                std::optional<std::uint32_t> round);
  void finished(const WrapStretch& stretch);
  // "round 1 of 5: L 914/s, T 906/s, F 803/s; 40 s left": of the round that is complete since the
  // last call, else empty. The last round has none: the report follows.
  std::string round_line(double now);
  // A stretch of the search for other settings, after the rounds.
  void searched(const WrapStretch& stretch);
  // "num_workers=2, prefetch_factor=1: 262/s; best so far 265/s; 75 s left at most".
  std::string search_line(double now) const;
  // Returns the line that is drawn over and over.
  std::string line(std::size_t width, double now);

 private:
  double left(double now) const;
  const std::optional<double>& of(WrapKind kind) const {
    return rates_[static_cast<std::size_t>(kind)];
  }

  Progress state_;
  using Rates = std::array<std::optional<double>, kWordsOf<WrapKind>.size()>;
  Rates rates_, of_round_;  // the latest of each kind; those of the last round that is complete
  std::uint32_t kinds_ = 3, done_ = 0, told_ = 0;  // stretches of a round; stretches; rounds
  std::string tried_;  // of the search: the last settings; how fast they and the best were
  double tried_rate_ = 0, best_rate_ = 0;
  bool until_settled_ = false;
  bool changed_ = false;  // the stretch that runs is of the changed copy
  double begin_ = 0, expected_ = 0, most_ = 0;
};

// Prints it. Of `pid`, the process that is measured, is known whether its output is on the terminal
// as well.
class WrapTeller {
 public:
  void connected(const WrapHello& process);
  void warms_up(const WrapRequest& request, int pid);
  // A line's end, where what the script prints may stand before ours; else empty.
  const std::string& apart() const noexcept { return apart_; }
  void planned(const WrapRequest& request, const WrapPlanned& planned, int pid);
  // Another process with a loop; `after`: the measured one has ended.
  void left_alone(int pid, const WrapLoader& loader, bool after);
  void measures(const std::string& phase, std::optional<WrapKind> kind,
                std::optional<std::uint32_t> round);
  void finished(const WrapStretch& stretch);
  // One of the search, after all rounds: a line now and then, and nothing that is redrawn.
  void searched(const WrapStretch& stretch);
  // Takes the redrawn line away, before anything else is printed.
  void clear() { line_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  double now() const { return seconds_since(start_); }
  void draw();

  WrapProgress progress_;
  StatusLine line_{{.redraw = std::chrono::milliseconds{200}, .print = {}}};
  std::string apart_;
  bool redraws_ = false, quiet_ = true, warms_up_ = false;
  const Clock::time_point start_ = Clock::now();
  double last_ = -1e9;  // when something was printed
};

// Whether what that process prints goes where our standard error goes.
bool prints_beside_us(int pid);

}  // namespace benchbench
