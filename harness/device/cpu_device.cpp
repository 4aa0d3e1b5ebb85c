// The CPU as a device: batches stay where they are, slots are huge-page memory.
#include <cstdio>
#include <cstring>
#include <string>

#include "harness/core/error.h"
#include "harness/core/host_pages.h"
#include "harness/part/device.h"

namespace benchbench {
namespace {

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(bool touch) : touch_(touch) {}
  std::string_view name() const noexcept override { return "cpu"; }
  std::string_view model() const noexcept override {
    static const std::string model = read_model();
    return model;
  }

  std::byte* allocate(std::size_t bytes, Memory where) override {
    if (where == Memory::pinned)
      throw DeviceError("the device \"cpu\" has no pinned memory",
                        "pin_memory needs an accelerator: trainer.device: emulated or cuda:N");
    if (where == Memory::device)
      throw DeviceError("the device \"cpu\" has no device memory",
                        "use host memory or an accelerator");
    return map_pages(bytes, touch_);
  }

  void deallocate(std::byte* data, std::size_t bytes, Memory) noexcept override {
    unmap_pages(data, bytes);
  }

 private:
  static std::string read_model() {
    std::string model = "unknown CPU";
    std::FILE* file = std::fopen("/proc/cpuinfo", "re");
    if (!file) return model;
    char line[512];
    while (std::fgets(line, sizeof line, file)) {
      if (std::strncmp(line, "model name", 10) != 0) continue;
      if (const char* colon = std::strchr(line, ':')) {
        model.assign(colon + 2);
        while (!model.empty() && model.back() == '\n') model.pop_back();
      }
      break;
    }
    std::fclose(file);
    return model;
  }

  bool touch_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(bool touch) { return std::make_unique<CpuDevice>(touch); }

}  // namespace benchbench
