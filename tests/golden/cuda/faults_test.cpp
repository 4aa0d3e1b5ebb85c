// What breaks on a GPU costs one trial: the record says what, and the next trial runs in a fresh
// process.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/golden/cuda/stub_run.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace cuda_faults_test {

using Catch::Matchers::Contains;

constexpr const char* kNoKernels = "this build has no CUDA kernels";

// Two points, of which the second is what may be too large.
std::string two_points(const std::string& axis) { return stub_scenario("sweep: {" + axis + "}\n"); }

std::vector<nlohmann::json> of_status(const Scratch& s, const std::string& run,
                                      const std::string& status) {
  std::vector<nlohmann::json> all = journal_of(s, run);
  std::erase_if(all, [&](const nlohmann::json& record) { return record.at("status") != status; });
  return all;
}

TEST_CASE(
    "cuda faults: a point that is too large for the device's memory FAILED, and the next one runs",
    "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("two.yaml", two_points("loader.batch_size: [16, 512]"));
  const Ran ran =
      run_on_stub(s, {"run", "two.yaml", "--out", "r", "--set", "measure.modes=pipeline"},
                  {{"MEMORY", "1048576"}});
  INFO(ran.err << ran.out);
  CHECK(ran.code == 1);
  const auto failed = of_status(s, "r", "FAILED");
  REQUIRE(failed.size() == 1);
  CHECK_THAT(first_reason(failed[0]), Contains("cannot allocate") &&
                                          Contains("on cuda:0 (Stub GPU)") && Contains("free") &&
                                          Contains("reduce loader.batch_size"));
  const auto records = journal_of(s, "r");
  CHECK(std::ranges::count_if(records, usable) == static_cast<long>(records.size()) - 1);
}

TEST_CASE("cuda faults: pinned memory that is refused FAILED with what to look at",
          "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("two.yaml", two_points("loader.pin_memory: [false, true]"));
  const Ran ran =
      run_on_stub(s, {"run", "two.yaml", "--out", "r", "--set", "measure.modes=pipeline"},
                  {{"FAIL", "cuMemHostRegister_v2=2"}});
  INFO(ran.err << ran.out);
  CHECK(ran.code == 1);
  const auto failed = of_status(s, "r", "FAILED");
  REQUIRE(failed.size() == 1);
  CHECK_THAT(first_reason(failed[0]),
             Contains("cannot pin") && Contains("the memory that is free"));
}

TEST_CASE(
    "cuda faults: a kernel that fails breaks its process's context, and each trial after it has a "
    "process of its own",
    "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml", stub_scenario("sweep: {trainer.step_time: [1ms, 2ms]}\n"));
  // Each process fails at its 515th kernel: after calibration (454) and warm-up, in the window of
  // its first trial.
  const Ran ran =
      run_on_stub(s, {"run", "stub.yaml", "--out", "r", "--set", "measure.modes=pipeline"},
                  {{"LAUNCH_FAILS_AT", "515"}});
  INFO(ran.err << ran.out);
  CHECK(ran.code == 8);  // none is usable
  const auto records = journal_of(s, "r");
  REQUIRE(records.size() >= 2);
  for (const auto& record : records) {
    CHECK(record.at("status") == "FAILED");
    CHECK_THAT(first_reason(record), Contains("CUDA_ERROR_LAUNCH_FAILED (719)") &&
                                         Contains("the CUDA context of this process is broken"));
    // It came so far each time: the context was a fresh one.
    CHECK(record.at("facts").at("warmup_steps").get<int>() > 0);
  }
}

TEST_CASE("cuda faults: memory that is full at any call FAILED, whatever else could run",
          "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  CHECK(run_on_stub(s, {"run", "stub.yaml", "--out", "r"}, {{"FAIL", "cuDevicePrimaryCtxRetain=2"}})
            .code == 1);
  const auto failed = records_of(s, "r", "pipeline").at(0);
  CHECK(failed.at("status") == "FAILED");
  CHECK_THAT(first_reason(failed),
             Contains("CUDA_ERROR_OUT_OF_MEMORY") && Contains("reduce loader.batch_size"));
  // The loader ran.
  CHECK(
      run_on_stub(s, {"run", "stub.yaml", "--out", "s"}, {{"FAIL", "cuDevicePrimaryCtxRetain=46"}})
          .code == 8);
}

TEST_CASE(
    "cuda faults: a device that cannot be opened is SKIPPED, one that refuses in the middle FAILED",
    "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  CHECK(run_on_stub(s, {"run", "stub.yaml", "--out", "a", "--set", "measure.modes=pipeline"},
                    {{"FAIL", "cuDevicePrimaryCtxRetain=46"}})
            .code == 8);
  const auto closed = journal_of(s, "a").at(0);
  CHECK(closed.at("status") == "SKIPPED");
  CHECK_THAT(first_reason(closed), Contains("cuDevicePrimaryCtxRetain failed"));
  CHECK(run_on_stub(s, {"run", "stub.yaml", "--out", "b", "--set", "measure.modes=pipeline"},
                    {{"FAIL", "cuMemcpyHtoDAsync_v2@60=400"}})
            .code == 8);
  const auto refused = journal_of(s, "b").at(0);
  CHECK(refused.at("status") == "FAILED");
  CHECK_THAT(first_reason(refused), Contains("cuMemcpyHtoDAsync_v2 failed"));
  CHECK(journal_of(s, "b").at(1).at("status") == "FAILED");  // a fresh process counts anew
}

TEST_CASE("cuda faults: a device that is lost in a run FAILED with where to look",
          "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  const Ran ran =
      run_on_stub(s, {"run", "stub.yaml", "--out", "r", "--set", "measure.modes=pipeline"},
                  {{"LOST_AT_CALL", "1600"}});
  INFO(ran.err << ran.out);
  CHECK(ran.code == 8);
  for (const auto& record : journal_of(s, "r")) {
    CHECK(record.at("status") == "FAILED");
    CHECK_THAT(first_reason(record), Contains("CUDA_ERROR_UNKNOWN (999)") && Contains("Xid"));
  }
}

TEST_CASE("cuda faults: a driver that hangs is ended by the trial's timeout", "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  const Ran ran = run_on_stub(s,
                              {"run", "stub.yaml", "--out", "r", "--set", "measure.modes=pipeline",
                               "--set", "measure.timeout=1s"},
                              {{"HANG_AT_CALL", "1600"}});
  INFO(ran.err << ran.out);
  CHECK(ran.code == 8);
  const auto records = journal_of(s, "r");
  REQUIRE_FALSE(records.empty());
  for (const auto& record : records) {
    CHECK(record.at("status") == "FAILED");
    CHECK_THAT(first_reason(record), Contains("timeout"));
  }
}

TEST_CASE("cuda faults: a driver that does not start does not stop a run on the CPU",
          "[golden][cuda]") {
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  const Ran ran = run_on_stub(s,
                              {"run", "stub.yaml", "--out", "r", "--set", "trainer.device=cpu",
                               "--set", "measure.modes=loader"},
                              {{"FAIL", "cuInit=999"}});
  INFO(ran.err);
  CHECK(ran.code == 0);
}

}  // namespace cuda_faults_test
}  // namespace benchbench::test
