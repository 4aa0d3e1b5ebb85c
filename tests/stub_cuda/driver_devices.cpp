// Devices, contexts and memory.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/stub_cuda/call.h"
#include "tests/stub_cuda/contexts.h"

using namespace benchbench::stub_cuda;
using benchbench::cuda::Context;
using benchbench::cuda::DeviceId;
using benchbench::cuda::kOutOfMemory;
using benchbench::cuda::kSuccess;
using benchbench::cuda::Uuid;

namespace {

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// The context of device d is the handle d + 1.
Context context_of(int device) {
  return reinterpret_cast<Context>(static_cast<std::uintptr_t>(device) + 1);
}

bool is_device(const World& w, DeviceId device) {
  return device >= 0 && device < static_cast<int>(w.devices.size());
}

}  // namespace

// Reads the environment again and forgets a broken context, which no real driver does: one process
// tests many.
BENCHBENCH_STUB_EXPORT Result cuInit(unsigned) {
  World& w = world();
  {
    const Locked held(w.lock);
    w.settings = read_settings();
    w.calls = w.launches = 0;
    w.host_ns = 0;
    w.broken = kSuccess;
    w.devices.resize(static_cast<std::size_t>(std::max(w.settings.devices, 0)));
    for (DeviceObject& device : w.devices) std::ranges::fill(device.engine_free, 0);
  }
  Call call("cuInit", Needs::nothing);
  if (call.refused == kSuccess) w.started = true;
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuDriverGetVersion(int* version) {
  Call call("cuDriverGetVersion", Needs::nothing);
  *version = call.w.settings.driver;
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuDeviceGetCount(int* count) {
  Call call("cuDeviceGetCount", Needs::start);
  *count = static_cast<int>(call.w.devices.size());
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuDeviceGet(DeviceId* device, int ordinal) {
  Call call("cuDeviceGet", Needs::start);
  if (call.refused != kSuccess) return call.refused;
  if (!is_device(call.w, ordinal)) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuDeviceGetName(char* name, int length, DeviceId) {
  Call call("cuDeviceGetName", Needs::start);
  std::snprintf(name, static_cast<std::size_t>(length), "%s", call.w.settings.name.c_str());
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuDeviceGetUuid_v2(Uuid* uuid, DeviceId device) {
  Call call("cuDeviceGetUuid_v2", Needs::start);
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<unsigned char>(i * 17);
  uuid->bytes[15] = static_cast<unsigned char>(device);
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuDeviceGetAttribute(int* value, int attribute, DeviceId) {
  Call call("cuDeviceGetAttribute", Needs::start);
  switch (attribute) {
    case benchbench::cuda::kAttributeClockKHz:
      *value = 1'500'000;
      break;
    case benchbench::cuda::kAttributeProcessors:
      *value = 8;
      break;
    case benchbench::cuda::kAttributeCopyEngines:
      *value = 2;
      break;
    case benchbench::cuda::kAttributeCapabilityMajor:
      *value = 9;
      break;
    default:
      *value = 0;
  }
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceId) {
  Call call("cuDeviceTotalMem_v2", Needs::start);
  *bytes = call.w.settings.memory;
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuDeviceGetPCIBusId(char* text, int length, DeviceId device) {
  Call call("cuDeviceGetPCIBusId", Needs::start);
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", 0xA0 + device);
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuDevicePrimaryCtxRetain(Context* context, DeviceId device) {
  Call call("cuDevicePrimaryCtxRetain", Needs::start);
  if (call.refused != kSuccess) return call.refused;
  if (!is_device(call.w, device)) return kInvalidDevice;
  if (!take_context()) return benchbench::cuda::kDeviceUnavailable;
  ++call.w.devices[static_cast<std::size_t>(device)].contexts;
  *context = context_of(device);
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuDevicePrimaryCtxRelease_v2(DeviceId device) {
  Call call("cuDevicePrimaryCtxRelease_v2", Call::GivesBack::anywhere);
  if (!is_device(call.w, device)) return kInvalidDevice;
  int& contexts = call.w.devices[static_cast<std::size_t>(device)].contexts;
  if (contexts == 0) return kInvalidContext;
  if (--contexts == 0) give_context_back();
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuCtxSetCurrent(Context context) {
  Call call("cuCtxSetCurrent", Needs::start);
  if (call.refused != kSuccess) return call.refused;
  const int device = static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1;
  if (context && (!is_device(call.w, device) ||
                  call.w.devices[static_cast<std::size_t>(device)].contexts == 0))
    return kInvalidContext;
  current_context() = device + 1;
  return context ? call.w.broken : kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuCtxGetCurrent(Context* context) {
  Call call("cuCtxGetCurrent", Needs::start);
  *context = current_context() == 0 ? nullptr : context_of(current_context() - 1);
  return call.refused;
}

BENCHBENCH_STUB_EXPORT Result cuMemAlloc_v2(DevicePointer* data, std::size_t bytes) {
  Call call("cuMemAlloc_v2", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  if (bytes == 0) return kInvalidValue;
  DeviceObject& device = call.w.devices[static_cast<std::size_t>(call.device())];
  const std::size_t length = whole_pages(bytes);
  if (bytes > call.w.settings.memory || device.used + length > call.w.settings.memory)
    return kOutOfMemory;
  void* const visible =
      mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* const shadow =
      mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (visible == MAP_FAILED || shadow == MAP_FAILED) return kOutOfMemory;
  // It holds anything: no device clears what it hands out.
  std::memset(shadow, 0xa5, whole_pages(1));
  auto* const begin = static_cast<std::byte*>(visible);
  call.w.memory[begin] = {begin, static_cast<std::byte*>(shadow), bytes, call.device()};
  device.used += length;
  *data = reinterpret_cast<std::uintptr_t>(visible);
  return kSuccess;
}

// Waits for all work of the device, as the driver does.
BENCHBENCH_STUB_EXPORT Result cuMemFree_v2(DevicePointer data) {
  Call call("cuMemFree_v2", Call::GivesBack::in_context);
  if (call.lacks_context) return kInvalidContext;
  const auto found = call.w.memory.find(reinterpret_cast<std::byte*>(data));
  if (found == call.w.memory.end()) return kInvalidValue;
  const auto streams = call.w.streams;
  for (const auto& [handle, stream] : streams) wait_for(call.held, call.w, *stream, stream->queued);
  const MemoryObject memory = found->second;
  call.w.memory.erase(found);
  call.w.devices[static_cast<std::size_t>(memory.device)].used -= whole_pages(memory.size);
  munmap(memory.visible, whole_pages(memory.size));
  munmap(memory.bytes, whole_pages(memory.size));
  return call.refused ? call.refused : call.w.broken;
}

BENCHBENCH_STUB_EXPORT Result cuMemGetInfo_v2(std::size_t* left, std::size_t* total) {
  Call call("cuMemGetInfo_v2", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  *total = call.w.settings.memory;
  *left = *total - call.w.devices[static_cast<std::size_t>(call.device())].used;
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuMemHostRegister_v2(void* data, std::size_t bytes, unsigned) {
  Call call("cuMemHostRegister_v2", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  if (!data || bytes == 0) return kInvalidValue;
  const auto* const begin = static_cast<const std::byte*>(data);
  for (const auto& [other, size] : call.w.pinned)
    if (begin < other + size && other < begin + bytes) return kAlreadyRegistered;
  call.w.pinned[begin] = bytes;
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuMemHostUnregister(void* data) {
  Call call("cuMemHostUnregister", Call::GivesBack::in_context);
  if (call.lacks_context) return kInvalidContext;
  if (call.w.pinned.erase(static_cast<const std::byte*>(data)) == 0) return kNotRegistered;
  return call.refused ? call.refused : call.w.broken;
}
