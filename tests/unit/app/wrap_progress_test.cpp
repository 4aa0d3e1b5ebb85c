#include "harness/app/wrap/wrap_progress.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "harness/core/child_process.h"

namespace benchbench {
namespace wrap_progress_test {

WrapPlanned planned_with(std::uint32_t rounds, int seconds) {
  WrapPlanned planned;
  planned.rounds = rounds;
  planned.expected = std::chrono::seconds{seconds};
  planned.ends_after = std::chrono::seconds{2 * seconds};
  return planned;
}

WrapStretch stretch_of(WrapKind kind, std::uint32_t round, std::uint64_t samples) {
  WrapStretch stretch;
  stretch.kind = kind;
  stretch.round = round;
  stretch.result.segments = {{0, 500'000'000}, {600'000'000, 1'100'000'000}};
  stretch.result.samples = samples;
  return stretch;
}

void finish_round(WrapProgress& progress, std::uint32_t round) {
  progress.finished(stretch_of(WrapKind::full, round, 803));
  progress.finished(stretch_of(WrapKind::loader, round, 914));
  progress.finished(stretch_of(WrapKind::trainer, round, 906));
}

TEST_CASE(
    "wrap progress: each round but the last has one line, with what is left by the pace so far",
    "[unit][app][wrap]") {
  WrapProgress progress;
  progress.planned(planned_with(3, 30), 100);
  progress.finished(stretch_of(WrapKind::full, 0, 803));
  CHECK(progress.round_line(104).empty());
  progress.finished(stretch_of(WrapKind::loader, 0, 914));
  progress.finished(stretch_of(WrapKind::trainer, 0, 906));
  CHECK(progress.round_line(112) == "round 1 of 3: L 914/s, T 906/s, F 803/s; 24 s left");
  CHECK(progress.round_line(113).empty());
  finish_round(progress, 1);
  CHECK(progress.round_line(130) == "round 2 of 3: L 914/s, T 906/s, F 803/s; 15 s left");
  finish_round(progress, 2);
  CHECK(progress.round_line(145).empty());
}

TEST_CASE("wrap progress: the search tells what it tries, the best so far and what is left",
          "[unit][app][wrap]") {
  WrapProgress progress;
  progress.planned(planned_with(3, 30), 100);  // 60 s at most
  WrapStretch quick = stretch_of(WrapKind::changed_full, 3, 914),
              own = stretch_of(WrapKind::full, 4, 803);
  quick.settings = {{"num_workers", std::int64_t{4}}, {"prefetch_factor", std::int64_t{2}}};
  progress.searched(quick);
  CHECK(progress.search_line(120) ==
        "num_workers=4, prefetch_factor=2: 914/s; best so far 914/s; 40 s left at most");
  progress.searched(own);
  CHECK(progress.search_line(159.5) ==
        "the script's own settings: 803/s; best so far 914/s; 1 s left at most");
}

TEST_CASE("wrap progress: a line that comes late has the rates of its round", "[unit][app][wrap]") {
  WrapProgress progress;
  progress.planned(planned_with(3, 30), 0);
  finish_round(progress, 0);
  progress.finished(stretch_of(WrapKind::full, 1, 555));
  CHECK(progress.round_line(16) == "round 1 of 3: L 914/s, T 906/s, F 803/s; 20 s left");
}

TEST_CASE("wrap progress: what was measured of a loop that was not the training does not count",
          "[unit][app][wrap]") {
  WrapProgress progress;
  progress.planned(planned_with(3, 30), 0);
  progress.finished(stretch_of(WrapKind::full, 0, 803));
  progress.finished(stretch_of(WrapKind::loader, 0, 100));
  progress.planned(planned_with(3, 30), 20);
  progress.finished(stretch_of(WrapKind::trainer, 0, 906));
  CHECK(progress.round_line(23).empty());
  CHECK(progress.line(100, 24).find("L 100") == std::string::npos);
}

TEST_CASE("wrap progress: a round of F alone is one stretch", "[unit][app][wrap]") {
  WrapProgress progress;
  WrapPlanned planned = planned_with(3, 30);
  planned.kinds = "F";
  progress.planned(planned, 0);
  progress.finished(stretch_of(WrapKind::full, 0, 803));
  CHECK(progress.round_line(10) == "round 1 of 3: F 803/s; 20 s left");
}

TEST_CASE("wrap progress: no more is left than until the script is stopped", "[unit][app][wrap]") {
  WrapProgress progress;
  progress.planned(planned_with(10, 30), 0);
  finish_round(progress, 0);
  CHECK(progress.round_line(20) == "round 1 of 10: L 914/s, T 906/s, F 803/s; 40 s left");
}

TEST_CASE("wrap progress: rounds that may end sooner have a most", "[unit][app][wrap]") {
  WrapProgress progress;
  WrapPlanned planned = planned_with(10, 60);
  planned.until_settled = true;
  progress.planned(planned, 0);
  finish_round(progress, 0);
  CHECK(progress.round_line(12) == "round 1 of 10: L 914/s, T 906/s, F 803/s; 48 s left at most");
}

TEST_CASE(
    "wrap progress: the redrawn line has the round, the stretch, its phase and the rates so far",
    "[unit][app][wrap]") {
  WrapProgress progress;
  progress.planned(planned_with(5, 60), 0);
  progress.measures("fetching", WrapKind::trainer, 0);
  CHECK(progress.line(100, 6.5) == "[ 1/15] round 1 of 5 trainer, fetching  |  54 s left");
  progress.finished(stretch_of(WrapKind::trainer, 0, 906));
  progress.measures("measuring", WrapKind::loader, 0);
  CHECK(progress.line(100, 10.5) ==
        "[ 2/15] round 1 of 5 loader, measuring  |  T 906  |  50 s left");
}

TEST_CASE(
    "wrap progress: the round that is shown is that of the stretch, "
    "and no more stretches than there are",
    "[unit][app][wrap]") {
  WrapProgress progress;
  progress.planned(planned_with(2, 60), 0);
  progress.measures("fetching", WrapKind::full, 1);
  CHECK(progress.line(100, 6).starts_with("[1/6] round 2 of 2 pipeline"));
  progress.measures("fetching", WrapKind::full, std::nullopt);
  finish_round(progress, 0);
  CHECK(progress.line(100, 30) ==
        "[4/6] round 1 of 2 pipeline, fetching  |  L 914  T 906  F 803  |  30 s left");
  finish_round(progress, 1);
  CHECK(progress.line(100, 60).starts_with("[6/6] round 2 of 2"));
}

TEST_CASE(
    "wrap progress: with --try a round is five stretches, "
    "and its line has the rates of both copies",
    "[unit][app][wrap]") {
  WrapProgress progress;
  WrapPlanned planned = planned_with(2, 50);
  planned.changed.emplace();
  progress.planned(planned, 0);
  progress.measures("measuring", WrapKind::changed_full, 0);
  CHECK(progress.line(100, 10) == "[ 1/10] round 1 of 2 --try pipeline, measuring  |  40 s left");
  progress.measures("measuring", WrapKind::full, 0);
  CHECK(progress.line(100, 10).find("--try") == std::string::npos);
  finish_round(progress, 0);
  CHECK(progress.round_line(20).empty());
  progress.finished(stretch_of(WrapKind::changed_loader, 0, 1914));
  progress.finished(stretch_of(WrapKind::changed_full, 0, 853));
  CHECK(progress.round_line(20) ==
        "round 1 of 2: L 914/s, T 906/s, F 803/s, with --try L 1,914/s, F 853/s; 20 s left");
}

// What a program prints that runs until its standard input ends.
bool is_beside_us(int output, int errors) {
  Pipe input = make_pipe();
  ChildProcess child({.program = "/bin/cat",
                      .arguments = {},
                      .environment = {},
                      .descriptors = {{0, input.read.get()}, {1, output}, {2, errors}}});
  const bool beside = prints_beside_us(child.pid());
  input.write.close();
  child.await_end();
  return beside;
}

TEST_CASE(
    "wrap progress: a process that prints where we do is seen, "
    "by whatever name it has the terminal",
    "[unit][app][wrap]") {
  const Descriptor elsewhere(::memfd_create("elsewhere", MFD_CLOEXEC));
  CHECK_FALSE(is_beside_us(elsewhere.get(), elsewhere.get()));
  CHECK(is_beside_us(STDERR_FILENO, elsewhere.get()));
  CHECK(is_beside_us(elsewhere.get(), STDERR_FILENO));
  // It is of /dev/tty's family, and there without a terminal.
  const Descriptor by_other_name(::open("/dev/ptmx", O_RDWR | O_CLOEXEC | O_NOCTTY));
  CHECK(is_beside_us(by_other_name.get(), elsewhere.get()));
  CHECK_FALSE(prints_beside_us(0));  // of no process anything is open
}

}  // namespace wrap_progress_test
}  // namespace benchbench
