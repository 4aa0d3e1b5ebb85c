// The use of the CPUs by others, from texts of /proc/stat and times that are made up.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "harness/trial/readings/resources.h"

namespace benchbench::shared_cpus_test {
namespace {

using Cpus = std::vector<int>;

// Ticks of user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice. No program had
// 400 + 50 + 6 + 7 + 8 = 471 of CPU 0, 1005 of CPU 1 and 3 of CPU 10.
const std::string kStat =
    "cpu  9999 0 0 9999 0 0 0 0 0 0\n"
    "cpu0 100 20 30 400 50 6 7 8 9 10\n"
    "cpu1 1 2 3 1000 5 0 0 0 0 0\n"
    "cpu10 700 0 0 3 0 0 0 0 0 0\n"
    "intr 123 4 5\n"
    "ctxt 678\n";

// Two CPUs, read `at` s after the machine began.
SharedCpus reading(double at, double spare, double own) {
  SharedCpus r;
  r.at_s = at, r.spare_s = spare, r.own_s = own;
  r.cpus = {0, 1};
  return r;
}

}  // namespace

TEST_CASE("shared cpus: spare time is that of the CPUs that may be used, and of each column of it",
          "[unit][trial]") {
  CHECK(spare_ticks(kStat, Cpus{0}) == 471u);
  CHECK(spare_ticks(kStat, Cpus{1}) == 1005u);
  CHECK(spare_ticks(kStat, Cpus{0, 1}) == 1476u);
  CHECK(spare_ticks(kStat, Cpus{10}) == 3u);
  CHECK(spare_ticks(kStat, Cpus{0, 1, 10}) == 1479u);
}

TEST_CASE("shared cpus: a text without one of the CPUs, or cut short, says nothing",
          "[unit][trial]") {
  CHECK_FALSE(spare_ticks(kStat, Cpus{}));
  CHECK_FALSE(spare_ticks(kStat, Cpus{0, 2}));
  CHECK_FALSE(spare_ticks("", Cpus{0}));
  CHECK_FALSE(spare_ticks("cpu0 1 2 3\n", Cpus{0}));  // before there were such columns
  // Half of a number reads as a smaller one.
  const std::string cut = kStat.substr(0, kStat.find("cpu1 1 2 3 1000") + 13);
  CHECK(spare_ticks(cut, Cpus{0}) == 471u);
  CHECK_FALSE(spare_ticks(cut, Cpus{0, 1}));
}

TEST_CASE("shared cpus: others had what is neither spare nor ours", "[unit][trial]") {
  // 4 s of two CPUs are 8 s: 3 of them spare, 2.5 ours.
  const SharedUse use = used_between(reading(10, 12, 5), reading(14, 15, 7.5));
  CHECK(use.span_s == Approx(4));
  CHECK(use.others_s.value() == Approx(2.5));
  CHECK_FALSE(use.run_delay_most_s);
  // Ours had all that there is, and no other program any.
  CHECK(used_between(reading(10, 12, 5), reading(14, 12, 13)).others_s.value() == Approx(0));
}

TEST_CASE("shared cpus: of other CPUs, or of counters that step back, nothing is known",
          "[unit][trial]") {
  SharedCpus before = reading(10, 12, 5), after = reading(14, 15, 7.5);
  after.cpus = {0};
  CHECK_FALSE(used_between(before, after).others_s);
  after.cpus = {0, 2};
  CHECK_FALSE(used_between(before, after).others_s);
  CHECK_FALSE(used_between(before, reading(14, 11, 7.5)).others_s);
  CHECK(used_between(before, reading(14, 11.95, 7.5)).others_s.value() == Approx(5.5));
  before.spare_s.reset();
  CHECK_FALSE(used_between(before, reading(14, 15, 7.5)).others_s);
}

TEST_CASE("shared cpus: the wait for a core is that of the thread that waited longest in the span",
          "[unit][trial]") {
  SharedCpus before = reading(10, 12, 5), after = reading(14, 15, 7.5);
  before.run_delays = {{1, 5'000'000'000}, {2, 1'000'000'000}, {3, 9'000'000'000}};
  // The first waited for 1 s more, the second ended, the third's number is another thread's by now,
  // the fourth began.
  after.run_delays = {{1, 6'000'000'000}, {3, 250'000'000}, {4, 500'000'000}};
  before.reader = after.reader = 4;
  CHECK(used_between(before, after).run_delay_most_s.value() == Approx(1));
  CHECK(used_between(before, after).run_delay_reader_s.value() == Approx(0.5));
  before.reader = 1;  // another thread read the first time
  CHECK_FALSE(used_between(before, after).run_delay_reader_s);
  before.run_delays.clear();
  CHECK_FALSE(used_between(before, after).run_delay_most_s);
}

TEST_CASE("shared cpus: a window has its part of what was read around it", "[unit][trial]") {
  const SharedUse use{4, 2.5, 1, 0.25};
  CHECK(scaled_to(use, 2).others_s.value() == Approx(1.25));
  CHECK(scaled_to(use, 2).run_delay_most_s.value() == Approx(0.5));
  CHECK(scaled_to(use, 2).run_delay_reader_s.value() == Approx(0.125));
  CHECK(scaled_to(use, 8).others_s.value() == Approx(5));
  CHECK_FALSE(scaled_to(use, 8.1).others_s);
  CHECK_FALSE(scaled_to(use, 8.1).run_delay_most_s);
  CHECK_FALSE(scaled_to({}, 1).others_s);
  CHECK(scaled_to({4, -0.01}, 4).others_s == 0.0);  // what ticks leave
}

TEST_CASE("shared cpus: segments add up, and the ticks of one even out in the next",
          "[unit][trial]") {
  const SharedUse sum = SharedUse{1, -0.01, 0.5} + SharedUse{3, 0.41, 0.5};
  CHECK(sum.span_s == Approx(4));
  CHECK(sum.others_s.value() == Approx(0.4));
  CHECK(sum.run_delay_most_s.value() == Approx(1));
  CHECK_FALSE((SharedUse{1, 1, 0.5} + SharedUse{1, {}, 0.5}).others_s);
  CHECK_FALSE((SharedUse{1, 1, 0.5} + SharedUse{1, 1}).run_delay_most_s);
}

// Between a window's slow reading and its begin are steps that are not counted.
TEST_CASE("shared cpus: reading our CPU time again leaves the instant of the others' alone",
          "[unit][trial]") {
  ResourceCounters read;
  read.shared = reading(10, 12, 5);
  read_cpu_times(read);
  CHECK(read.cpu_user_s + read.cpu_system_s > 0);
  ResourceCounters end = read;
  end.shared = reading(14, 15, 7.5);
  end.cpu_user_s += 1;  // of the 2.5 s since the slow reading the others were uncounted
  const ResourceUse use = used_between(read, end);
  REQUIRE(use.shared);
  CHECK(use.shared->others_s.value() == Approx(2.5));
  CHECK((use + use).shared->others_s.value() == Approx(5));
}

}  // namespace benchbench::shared_cpus_test
