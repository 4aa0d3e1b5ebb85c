#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/cpu_limit.h"
#include "harness/trial/probes/sampler.h"
#include "tests/at_most.h"
#include "tests/skip.h"
#include "tests/unit/dataset/places.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::probes_test {
namespace {

using test::TemporaryFolder;
using test::write_text;

const ProbeRow& row(std::string_view name) {
  for (const ProbeRow& r : probe_rows())
    if (r.name == name) return r;
  throw std::runtime_error("no such probe");
}

// A machine made of files.
class Machine {
 public:
  Machine() { context_.root = folder_.path(); }
  Machine& has(const std::string& path, const std::string& text) {
    write_text(folder_.path(path), text);
    return *this;
  }
  ProbeContext& context() { return context_; }
  std::string path(const std::string& below) const { return folder_.path(below); }

  // The probe's first sample; nullopt where it is not available, with why.
  std::optional<std::int64_t> first(std::string_view name) {
    why.clear();
    const auto probe = row(name).make(context_, why);
    return probe ? probe->sample() : std::nullopt;
  }
  std::string why;

 private:
  TemporaryFolder folder_;
  ProbeContext context_;
};

const ProbeFacts& fact(const std::vector<ProbeFacts>& all, std::string_view name) {
  return *std::find_if(all.begin(), all.end(), [&](const ProbeFacts& p) { return p.name == name; });
}

TimePoint at(double seconds) {
  return TimePoint{Nanoseconds{static_cast<std::int64_t>(seconds * 1e9)}};
}

// So many segments, each with the sample that ends it.
void segments(ProbeSampler& sampler, int count) {
  for (int i = 0; i < count; ++i) {
    sampler.begin_segment();
    sampler.end_segment();
  }
}

}  // namespace

TEST_CASE("probes: a file that the kernel hands over a page at a time is read to its end",
          "[unit][trial]") {
  KernelFile maps("/proc/self/smaps");  // some 20 lines for each of at least ten mappings
  if (!maps.why().empty()) BENCHBENCH_SKIP(maps.why());
  CHECK(maps.text(1).size() > 8192);
}

TEST_CASE("probes: what the kernel's files say", "[unit][trial]") {
  Machine machine;
  machine.has("proc/loadavg", "0.50 0.40 0.30 3/345 6789\n")
      .has("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3\n")
      .has("proc/self/statm", "900 7 3 2 0 5 0\n")
      .has("proc/self/io",
           "rchar: 111\nwchar: 5\nsyscr: 1\nsyscw: 2\nread_bytes: 222\nwrite_bytes: 333\n")
      .has("proc/net/dev",
           "Inter-| Receive | Transmit\n face |bytes packets|bytes packets\n"
           "    lo: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n"
           "  eth0: 30 1 0 0 0 0 0 0 40 1 0 0 0 0 0 0\n  eth1: 5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0\n")
      .has("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=17\n")
      .has("proc/pressure/io",
           "some avg10=1.00 avg60=0.50 avg300=0.10 total=18\nfull avg10=0 total=1\n")
      .has("proc/self/task/77/schedstat", "123456 654 12\n");
  machine.context().trainer_thread = 77;
  CHECK(machine.first("runnable") == 3);
  CHECK(machine.first("steal") == 8 * 1000000000ll / sysconf(_SC_CLK_TCK));
  CHECK(machine.first("memory") == 7 * sysconf(_SC_PAGESIZE));
  CHECK(machine.first("bytes_asked") == 111);
  CHECK(machine.first("bytes_read") == 222);
  CHECK(machine.first("bytes_written") == 333);
  CHECK(machine.first("network_received") == 35);
  CHECK(machine.first("network_sent") == 46);
  CHECK(machine.first("pressure_cpu") == 17000);
  CHECK(machine.first("pressure_io") == 18000);
  CHECK(machine.first("run_delay") == 654);
  CHECK(machine.first("faults_minor").value() > 0);
}

TEST_CASE("probes: CPU time that any program had steps back by no tick", "[unit][trial]") {
  const std::int64_t tick = 1000000000ll / sysconf(_SC_CLK_TCK);
  // A text in which no program had any of the CPUs for `spare` ticks.
  const auto stat = [](std::int64_t spare) {
    std::string text = "cpu  1 2 3 4 5 6 7 8 9 10\n";
    for (const int cpu : allowed_cpus())
      text += fmt::format("cpu{} 1 2 3 {} 0 0 0 0 0 0\n", cpu, spare);
    return text;
  };
  const auto cpus = static_cast<std::int64_t>(allowed_cpus().size());
  Machine machine;
  machine.has("proc/stat", stat(0));
  const auto probe = row("cpu_busy").make(machine.context(), machine.why);
  REQUIRE(probe);
  const std::int64_t all = probe->sample().value();  // since the machine began
  CHECK(all > 0);
  machine.has("proc/stat", stat(all / tick));
  machine.context().files.next_tick();
  CHECK(probe->sample() == all);
  Machine half;
  half.has("proc/stat", stat(all / cpus / 2 / tick));
  const std::int64_t busy = half.first("cpu_busy").value();
  CHECK(busy >= all - all / 2);
  Machine without;
  without.has("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\n");
  CHECK_FALSE(without.first("cpu_busy"));
  CHECK(without.why.find("proc/stat does not report it") != std::string::npos);
}

TEST_CASE("probes: memory of the machine that is not available to new programs", "[unit][trial]") {
  Machine machine;
  machine.has("proc/meminfo",
              "MemTotal:        1000 kB\nMemFree:          100 kB\nMemAvailable:     700 kB\n");
  CHECK(machine.first("host_memory") == 300 * 1024);
  Machine without;
  // Kernels before 3.14.
  without.has("proc/meminfo", "MemTotal:        1000 kB\nMemFree:          100 kB\n");
  CHECK_FALSE(without.first("host_memory"));
}

TEST_CASE("probes: control groups of both versions, and from inside a container", "[unit][trial]") {
  SECTION("v1") {
    Machine machine;
    machine.has("proc/self/cgroup", "4:memory:/a\n1:cpu,cpuacct:/a/b\n")
        .has("sys/fs/cgroup/cpu/a/b/cpu.stat",
             "nr_periods 1\nnr_throttled 1\nthrottled_time 5000000\n")
        .has("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 1\nthrottled_time 1\n")
        .has("sys/fs/cgroup/memory/a/tasks", "77\n")
        .has("sys/fs/cgroup/memory/a/memory.stat",
             "cache 900\nrss 1\ntotal_cache 900\ntotal_rss 300\ntotal_shmem 20\n")
        .has("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4096\n");
    CHECK(machine.first("group_memory_used") == 320);
    CHECK(machine.first("throttled") == 5000000);
    CHECK(machine.first("group_memory") == 4096);
    CHECK_FALSE(machine.first("group_pressure_cpu"));  // v1 has none
    CHECK(machine.why == "this process is in no such cgroup");
  }
  SECTION("v2") {
    Machine machine;
    machine.has("proc/self/cgroup", "0::/x\n")
        .has("sys/fs/cgroup/x/cgroup.type", "domain\n")
        .has("sys/fs/cgroup/x/cpu.stat", "usage_usec 1\nthrottled_usec 7\n")
        .has("sys/fs/cgroup/x/memory.current", "8192\n")
        .has("sys/fs/cgroup/x/memory.stat", "anon 5000\nfile 3000\nshmem 40\ninactive_file 2960\n")
        .has("sys/fs/cgroup/x/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\n");
    CHECK(machine.first("throttled") == 7000);
    CHECK(machine.first("group_memory") == 8192);
    CHECK(machine.first("group_memory_used") == 5040);
    CHECK(machine.first("group_pressure_cpu") == 12000);
  }
  SECTION("a path that only the host sees: the mount is our group") {
    Machine machine;
    machine.has("proc/self/cgroup", "0::/host/only\n")
        .has("sys/fs/cgroup/cpu.stat", "usage_usec 1\nthrottled_usec 9\n");
    CHECK(machine.first("throttled") == 9000);
  }
  SECTION("the root group's pressure is the machine's, not ours") {
    Machine machine;
    machine.has("proc/self/cgroup", "0::/\n")
        .has("sys/fs/cgroup/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\n");
    CHECK_FALSE(machine.first("group_pressure_cpu"));
    CHECK(machine.why == "this process is in the root cgroup, which is the whole machine");
  }
  SECTION("so is its memory, of both versions") {
    Machine v2;
    v2.has("proc/self/cgroup", "0::/\n")
        .has("sys/fs/cgroup/memory.stat", "anon 5000\nfile 3000\nshmem 40\n");
    CHECK_FALSE(v2.first("group_memory_used"));
    CHECK(v2.why == "this process is in the root cgroup, which is the whole machine");
    Machine v1;
    v1.has("proc/self/cgroup", "4:memory:/\n")
        .has("sys/fs/cgroup/memory/tasks", "77\n")
        .has("sys/fs/cgroup/memory/release_agent", "\n")
        .has("sys/fs/cgroup/memory/memory.usage_in_bytes", "4096\n")
        .has("sys/fs/cgroup/memory/memory.stat", "total_rss 300\ntotal_shmem 20\n");
    CHECK_FALSE(v1.first("group_memory_used"));
    CHECK_FALSE(v1.first("group_memory"));
    CHECK(v1.why == "this process is in the root cgroup, which is the whole machine");
  }
  SECTION("a container sees its own group in the root's place") {
    Machine v2;
    v2.has("proc/self/cgroup", "0::/\n")
        .has("sys/fs/cgroup/cgroup.type", "domain\n")
        .has("sys/fs/cgroup/memory.stat", "anon 5000\nshmem 40\n");
    CHECK(v2.first("group_memory_used") == 5040);
    Machine v1;
    v1.has("proc/self/cgroup", "4:memory:/\n")
        .has("sys/fs/cgroup/memory/tasks", "77\n")
        .has("sys/fs/cgroup/memory/memory.stat", "total_rss 300\ntotal_shmem 20\n");
    CHECK(v1.first("group_memory_used") == 320);
  }
}

TEST_CASE("probes: the CPUs' clock by cpufreq, else by /proc/cpuinfo", "[unit][trial]") {
  Machine machine;
  machine.has("proc/cpuinfo",
              "processor\t: 0\ncpu MHz\t\t: 2000.500\nprocessor\t: 1\ncpu MHz\t\t: 3000.500\n");
  CHECK(machine.first("cpu_clock") == 2500500000);
  machine.has("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000000\n")
      .has("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3000000\n");
  Machine other;  // files are kept open: another machine
  other.has("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000000\n")
      .has("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3000000\n");
  CHECK(other.first("cpu_clock") == 2000000000);
}

TEST_CASE("probes: the device of the data set, where it has one", "[unit][trial]") {
  Machine machine;
  CHECK_FALSE(machine.first("device_read"));
  CHECK(machine.why == "no dataset is read");
  machine.context().dataset = machine.path("");
  struct stat about{};
  REQUIRE(::stat(machine.path("").c_str(), &about) == 0);
  if (major(about.st_dev) == 0) {
    CHECK_FALSE(machine.first("device_read"));
    CHECK(machine.why.find("not on a block device") != std::string::npos);
    return;
  }
  machine.has(fmt::format("sys/dev/block/{}:{}/stat", major(about.st_dev), minor(about.st_dev)),
              "  10  11  12  13  14  15  16  17  0 0 0\n");
  CHECK(machine.first("device_read") == 12 * 512);
  CHECK(machine.first("device_written") == 16 * 512);
}

TEST_CASE("probes: what is not there says why, and is not lost", "[unit][trial]") {
  Machine machine;
  machine.has("proc/pressure/cpu/not_a_file", "");  // a folder in the file's place cannot be read
  const auto runtime = make_real_runtime();
  ProbeSampler sampler(*runtime, std::chrono::seconds{1}, machine.context());
  segments(sampler, 3);
  const auto facts = sampler.facts();
  CHECK(facts.size() == probe_rows().size());
  for (const ProbeFacts& probe : facts) {
    INFO(probe.name << ": " << probe.why);
    const bool without_file =
        probe.name == "faults_minor" || probe.name == "faults_major" || probe.name == "cpu_probes";
    CHECK(probe.state == (without_file ? ProbeState::measured : ProbeState::not_available));
    CHECK(probe.why.empty() == without_file);
    CHECK(probe.lost == 0);
  }
  CHECK(fact(facts, "pressure_cpu").why.find("Is a directory") != std::string::npos);
  CHECK(fact(facts, "pressure_io").why.find("No such file") != std::string::npos);
  CHECK(fact(facts, "cpu_loader").why == "num_workers is 0: the trainer's thread loads");
}

TEST_CASE("probes: a counter that vanishes half-way is lost, one that misses a beat is not",
          "[unit][trial]") {
  Machine machine;
  const std::string statm = "900 7 3 2 0 5 0\n", io = "rchar: 111\nread_bytes: 1\nwrite_bytes: 2\n";
  machine.has("proc/self/statm", statm).has("proc/self/io", io);
  const auto runtime = make_real_runtime();
  ProbeSampler sampler(*runtime, std::chrono::seconds{1}, machine.context());
  segments(sampler, 15);
  machine.has("proc/self/statm", "").has("proc/self/io", "");
  segments(sampler, 1);
  machine.has("proc/self/io", io);
  segments(sampler, 14);
  const auto facts = sampler.facts();
  const ProbeFacts& memory = fact(facts, "memory");
  CHECK(memory.state == ProbeState::lost);
  CHECK(memory.samples == 15);
  CHECK(memory.lost == 15);
  CHECK(memory.mean == 7.0 * static_cast<double>(sysconf(_SC_PAGESIZE)));
  CHECK(memory.why.find("15 of 30 samples failed") != std::string::npos);
  CHECK(memory.why.find("is empty") != std::string::npos);
  const ProbeFacts& asked = fact(facts, "bytes_asked");
  CHECK(asked.state == ProbeState::measured);
  CHECK(asked.samples == 29);
  CHECK(asked.lost == 1);
}

TEST_CASE("probes: a counter's rate is what it grew by over the time that counts",
          "[unit][trial]") {
  ProbeReadings bytes(row("bytes_read"));
  bytes.begin(at(0), 100);
  bytes.add(at(1), 300, false);
  bytes.add(at(3), 300, false);
  bytes.begin(at(10), 1000);  // what it grew by in the pause is nobody's
  bytes.add(at(11), 1500, false);
  ProbeFacts facts = bytes.facts("");
  CHECK(facts.mean == Approx(700.0 / 4));
  CHECK(facts.min == 0);
  CHECK(facts.max == 500);
  CHECK(facts.samples == 3);
  CHECK(bytes.series() == std::vector<std::int64_t>{200, 0, 500});

  bytes.add(at(11.01), 1600, true);  // too short an interval to be a largest rate, not to count
  facts = bytes.facts("");
  CHECK(facts.max == 500);
  CHECK(facts.mean == Approx(800.0 / 4.01));

  bytes.add(at(12), 5, false);  // set up anew
  CHECK(bytes.facts("").lost == 1);
  bytes.add(at(13), 25, false);
  CHECK(bytes.facts("").min == 0);
  CHECK(bytes.facts("").mean == Approx(820.0 / 5.01));

  ProbeReadings pressure(row("pressure_cpu"));
  pressure.begin(at(0), 0);
  pressure.add(at(2), 500000000, false);
  CHECK(pressure.facts("").mean == Approx(0.25));

  ProbeReadings level(row("runnable"));
  level.begin(at(0), 9);
  level.add(at(1), 2, false);
  level.add(at(2), 4, true);
  CHECK(level.facts("").mean == 3);
  CHECK(level.facts("").max == 4);
}

TEST_CASE(
    "probes: a window on the real clock has them, and ends without sleeping out their interval",
    "[unit][trial]") {
  test::TrialOfMocks mocks("synthetic", "timed",
                           {{"trainer.step_time", "1ms"},
                            {"measure.window", "30ms"},
                            {"measure.warmup", "1ms"},
                            {"measure.probe_every", "1min"},
                            {"measure.timeout", "300s"}});
  ExecutorContext context{.catalog = built_in_catalog(),
                          .environment = {},
                          .dataset = {},
                          .expected_digest = {},
                          .simulated = false,
                          .stop = nullptr,
                          .progress = {}};
  context.environment.cores_available = 2;
  TrialRecord record = run_trial(mocks.trial(), {}, context);
  INFO(test::reasons_of(record));
  REQUIRE(record.facts.probes.size() == probe_rows().size());
  CHECK(fact(record.facts.probes, "cpu_trainer").samples == 1);  // the one that ends the window
  CHECK(fact(record.facts.probes, "cpu_trainer").mean > 0);
  CHECK(fact(record.facts.probes, "device_read").why == "no dataset is read");
  CHECK(record.raw_series.count("probe_time") == 0);  // too few to be a series

  // At the default interval the window would have three.
  mocks.change({{"measure.probe_every", "1ms"}, {"measure.window", "300ms"}});
  test::judge_at_most("ms from one sample to the next", 300.0 / 8, [&] {
    record = run_trial(mocks.trial(), {}, context);
    return 300.0 / fact(record.facts.probes, "cpu_trainer").samples;
  });
  if (fact(record.facts.probes, "cpu_trainer").samples < 8)
    BENCHBENCH_NOT_JUDGED("there are too few samples to be a series");
  const auto times = record.raw_series["probe_time"];
  REQUIRE(times.size() >= 8);
  CHECK(std::is_sorted(times.begin(), times.end()));
  CHECK(times.back() >= record.facts.window.ns);  // the last sample is taken as the window ends
  CHECK(record.raw_series["probe_cpu_trainer"].size() == times.size());
  CHECK(record.facts.instrument.overhead_share > 0);

  mocks.change({{"measure.probe_every", "0s"}});
  CHECK(run_trial(mocks.trial(), {}, context).facts.probes.empty());
  mocks.change({{"measure.probe_every", "1ms"}});
  CHECK(test::run_simulated(mocks.trial()).facts.probes.empty());
}

}  // namespace benchbench::probes_test
