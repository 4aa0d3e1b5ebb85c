#include "harness/app/status_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "harness/app/output_file.h"
#include "harness/app/tell.h"
#include "harness/core/units.h"
#include "harness/report/text/display_text.h"
#include "harness/report/text/formats.h"

namespace benchbench {
namespace {

constexpr double kPaceKnownAfter = 0.5;  // s: too few samples to know how long the rest takes

bool all_hidden = false;

// One column less than there are: a full line makes some terminals move on to the next one.
std::size_t columns() { return output_width(stderr).value_or(kPipeWidth) - 1; }

}  // namespace

StatusLine::StatusLine(StatusPace pace) : pace_(pace), terminal_(::isatty(STDERR_FILENO)) {}

void StatusLine::hide_all(bool hidden) noexcept { all_hidden = hidden; }

bool StatusLine::is_due() const {
  if (all_hidden) return false;
  const auto now = Clock::now();
  if (now - start_ < pace_.silence) return false;
  const auto every = terminal_ ? pace_.redraw : pace_.print;
  return every && (!last_ || now - *last_ >= *every);
}

void StatusLine::show(const Text& make) {
  if (!is_due()) return;
  last_ = Clock::now();
  drawn_ = terminal_;
  if (terminal_)
    std::fputs(fmt::format("\r{}\x1b[K", make(columns())).c_str(), stderr);
  else
    tell("{}\n", make(std::string::npos));
  std::fflush(stderr);
}

void StatusLine::show(const std::string& text) {
  not_shown_ = text;
  show([&](std::size_t width) {
    not_shown_.clear();
    return terminal_ ? cut_to_width(text, width) : text;
  });
}

StatusLine::~StatusLine() {
  clear();
  if (!terminal_ && has_shown() && !not_shown_.empty()) tell("{}\n", not_shown_);
}

void StatusLine::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

std::string StatusLine::count_samples(std::uint64_t done, std::uint64_t all,
                                      std::uint64_t bytes) const {
  std::string text =
      fmt::format("{} of {} samples, {}", done, all, human_bytes(static_cast<double>(bytes)));
  if (done == 0 || done == all || seconds() <= kPaceKnownAfter) return text;
  const double left = seconds() * static_cast<double>(all - done) / static_cast<double>(done);
  return fmt::format("{}, {} left", text, human_duration(from_seconds(left)));
}

}  // namespace benchbench
