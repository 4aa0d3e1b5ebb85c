#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/app/doctor/checks.h"
#include "harness/app/doctor/devices.h"
#include "harness/app/doctor/disk.h"
#include "harness/app/doctor/expected_device.h"
#include "harness/app/doctor/speed.h"
#include "harness/core/error.h"
#include "tests/scratch_folder.h"

namespace benchbench::doctor_test {

namespace fs = std::filesystem;
using enum DoctorVerdict;

struct Place {
  Place() : path(test::make_scratch_folder("doctor")) {}
  ~Place() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  void touch(const std::string& below, const std::string& text = "") const {
    fs::create_directories(fs::path(path + below).parent_path());
    std::ofstream(path + below) << text;
  }
  std::string path;
};

Environment machine(double cores, std::uint64_t memory) {
  Environment e;
  e.cpus_online = e.cpus_usable = 4;
  e.cores_available = cores;
  e.cpu_quota = cores < 4 ? cores : 0;
  e.memory_bytes = memory;
  return e;
}

TEST_CASE("doctor: too few cores or too little memory block, somewhat few are noted",
          "[unit][app]") {
  CHECK(check_cpus(machine(4, 0)).verdict == ok);
  CHECK(check_cpus(machine(2.5, 0)).verdict == note);
  CHECK(check_cpus(machine(1.5, 0)).verdict == note);
  CHECK(check_cpus(machine(0.5, 0)).verdict == blocker);
  CHECK(check_memory(machine(4, 16ull << 30)).verdict == ok);
  CHECK(check_memory(machine(4, 2ull << 30)).verdict == note);
  CHECK(check_memory(machine(4, 512ull << 20)).verdict == blocker);
}

TEST_CASE("doctor: what makes numbers uncertain is noted with advice", "[unit][app]") {
  CHECK(check_governor("performance").verdict == ok);
  CHECK(check_governor("not available").verdict == ok);
  CHECK(check_governor("powersave").verdict == note);
  CHECK(check_steal(0.005).verdict == ok);
  CHECK(check_io_uring(0).verdict == ok);
  CHECK(check_io_uring(1).verdict == note);
  CHECK(check_io_uring(1).value == "refused: Operation not permitted");
  CHECK(check_steal(0.02).verdict == note);
  CHECK(check_load(1.5, 2).verdict == ok);
  CHECK(check_load(4.0, 2).verdict == note);
  CHECK(check_timer(2'000, 60'000).verdict == ok);
  CHECK(check_timer(90'000, 90'000).verdict == note);
  CHECK(check_speed("x", 80, 0, 0.9, "80").verdict == ok);
  CHECK(check_speed("x", 95, 100, 0.9, "95").verdict == ok);
  CHECK(check_speed("x", 80, 100, 0.9, "80").verdict == note);
  for (const DoctorCheck& check : {check_governor("powersave"), check_steal(0.02), check_load(4, 2),
                                   check_timer(9e4, 9e4), check_speed("x", 80, 100, 0.9, "80"),
                                   check_cpus(machine(0.5, 0)), check_memory(machine(4, 1))}) {
    INFO(check.name);
    CHECK_FALSE(check.advice.empty());
  }
}

TEST_CASE("doctor: space is enough, tight, too little or not to be written", "[unit][app]") {
  CHECK(check_space("s", "/x", true, 100, 10, 50).verdict == ok);
  CHECK(check_space("s", "/x", true, 40, 10, 50).verdict == note);
  CHECK(check_space("s", "/x", true, 9, 10, 50).verdict == blocker);
  CHECK(check_space("s", "/x", false, 100, 10, 50).verdict == blocker);
}

cuda::CudaSurvey two_gpus() {
  cuda::CudaSurvey survey;
  survey.version = 13000;
  survey.driver = "580.65.06";
  survey.kernels = true;
  for (int i = 0; i < 2; ++i) {
    cuda::CudaFacts facts;
    facts.ordinal = i;
    facts.name = "cuda:" + std::to_string(i);
    facts.model = "NVIDIA H100";
    facts.uuid = "0000-" + std::to_string(i);
    facts.memory = 80ull << 30;
    facts.capability = 90;
    survey.devices.push_back(facts);
  }
  return survey;
}

cuda::CudaSurvey no_gpu(const std::string& why) {
  cuda::CudaSurvey survey;
  survey.why = why;
  return survey;
}

TEST_CASE(
    "doctor: CUDA is what the driver says, and where it has no device, what is missing is told",
    "[unit][app]") {
  const Place bare;
  const cuda::CudaSurvey none = no_gpu("cuInit: no device"),
                         nothing =
                             no_gpu("there is no CUDA driver here: libcuda.so.1 was not found");
  CHECK(check_cuda(nothing, bare.path).verdict == note);
  CHECK(check_cuda(nothing, bare.path).value == "not found: no NVIDIA driver and no GPU");
  CHECK(check_cuda(none, bare.path).value == "not usable: cuInit: no device");

  Place full;
  full.touch("/proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27\n");
  CHECK(check_cuda(none, full.path).value ==
        "not usable: cuInit: no device; there is no /dev/nvidia0");
  full.touch("/dev/nvidia0");
  full.touch("/dev/nvidia1");
  full.touch("/dev/nvidiactl");
  CHECK(check_cuda(none, full.path).value == "not usable: cuInit: no device; 2 GPU(s) under /dev");

  cuda::CudaSurvey two = two_gpus();
  CHECK(check_cuda(two, bare.path).verdict == ok);
  CHECK(check_cuda(two, bare.path).value == "2 x NVIDIA H100, CUDA 13.0, driver 580.65.06");
  two.devices[1].model = "NVIDIA T4";
  two.driver = "";
  CHECK(check_cuda(two, bare.path).value == "1 x NVIDIA H100, 1 x NVIDIA T4, CUDA 13.0");
  two.kernels = false;
  CHECK(check_cuda(two, bare.path).verdict == note);
  CHECK_THAT(check_cuda(two, bare.path).advice, Catch::Contains("no CUDA kernels"));
}

TEST_CASE("doctor: a survey of CUDA devices is read back as it was written", "[unit][app]") {
  cuda::CudaSurvey survey = two_gpus();
  survey.devices[1].model = "two\twords\nand more";
  const cuda::CudaSurvey read = cuda::survey_from(text_of(survey));
  CHECK(read.why.empty());
  CHECK(read.version == 13000);
  CHECK(read.driver == "580.65.06");
  CHECK(read.kernels);
  REQUIRE(read.devices.size() == 2);
  CHECK(read.devices[0].model == "NVIDIA H100");
  CHECK(read.devices[1].model == "two words and more");
  CHECK(read.devices[1].name == "cuda:1");
  CHECK(read.devices[1].uuid == "0000-1");
  CHECK(read.devices[1].memory == 80ull << 30);
  CHECK(read.devices[1].capability == 90);
  survey.kernels = false;
  survey.driver = "";
  CHECK_FALSE(cuda::survey_from(text_of(survey)).kernels);
  CHECK(cuda::survey_from(text_of(survey)).driver.empty());
  const std::string other = "ERROR: ld.so: object '/none.so' cannot be preloaded\n";
  CHECK(cuda::survey_from(other + text_of(survey) + other).devices.size() == 2);
  CHECK_THAT(cuda::survey_from(other).why, Catch::Contains("cannot be read: ERROR: ld.so"));
  CHECK(cuda::survey_from(other + text_of(no_gpu("a\tb"))).why == "a b");
  const std::string mark = "benchbench-cuda\t";
  for (const char* none : {"", "x", "device\t0\tu\t1\t90", "device\t1\tu\t1\t90\tm",
                           "device\tx\tu\t1\t90\tm", "driver\t13x\t\n", "driver\t13000\t\n"}) {
    INFO(none);
    CHECK(cuda::survey_from(mark + none).devices.empty());
    CHECK_FALSE(cuda::survey_from(mark + none).why.empty());
  }
}

TEST_CASE("doctor: what a child measured of the link is read back, and nothing else",
          "[unit][app]") {
  const cuda::LinkSpeeds speeds{5.5e10, 5.4e10, 9e9, 8e9, 2.4e12, 1.98e9};
  const cuda::LinkSurvey read = cuda::link_from(text_of(speeds));
  CHECK(read.why.empty());
  CHECK(read.speeds.to_device == Approx(5.5e10));
  CHECK(read.speeds.from_device == Approx(5.4e10));
  CHECK(read.speeds.pageable_to_device == Approx(9e9));
  CHECK(read.speeds.pageable_from_device == Approx(8e9));
  CHECK(read.speeds.memory == Approx(2.4e12));
  CHECK(read.speeds.clock == Approx(1.98e9));
  CHECK(cuda::link_from("WARNING\n" + text_of(speeds)).speeds.to_device == Approx(5.5e10));
  for (const char* none : {"to_device", "to_device x", "to_device -1", "to_device nan",
                           "to_device 1e30", "elsewhere 1", ""}) {
    INFO(none);
    CHECK_FALSE(cuda::link_from(std::string("benchbench-link ") + none).why.empty());
  }
  CHECK_FALSE(cuda::link_from("").why.empty());
}

TEST_CASE("expected device: what the machine lacks is told", "[unit][app]") {
  const Place bare;
  cuda::CudaSurvey survey = no_gpu("there is no CUDA driver here");
  int asked = 0;
  const auto lacks = [&](std::string_view device) {
    return lacks_device(device,
                        {bare.path, [&]() -> const cuda::CudaSurvey& { return ++asked, survey; }});
  };
  CHECK_FALSE(lacks("cpu"));
  CHECK(asked == 0);
  CHECK_THAT(lacks("cuda").value(), Catch::Contains("no NVIDIA driver"));
  survey = two_gpus();
  for (const char* there : {"cuda", "cuda:0", "cuda:1"}) CHECK_FALSE(lacks(there));
  CHECK(asked == 4);
  CHECK(lacks("cuda:2").value() ==
        "there is no cuda:2: 2 x NVIDIA H100, CUDA 13.0, driver 580.65.06");
  for (const char* none : {"gpu", "cuda:", "cuda:-1", "cuda:1x", ""})
    CHECK_THROWS_AS(lacks(none), UsageError);
}

TEST_CASE("doctor: ceilings come back from machine.yaml as they were kept", "[unit][app]") {
  const Place cache;
  CHECK_FALSE(read_ceilings(cache.path).has_value());
  const Ceilings kept{"0f3a", "AMD EPYC: 9R14", "2026-01-31T12:00:00Z", 6.123e10, 9.876e9, 0,
                      1.5e9,  2.596e9};
  write_ceilings(cache.path, kept);
  const Ceilings read = read_ceilings(cache.path).value();
  CHECK(read.machine == kept.machine);
  CHECK(read.cpu_model == kept.cpu_model);
  CHECK(read.measured == kept.measured);
  CHECK(read.multiply_add_per_second == Approx(kept.multiply_add_per_second).epsilon(1e-3));
  CHECK(read.memory_copy == Approx(kept.memory_copy).epsilon(1e-3));
  CHECK(read.cpu_clock == Approx(kept.cpu_clock).epsilon(1e-3));
  CHECK(read.disk_read_warm == 0);  // not measured
  CHECK(read.disk_read_cold == Approx(kept.disk_read_cold).epsilon(1e-3));

  for (const char* bad :
       {"memory_copy: fast", "memory_copy: -1GB/s", "multiply_add_per_second: 1e9x", "no colon",
        "cpu_clock: inf", "cpu_clock: nan", "cpu_clock: 1e19"}) {
    INFO(bad);
    cache.touch("/machine.yaml", std::string("version: 1\n") + bad + "\n");
    CHECK_THROWS_AS(read_ceilings(cache.path), StoreError);
  }
  CHECK_THROWS_AS(write_ceilings(cache.path + "/machine.yaml", kept), StoreError);
}

TEST_CASE(
    "doctor: trials know the ceilings of their own machine, and are told where they cannot be read",
    "[unit][app]") {
  const Place cache;
  Environment here;
  here.machine = "0f3a";
  CHECK(add_ceilings(here, cache.path).empty());  // none kept
  CHECK(here.ceilings.empty());
  write_ceilings(cache.path, {"0f3a", "", "", 0, 9e9, 0, 1.5e9, 2.6e9});
  CHECK(add_ceilings(here, cache.path).empty());
  REQUIRE(here.ceilings.size() == 3);
  CHECK(here.ceilings[0].first == "memory_copy");
  CHECK(here.ceilings[0].second == Approx(9e9));
  CHECK(here.ceilings[2].first == "cpu_clock");
  Environment elsewhere;
  elsewhere.machine = "77aa";
  CHECK(add_ceilings(elsewhere, cache.path).empty());
  CHECK(elsewhere.ceilings.empty());
  cache.touch("/machine.yaml", "version: 1\nmemory_copy: fast\n");
  CHECK_THAT(add_ceilings(elsewhere, cache.path), Catch::Contains("machine.yaml:2"));
}

TEST_CASE("doctor: a machine.yaml that is no file, or too large a one, is told and not waited for",
          "[unit][app]") {
  const Place cache;
  const std::string path = ceilings_path(cache.path);
  Environment here;
  here.machine = "m";
  const auto told = [&] { return add_ceilings(here, cache.path); };
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK_THAT(told(), Catch::Contains(path + " is not a regular file"));
  fs::remove(path);
  fs::create_directory(path);
  CHECK_THAT(told(), Catch::Contains(path + " is not a regular file"));
  fs::remove(path);
  fs::create_symlink("machine.yaml", path);
  CHECK_THAT(told(), Catch::Contains(path) && Catch::Contains("symbolic links"));
  fs::remove(path);
  cache.touch("/machine.yaml", "version: 1\n");
  fs::resize_file(path, std::uintmax_t{1} << 40);
  CHECK_THAT(told(), Catch::Contains(path + " has over 1048576 bytes"));
  CHECK(here.ceilings.empty());
}

TEST_CASE("doctor: a busy hour lowers no ceiling, another machine takes none over", "[unit][app]") {
  const Ceilings kept{"a", "", "", 10, 20, 0, 40};
  const Ceilings now{"a", "", "today", 11, 15, 30, 0};
  const Ceilings higher = raised(kept, now);
  CHECK(higher.measured == "today");
  CHECK(higher.multiply_add_per_second == 11);
  CHECK(higher.memory_copy == 20);
  CHECK(higher.disk_read_warm == 30);
  CHECK(higher.disk_read_cold == 40);
  const Ceilings other{"b", "", "", 1, 1, 1, 1};
  CHECK(raised(kept, other).memory_copy == 1);
  CHECK(raised(std::nullopt, other).memory_copy == 1);
}

TEST_CASE("doctor: rates of a GPU are ceilings of that GPU alone", "[unit][app]") {
  const Place cache;
  Ceilings kept{"0f3a", "", "", 0, 1e10, 0, 0};
  kept.gpu = "one", kept.link_to_device = 5e10, kept.gpu_clock = 1.98e9;
  write_ceilings(cache.path, kept);
  const auto known = [&](std::vector<std::string> uuids) {
    Environment here;
    here.machine = "0f3a", here.gpu_uuids = std::move(uuids);
    CHECK(add_ceilings(here, cache.path).empty());
    CHECK(here.gpu_of_ceilings == "one");
    std::string names;
    for (const auto& [name, value] : here.ceilings) names += name + " ";
    return names;
  };
  CHECK(known({"zero", "one"}) == "memory_copy link_to_device gpu_clock ");
  CHECK(known({"zero"}) == "memory_copy ");
  CHECK(known({}) == "memory_copy ");
  Ceilings now = kept;
  now.link_to_device = 4e10;
  CHECK(raised(kept, now).link_to_device == 5e10);
  now.gpu = "two";
  CHECK(raised(kept, now).link_to_device == 4e10);
  CHECK(raised(kept, now).gpu == "two");
  kept.forget_gpu();
  CHECK(kept.link_to_device == 0);
  CHECK(kept.gpu_clock == 0);
  CHECK(kept.memory_copy == 1e10);
}

TEST_CASE("doctor: a disk is measured without leaving a file, or says why not", "[unit][app]") {
  const Place folder;
  const auto runtime = make_real_runtime();
  const DiskSpeed speed = measure_disk(folder.path, *runtime);
  CHECK(fs::is_empty(folder.path));
  if (speed.problem.empty()) {
    CHECK(speed.bytes >= 16ull << 20);
    CHECK(speed.write > 0);
    CHECK(speed.read_cold > 0);
    CHECK(speed.read_warm > 0);
    CHECK(speed.resident_share <= 0.01);
  } else {
    CHECK((speed.read_cold == 0 || speed.write == 0));
  }
  CHECK_FALSE(measure_disk(folder.path + "/absent", *runtime).problem.empty());
}

TEST_CASE("doctor: a thread's arithmetic and copying have a rate", "[unit][app]") {
  const auto runtime = make_real_runtime();
  // Any CPU of this century multiplies and adds a vector of 4 a cycle; none does 10^12 on one
  // thread.
  const double rate = multiply_adds_per_second(*runtime);
  CHECK(rate > 1e8);
  CHECK(rate < 1e12);
  CHECK(memory_copy_rate(*runtime) > 1e7);
}

TEST_CASE("doctor: the CPUs' clock is read while all are at work, or why not", "[unit][app]") {
  const auto runtime = make_real_runtime();
  std::string why;
  const auto hertz = busy_clock(*runtime, 2, why);
  CHECK(hertz.has_value() == why.empty());
  if (hertz) CHECK((*hertz > 1e8 && *hertz < 1e10));
}

}  // namespace benchbench::doctor_test
