#include "harness/app/run/making_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "harness/app/output_file.h"
#include "harness/app/tell.h"
#include "harness/core/units.h"
#include "harness/report/formats.h"
#include "harness/report/terminal/display_text.h"

namespace benchbench {

MakingProgress::MakingProgress(std::string doing)
    : doing_(std::move(doing)), terminal_(::isatty(STDERR_FILENO)) {}

MakingProgress::~MakingProgress() {
  if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
}

void MakingProgress::show(std::uint64_t done, std::uint64_t all, std::uint64_t bytes) {
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const double left =
      done ? elapsed * static_cast<double>(all - done) / static_cast<double>(done) : 0;
  print(fmt::format(
      "{}: {} of {} samples, {}{}", doing_, done, all, human_bytes(static_cast<double>(bytes)),
      done && elapsed > 0.5 ? fmt::format(", {} left", human_duration(from_seconds(left))) : ""));
}

void MakingProgress::print(const std::string& line) {
  const auto now = Clock::now();
  const auto every = terminal_ ? std::chrono::milliseconds{150} : std::chrono::milliseconds{5000};
  if (shown_ && now - last_ < every) return;
  last_ = now;
  shown_ = true;
  if (terminal_)
    draw(fmt::format("\r\033[K{}",
                     cut_to_width(line, output_width(stderr).value_or(kPipeWidth) - 1)));
  else
    tell(fmt::format("{}\n", line));
  std::fflush(stderr);
}

}  // namespace benchbench
