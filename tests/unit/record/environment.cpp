#include "harness/record/environment.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "harness/record/known_variables.h"
#include "harness/record/machine_facts.h"
#include "tests/scratch_folder.h"

namespace benchbench::environment_tests {

// A machine of our own making, below a temporary folder.
class Machine {
 public:
  Machine() : root_(test::make_scratch_folder("machine")) {}
  ~Machine() { std::filesystem::remove_all(root_); }
  Machine& file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
    return *this;
  }
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

TEST_CASE("environment: the tightest quota and limit of all groups above holds (cgroup v2)",
          "[unit][record]") {
  Machine m;
  m.file("proc/self/cgroup", "0::/jobs/one\n")
      .file("sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n")
      .file("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n")
      .file("sys/fs/cgroup/jobs/one/memory.max", "8589934592\n")
      .file("sys/fs/cgroup/jobs/memory.max", "4294967296\n");
  CHECK(cgroup_cpu_quota(m.root()) == 1.5);
  CHECK(cgroup_memory_limit(m.root()) == 4294967296u);
}

TEST_CASE("environment: cores are the quota where it is tighter than the affinity",
          "[unit][record]") {
  Machine m;
  m.file("proc/self/cgroup", "0::/\n").file("sys/fs/cgroup/cpu.max", "50000 100000\n");
  CHECK(cores_available(m.root()) == 0.5);
  m.file("sys/fs/cgroup/cpu.max", "100000000 100000\n");
  CHECK(cores_available(m.root()) == cores_available(Machine().root()));
  CHECK(cores_available("/") == observe_environment().cores_available);
}

TEST_CASE("environment: quota and limit of cgroup v1, and none where there is none",
          "[unit][record]") {
  Machine m;
  m.file("proc/self/cgroup", "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n")
      .file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n")
      .file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
      .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  CHECK(cgroup_cpu_quota(m.root()) == 0.5);
  CHECK(cgroup_memory_limit(m.root()) == 1073741824u);
  m.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
      .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(cgroup_cpu_quota(m.root()) == 0);
  CHECK(cgroup_memory_limit(m.root()) == 0);
  CHECK(cgroup_cpu_quota(Machine().root()) == 0);
}

TEST_CASE("environment: hypervisor, model, governor and huge pages by the kernel's files",
          "[unit][record]") {
  Machine m;
  m.file("proc/cpuinfo",
         "processor\t: 0\nmodel name\t: A CPU @ 3 GHz\nflags\t\t: fpu hypervisor avx2\n");
  CHECK(cpu_model(m.root()) == "A CPU @ 3 GHz");
  CHECK(virtualization(m.root()) == "unknown hypervisor");
  m.file("sys/class/dmi/id/sys_vendor", "QEMU\n");
  CHECK(virtualization(m.root()) == "kvm");
  m.file("proc/cpuinfo", "flags\t\t: fpu avx2\n")
      .file("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  CHECK(virtualization(m.root()) == "none");  // a whole machine of the same vendor
  CHECK(frequency_governor(m.root()) == "not available");
  CHECK(transparent_huge_pages(m.root()) == "not available");
  m.file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
      .file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
      .file("proc/meminfo", "MemFree: 1 kB\nMemTotal:       2048 kB\n");
  CHECK(frequency_governor(m.root()) == "powersave");
  CHECK(transparent_huge_pages(m.root()) == "madvise");
  CHECK(physical_memory(m.root()) == 2048u * 1024);
}

TEST_CASE(
    "environment: this machine is seen the same twice, with the variables that change behaviour",
    "[unit][record]") {
  for (const char* name : {"OMP_TEST_VARIABLE", "TORCH_CUDA_ARCH_LIST", "CUDA_DEVICE_ORDER"})
    setenv(name, "2", 1);
  const Environment one = observe_environment();
  for (const char* name : {"OMP_TEST_VARIABLE", "TORCH_CUDA_ARCH_LIST", "CUDA_DEVICE_ORDER"})
    unsetenv(name);
  const Environment two = observe_environment();
  CHECK(one.machine == two.machine);
  CHECK(one.build_digest.size() == 32);
  CHECK(one.build_digest == two.build_digest);
  CHECK(one.cpus_usable >= 1);
  CHECK(one.cpus_usable <= one.cpus_online);
  CHECK(one.cores_available > 0);
  CHECK(one.cores_available <= one.cpus_usable);
  CHECK(one.memory_bytes > (1u << 20));
  CHECK(std::count(one.variables.begin(), one.variables.end(), "OMP_TEST_VARIABLE=2") == 1);
  CHECK(std::count(one.variables.begin(), one.variables.end(), "TORCH_CUDA_ARCH_LIST=2") == 1);
  CHECK(std::count(one.variables.begin(), one.variables.end(), "CUDA_DEVICE_ORDER=2") == 1);
  CHECK(std::count(two.variables.begin(), two.variables.end(), "OMP_TEST_VARIABLE=2") == 0);
  CHECK_FALSE(one.timer_lateness_p99_ns);  // not measured is not 0
}

Environment small_machine() {
  Environment e;
  e.cpu_model = "A CPU";
  e.cpus_online = 4, e.cpus_usable = 2, e.cpu_quota = 1.5, e.cores_available = 1.5;
  e.memory_bytes = 3ull << 29;
  e.virtualization = "none";
  e.kernel = "Linux 6.1", e.governor = "powersave", e.huge_pages = "madvise";
  e.build = "benchbench 1", e.libtorch = "2.11";
  e.clock_read_ns = 24.6;
  e.variables = {"A=1", "B=2"};
  return e;
}

TEST_CASE("environment: a report has two lines of it, without what is not known",
          "[unit][record]") {
  CHECK(environment_line(small_machine(), EnvironmentLine::machine) ==
        "A CPU, 2 of 4 CPUs (quota 1.5), 1.5 GiB, Linux 6.1, governor powersave, huge pages "
        "madvise");
  CHECK(environment_line(small_machine(), EnvironmentLine::software) ==
        "benchbench 1, libtorch 2.11, clock read 25 ns, set: A=1 B=2");
}

TEST_CASE("environment: programs are given each field that may differ and is known",
          "[unit][record]") {
  using Label = std::pair<std::string, std::string>;
  const auto labels = environment_labels(small_machine());
  CHECK(std::ranges::count(labels, Label("memory_bytes", "1610612736")) == 1);
  CHECK(std::ranges::count(labels, Label("cores_available", "1.5")) == 1);
  for (const auto& [name, value] : labels) {
    INFO(name);
    CHECK_FALSE(value.empty());
    CHECK(name != "clock_read_ns");
  }
}

TEST_CASE("environment: each field has names of its own", "[unit][record]") {
  std::set<std::string, std::less<>> names, titles;
  for (const EnvironmentValue& value : environment_values(Environment{})) {
    CHECK(names.emplace(value.field.name).second);
    CHECK(titles.insert(value.field.title()).second);
  }
  CHECK(names.size() == 29);
}

TEST_CASE("environment: each variable that changes a run is in the list once and says how",
          "[unit][record]") {
  std::set<std::string_view> names;
  for (const KnownVariable& variable : variables_that_change_runs()) {
    CAPTURE(std::string(variable.name));
    CHECK(names.insert(variable.name).second);
    CHECK_FALSE(variable.why.empty());
    CHECK(changes_a_run(std::string(variable.name) + "=1"));
    CHECK(changes_a_run(std::string(variable.name) + "=a:b="));
    CHECK(changes_a_run(std::string(variable.name) + "=") ==
          (variable.name == "CUDA_VISIBLE_DEVICES"));
    if (!variable.usual.empty())
      CHECK_FALSE(changes_a_run(fmt::format("{}={}", variable.name, variable.usual)));
    CHECK_FALSE(changes_a_run(std::string(variable.name) + "_AND_MORE=1"));
  }
  CHECK_FALSE(changes_a_run("CUDA_MODULE_LOADING=LAZY"));
  CHECK(changes_a_run("CUDA_MODULE_LOADING=EAGER"));
  CHECK_FALSE(changes_a_run("CUDA_LAUNCH_BLOCKING=0"));
  CHECK(changes_a_run("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1"));
  for (const char* fact : {"TORCH_CUDA_ARCH_LIST=9.0", "PYTORCH_VERSION=2.11.0", "TORCH_HOME=/x",
                           "TORCH_NCCL_BLOCKING_WAIT=1"}) {
    CHECK_FALSE(changes_a_run(fact));
    CHECK(is_recorded(fact));
  }
  CHECK_FALSE(is_recorded("PATH=/bin"));
}

}  // namespace benchbench::environment_tests
