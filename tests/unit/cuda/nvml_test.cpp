// NVML: all values, each one missing alone, and no NVML at all.
#include "harness/cuda/nvml_probe.h"
#include "tests/places.h"
#include "tests/unit/cuda/scene.h"

namespace benchbench::test::cuda {
namespace nvml_test {

const std::string kUuid = "00112233-4455-6677-8899-aabbccddee00";

std::unique_ptr<NvmlProbe> probe_of(const Environment& settings, const std::string& uuid = kUuid) {
  set_stub(settings);
  return make_nvml_probe(uuid, built_path("stub_cuda/libnvidia-ml.so.1"));
}

int nvml_started() {
  void* const library =
      ::dlopen(built_path("stub_cuda/libnvidia-ml.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<int (*)()>(::dlsym(library, "benchbench_stub_nvml_started"))();
}

// "" or the reason of each value, in order.
std::vector<std::pair<std::string, std::string>> absences(const NvmlReading& r) {
  return {{"busy", r.busy.absent},
          {"memory_busy", r.memory_busy.absent},
          {"memory_used", r.memory_used.absent},
          {"memory_total", r.memory_total.absent},
          {"clock", r.clock_mhz.absent},
          {"memory_clock", r.memory_clock_mhz.absent},
          {"power", r.power.absent},
          {"power_limit", r.power_limit.absent},
          {"energy", r.energy.absent},
          {"temperature", r.temperature.absent},
          {"throttle", r.throttle.absent},
          {"errors", r.uncorrected_errors.absent},
          {"users", r.users.absent},
          {"sent", r.sent.absent},
          {"received", r.received.absent},
          {"pcie_generation", r.pcie_generation.absent},
          {"pcie_width", r.pcie_width.absent},
          {"divided", r.divided.absent}};
}

TEST_CASE("nvml: what it says of a device", "[unit][cuda]") {
  {
    const auto probe = probe_of({});
    CHECK(probe->absent() == "");
    CHECK(probe->driver().value == "580.65.06");
    const NvmlReading r = probe->read(true);
    for (const auto& [name, absent] : absences(r)) CHECK((name + absent) == name);
    CHECK(r.busy.value == 0.87);
    CHECK(r.memory_busy.value == 0.42);
    CHECK(r.memory_used.value == 400u);
    CHECK(r.memory_total.value == 1000u);
    CHECK(r.clock_mhz.value == 1980u);
    CHECK(r.memory_clock_mhz.value == 2619u);
    CHECK(std::abs(*r.power.value - 345.678) < 1e-9);
    CHECK(r.power_limit.value == 700.0);
    CHECK(r.energy.value == 30.0);
    CHECK(r.pcie_generation.value == 5u);
    CHECK(r.pcie_width.value == 16u);
    CHECK(r.temperature.value == 61u);
    CHECK(r.throttle.value == (kThrottlePowerCap | kThrottleHot));
    CHECK(r.uncorrected_errors.value == 3u);
    REQUIRE(r.users.value->size() == 10);
    CHECK((*r.users.value)[0].pid == 1000);
    CHECK((*r.users.value)[8].memory == 800u);
    CHECK_FALSE((*r.users.value)[9].memory);
    CHECK(r.sent.value == 1e6);
    CHECK(r.received.value == 25e9);
    CHECK(r.divided.value == false);
    CHECK(probe->read(false).sent.absent == "not asked for");
    CHECK_FALSE(probe->read(false).received.value);
    CHECK(nvml_started() == 1);
  }
  CHECK(nvml_started() == 0);
}

TEST_CASE("nvml: a call that fails leaves its value out and no other", "[unit][cuda]") {
  const std::pair<const char*, std::vector<std::string>> rows[] = {
      {"nvmlDeviceGetUtilizationRates", {"busy", "memory_busy"}},
      {"nvmlDeviceGetMemoryInfo", {"memory_used", "memory_total"}},
      {"nvmlDeviceGetClockInfo", {"clock", "memory_clock"}},
      {"nvmlDeviceGetPowerUsage", {"power"}},
      {"nvmlDeviceGetEnforcedPowerLimit", {"power_limit"}},
      {"nvmlDeviceGetTotalEnergyConsumption", {"energy"}},
      {"nvmlDeviceGetCurrentClocksEventReasons", {"throttle"}},
      {"nvmlDeviceGetTotalEccErrors", {"errors"}},
      {"nvmlDeviceGetComputeRunningProcesses_v3", {"users"}},
      {"nvmlDeviceGetPcieThroughput", {"sent", "received"}},
      {"nvmlDeviceGetCurrPcieLinkGeneration", {"pcie_generation"}},
      {"nvmlDeviceGetCurrPcieLinkWidth", {"pcie_width"}},
      {"nvmlDeviceGetMigMode", {"divided"}}};
  for (const auto& [call, values] : rows) {
    CAPTURE(call);
    const auto probe = probe_of({{"FAIL", std::string(call) + "=3"}});
    CHECK(probe->absent() == "");
    std::vector<std::string> missing;
    for (const auto& [name, absent] : absences(probe->read(true))) {
      if (absent.empty()) continue;
      missing.push_back(name);
      CHECK(absent == std::string(call) + " failed: Not Supported (3)");
    }
    CHECK(missing == values);
  }
  CHECK(probe_of({{"FAIL", "nvmlSystemGetDriverVersion=999"}})->driver().absent ==
        "nvmlSystemGetDriverVersion failed: Unknown Error (999)");
  CHECK(probe_of({{"FAIL", "nvmlDeviceGetComputeRunningProcesses_v3=7"}})
            ->read(false)
            .users.absent.find("(7)") != std::string::npos);
}

TEST_CASE("nvml: none, or one that does not know the device, gives the reason for every value",
          "[unit][cuda]") {
  const auto check_absent = [](const NvmlProbe& probe, const std::string& reason) {
    CAPTURE(probe.absent());
    CHECK(probe.absent().find(reason) != std::string::npos);
    for (const auto& [name, absent] : absences(probe.read(true))) CHECK(absent == probe.absent());
  };
  set_stub({});
  check_absent(*make_nvml_probe(kUuid, "libnvidia-ml-of-nobody.so.1"),
               "cannot open NVML's library libnvidia-ml-of-nobody.so.1: ");
  check_absent(*make_nvml_probe(kUuid, built_path("stub_cuda/libcuda.so.1")),
               "has no function nvmlInit_v2");
  const auto dead = probe_of({{"FAIL", "nvmlInit_v2=9"}});
  check_absent(*dead, "nvmlInit_v2 failed: Driver Not Loaded (9)");
  CHECK(dead->driver().absent == dead->absent());
  check_absent(
      *probe_of({}, "ffffffff-0000-0000-0000-000000000000"),
      "nvmlDeviceGetHandleByUUID of ffffffff-0000-0000-0000-000000000000 failed: Not Found (6)");
  CHECK(nvml_started() == 0);
}

TEST_CASE("nvml: a part of a divided device is found by its other name", "[unit][cuda]") {
  const auto part =
      probe_of({{"FAIL", "nvmlDeviceGetMigMode=3"}}, "00112233-4455-6677-8899-aabbccddee01");
  CHECK(part->absent() == "");
  CHECK(part->read(false).divided.value == true);  // whatever it says of itself
}

TEST_CASE("nvml: a library that lacks functions gives what it has, by their older names",
          "[unit][cuda]") {
  set_stub({});
  const auto probe =
      make_nvml_probe(kUuid, built_path("stub_cuda/libbenchbench_stub_old_nvml.so.1"));
  CHECK(probe->absent() == "");
  const NvmlReading r = probe->read(true);
  std::vector<std::string> missing;
  for (const auto& [name, absent] : absences(r))
    if (!absent.empty()) missing.push_back(name);
  CHECK(missing == std::vector<std::string>{"power", "power_limit", "energy", "sent", "received",
                                            "pcie_generation", "pcie_width", "divided"});
  CHECK(r.power.absent == "this driver's NVML has no function nvmlDeviceGetPowerUsage");
  CHECK(r.clock_mhz.value == 1980u);
  CHECK(r.temperature.value == 61u);
  CHECK(r.throttle.value == (kThrottlePowerCap | kThrottleHot));
  REQUIRE(r.users.value);
  CHECK(r.users.value->size() == 10);
}

TEST_CASE("nvml: a newer call that fails is made under its older name", "[unit][cuda]") {
  const auto probe = probe_of({{"FAIL", "nvmlDeviceGetTemperatureV=25"}});
  CHECK(probe->read(false).temperature.value == 61u);
  CHECK(probe_of({{"FAIL", "nvmlDeviceGetTemperatureV=25,nvmlDeviceGetTemperature=3"}})
            ->read(false)
            .temperature.absent == "nvmlDeviceGetTemperature failed: Not Supported (3)");
}

TEST_CASE("nvml: all cards of the machine, without the driver", "[unit][cuda]") {
  const std::string library = built_path("stub_cuda/libnvidia-ml.so.1");
  set_stub({{"NAME", "Stub H200"}});
  const auto cards = list_nvml_cards(library);
  REQUIRE(cards.size() == 1);
  CHECK(cards[0].uuid == kUuid);
  CHECK(cards[0].model == "Stub H200");
  CHECK(nvml_started() == 0);
  set_stub({{"FAIL", "nvmlInit_v2=9"}});
  CHECK(list_nvml_cards(library).empty());
  CHECK(list_nvml_cards("libnvidia-ml-of-nobody.so.1").empty());
  CHECK(list_nvml_cards(built_path("stub_cuda/libbenchbench_stub_old_nvml.so.1")).empty());
}

TEST_CASE("nvml: a driver that writes longer entries is not believed beyond the first",
          "[unit][cuda]") {
  const auto users = [](const char* driver, const char* strangers) {
    return probe_of({{"WIDE", "1"}, {"NVML_DRIVER", driver}, {"STRANGERS", strangers}})
        ->read(false)
        .users;
  };
  CHECK(users("535.54.03", "8").absent == "driver 535.54.03 may list several processes wrongly");
  CHECK(users("530.30.02", "2").absent == "driver 530.30.02 may list several processes wrongly");
  const auto one = users("535.98", "1");
  REQUIRE(one.value);
  REQUIRE(one.value->size() == 1);
  CHECK((*one.value)[0].pid == 1000);
  for (const char* driver : {"525.147.05", "535.154.05", "535.183.01", "550.54.15", "580.65.06",
                             "470.82.01", "", "unknown"})
    CHECK(lists_processes(driver));
  for (const char* driver : {"530.30.02", "535", "535.54.03", "535.153.99"})
    CHECK_FALSE(lists_processes(driver));
}

TEST_CASE("nvml: reasons for a low clock as words", "[unit][cuda]") {
  CHECK(throttle_text(0) == "none");
  CHECK(throttle_text(kThrottlePowerCap | kThrottleHot) == "power cap, hot");
  CHECK(throttle_text(0x7ff) ==
        "idle, application clocks, power cap, hardware, sync boost, hot, too hot, power brake, "
        "display clocks, board limit, reliability");
  CHECK(throttle_text(0x1000 | kThrottleIdle) == "idle, 0x1000");
}

}  // namespace nvml_test
}  // namespace benchbench::test::cuda
