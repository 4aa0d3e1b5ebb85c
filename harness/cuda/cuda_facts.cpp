#include "harness/cuda/cuda_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "harness/cuda/driver_error.h"

namespace benchbench::cuda {
namespace {

std::string uuid_text(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

int attribute(const Driver& driver, DeviceId device, int which) {
  int value = 0;
  check(driver.call, driver.call.device_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

// -1 where there is no such file: not every kernel, and no part of a divided device, has one.
int numa_node_of(const std::string& pci, const std::string& pci_folder) {
  std::ifstream file(pci_folder + "/" + pci + "/numa_node");
  int node = -1;
  return file >> node ? node : -1;
}

std::string read_pci(const Driver& driver, DeviceId device) {
  char text[32] = {};
  check(driver.call, driver.call.device_pci(text, sizeof text - 1, device), "cuDeviceGetPCIBusId");
  std::string pci = text;
  std::ranges::transform(pci, pci.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return pci;
}

std::string read_model(const Driver& driver, DeviceId device) {
  char text[256] = {};
  check(driver.call, driver.call.device_name(text, sizeof text - 1, device), "cuDeviceGetName");
  return text;
}

}  // namespace

CudaFacts read_cuda_facts(const Driver& driver, DeviceId device, int ordinal,
                          const std::string& pci_folder) {
  CudaFacts facts;
  facts.ordinal = ordinal;
  facts.name = fmt::format("cuda:{}", ordinal);
  facts.driver_version = driver.version;
  facts.model = read_model(driver, device);
  Uuid uuid{};
  check(driver.call, driver.call.device_uuid(&uuid, device), "cuDeviceGetUuid");
  facts.uuid = uuid_text(uuid);
  facts.pci = read_pci(driver, device);
  facts.numa_node = numa_node_of(facts.pci, pci_folder);
  facts.capability = attribute(driver, device, kAttributeCapabilityMajor) * 10 +
                     attribute(driver, device, kAttributeCapabilityMinor);
  facts.processors = attribute(driver, device, kAttributeProcessors);
  facts.copy_engines = attribute(driver, device, kAttributeCopyEngines);
  facts.clock_khz = attribute(driver, device, kAttributeClockKHz);
  std::size_t memory = 0;
  check(driver.call, driver.call.device_memory(&memory, device), "cuDeviceTotalMem_v2");
  facts.memory = memory;
  return facts;
}

}  // namespace benchbench::cuda
