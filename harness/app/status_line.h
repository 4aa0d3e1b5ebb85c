// The line on standard error that says how far something is: drawn over and over on a terminal, a
// line now and then elsewhere.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/core/units.h"

namespace benchbench {

// The times between two shows of a status line.
struct StatusPace {
  std::chrono::milliseconds redraw{150};  // on a terminal
  std::optional<std::chrono::milliseconds> print{
      std::chrono::seconds{5}};          // elsewhere; none: never
  std::chrono::milliseconds silence{0};  // at the begin, nothing is shown
};

// One thread. Never throws for the stream. The end of the object takes the line away; elsewhere
// than on a terminal it prints the last text given, where an earlier one was printed.
class StatusLine {
 public:
  // Returns a line of at most so many columns.
  using Text = std::function<std::string(std::size_t width)>;

  explicit StatusLine(StatusPace pace = {});
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Until it is taken back no line shows anything: --quiet. One thread, before any other is there.
  static void hide_all(bool hidden = true) noexcept;

  bool is_on_terminal() const noexcept { return terminal_; }
  // Shows the text where it is due: `make` is not called otherwise.
  void show(const Text& make);
  void show(const std::string& text);  // cut to the width
  // False: no text was due yet.
  bool has_shown() const noexcept { return last_.has_value(); }
  // Takes the drawn line away, before anything else is printed.
  void clear();
  // "12 of 99 samples, 1.2 MB, 3 s left": what is left by the pace since the line began.
  std::string count_samples(std::uint64_t done, std::uint64_t all, std::uint64_t bytes) const;
  double seconds() const { return seconds_since(start_); }  // since it began

 private:
  using Clock = std::chrono::steady_clock;
  bool is_due() const;

  const StatusPace pace_;
  const bool terminal_;
  bool drawn_ = false;
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> last_;  // when it was shown
  std::string not_shown_;                  // the last text, where it was not due
};

}  // namespace benchbench
