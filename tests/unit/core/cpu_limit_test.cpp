#include "harness/core/cpu_limit.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "tests/scratch_folder.h"
#include "tests/unit/core/jobs.h"

namespace benchbench {
namespace cpu_limit_tests {

// Two cores of two CPUs each, as a kernel lists them.
std::filesystem::path two_cores() {
  const std::filesystem::path root = test::make_scratch_folder("cpus");
  for (const int cpu : {0, 1, 2, 3}) {
    const auto folder = root / ("sys/devices/system/cpu/cpu" + std::to_string(cpu)) / "topology";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "thread_siblings_list") << (cpu < 2 ? "0-1" : "2-3") << "\n";
  }
  return root;
}

// Returns the CPUs of a thread that is started here.
std::vector<int> cpus_of_new_thread() {
  std::vector<int> cpus;
  const auto runtime = make_real_runtime();
  test::Work work([&] { cpus = allowed_cpus(); });
  runtime->spawn("thread", work)->join();
  return cpus;
}

TEST_CASE("cpu limit: one CPU of each core comes first", "[unit][core]") {
  const auto root = two_cores();
  CHECK(cores_first({0, 1, 2, 3}, root) == std::vector{0, 2, 1, 3});
  CHECK(cores_first({1, 2, 3}, root) == std::vector{1, 2, 3});
  CHECK(cores_first({4, 5}, root) == std::vector{4, 5});  // of which nobody says anything
  std::filesystem::remove_all(root);
}

TEST_CASE("cpu limit: threads that were there, threads and processes to come have it; then not",
          "[unit][core]") {
  const std::vector<int> before = allowed_cpus();
  REQUIRE(!before.empty());
  const auto runtime = make_real_runtime();
  std::vector<int> within, after;
  Waiter limited, freed;
  std::atomic<int> step{0};
  test::Work work([&] {
    while (step < 1) runtime->park(limited, kForever);
    within = allowed_cpus();
    step = 2;
    while (step < 3) runtime->park(freed, kForever);
    after = allowed_cpus();
  });
  const auto task = runtime->spawn("earlier", work);
  {
    const CpuLimit limit(1);
    step = 1;
    runtime->unpark(limited);
    while (step < 2) runtime->yield();
    CHECK(allowed_cpus() == std::vector{cores_first(before, "/").front()});
    CHECK(cpus_of_new_thread() == allowed_cpus());
    ChildProcess child({"/bin/sh", {"-c", "test $(nproc) = 1"}, {}, {}});
    CHECK(child.await_end().text() == "");
  }
  step = 3;
  runtime->unpark(freed);
  task->join();
  CHECK(within.size() == 1);
  CHECK(after == before);
  CHECK(allowed_cpus() == before);
}

TEST_CASE("cpu limit: more CPUs than there are lack here", "[unit][core]") {
  const auto all = static_cast<std::uint32_t>(allowed_cpus().size());
  CHECK_NOTHROW(CpuLimit(all));
  CHECK_THROWS_AS(CpuLimit(all + 1), DeviceError);
}

}  // namespace cpu_limit_tests
}  // namespace benchbench
