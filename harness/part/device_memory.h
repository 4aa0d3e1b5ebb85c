// Memory of a device that is allocated once and given back at its end.
#pragma once
#include "harness/part/device.h"

namespace benchbench {

// The device outlives it.
class DeviceMemory {
 public:
  // Throws what Device::allocate throws.
  DeviceMemory(Device& device, std::size_t bytes, Memory where)
      : device_(device), bytes_(bytes), where_(where), data_(device.allocate(bytes, where)) {}
  ~DeviceMemory() { device_.deallocate(data_, bytes_, where_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  Memory where() const noexcept { return where_; }

 private:
  Device& device_;
  const std::size_t bytes_;
  const Memory where_;
  std::byte* const data_;
};

}  // namespace benchbench
