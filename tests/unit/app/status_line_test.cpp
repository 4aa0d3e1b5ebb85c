// The line that is drawn over and over, on a terminal and elsewhere.
#include "harness/app/status_line.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "harness/core/descriptor.h"
#include "tests/unit/app/standard_error.h"

namespace benchbench::status_line_test {
namespace {

using std::chrono::milliseconds;
constexpr StatusPace kAlways{.redraw = milliseconds{0}, .print = milliseconds{0}};
constexpr std::chrono::hours kNever{1};

// Returns what a terminal of so many columns is sent while `work` runs.
template <class Work>
std::string on_terminal(unsigned short columns, Work work) {
  const Descriptor ours(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE((::grantpt(ours.get()) == 0 && ::unlockpt(ours.get()) == 0));
  const Descriptor terminal(::open(::ptsname(ours.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  const winsize size{24, columns, 0, 0};
  REQUIRE(::ioctl(terminal.get(), TIOCSWINSZ, &size) == 0);
  const int before = ::dup(STDERR_FILENO);
  std::fflush(stderr);
  ::dup2(terminal.get(), STDERR_FILENO);
  work();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  char sent[512];
  const ssize_t n = ::read(ours.get(), sent, sizeof sent);
  return n > 0 ? std::string(sent, static_cast<std::size_t>(n)) : "";
}

}  // namespace

TEST_CASE(
    "status line: a terminal's line is drawn over, cut to its width, and taken away at the end",
    "[unit][app]") {
  const std::string sent = on_terminal(70, [] {
    StatusLine line(kAlways);
    CHECK(line.is_on_terminal());
    line.show("making it");
    line.show(std::string(90, 'x'));
  });
  CHECK(sent.starts_with("\rmaking it\x1b[K\r" + std::string(68, 'x')));
  CHECK(sent.find(std::string(69, 'x')) == std::string::npos);
  CHECK(sent.ends_with("\x1b[K\r\x1b[K"));
}

TEST_CASE("status line: elsewhere it is a line whatever its width, and nothing is taken away",
          "[unit][app]") {
  const std::string text = test::on_standard_error([] {
    StatusLine line(kAlways);
    CHECK_FALSE(line.is_on_terminal());
    line.show(std::string(150, 'x'));
    line.show("done");
  });
  CHECK(text == std::string(150, 'x') + "\ndone\n");
}

TEST_CASE("status line: a text is made only where it is due", "[unit][app]") {
  int made = 0;
  const auto make = [&](std::size_t) { return std::to_string(++made); };
  const std::string text = test::on_standard_error([&] {
    StatusLine late({.redraw = kNever, .print = kNever}), silent({.silence = kNever}),
        terminal_only({.redraw = {}, .print = {}});
    for (StatusLine* line : {&late, &late, &silent, &terminal_only}) line->show(make);
  });
  CHECK(text == "1\n");
  CHECK(made == 1);
}

TEST_CASE("status line: elsewhere the last line is the final state, if any was printed",
          "[unit][app]") {
  const auto said = [](StatusPace pace) {
    return test::on_standard_error([pace] {
      StatusLine line(pace);
      for (const char* text : {"1 of 3", "2 of 3", "3 of 3"}) line.show(text);
    });
  };
  CHECK(said({.redraw = kNever, .print = kNever}) == "1 of 3\n3 of 3\n");
  CHECK(said(kAlways) == "1 of 3\n2 of 3\n3 of 3\n");
  CHECK(said({.silence = kNever}).empty());
}

TEST_CASE("status line: none shows anything while all are hidden", "[unit][app]") {
  const std::string text = test::on_standard_error([] {
    StatusLine line(kAlways);
    StatusLine::hide_all();
    line.show("hidden");
    StatusLine::hide_all(false);
    line.show("shown");
  });
  CHECK(text == "shown\n");
}

TEST_CASE("status line: how many samples are done", "[unit][app]") {
  const StatusLine line;
  CHECK(line.count_samples(0, 99, 0) == "0 of 99 samples, 0 B");
  CHECK(line.count_samples(12, 99, 2048).starts_with("12 of 99 samples, 2"));
}

}  // namespace benchbench::status_line_test
