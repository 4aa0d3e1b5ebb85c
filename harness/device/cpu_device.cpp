// The CPU as a device: uploads are the identity, slots are huge-page memory.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "harness/core/error.h"
#include "harness/part/device.h"

namespace benchbench {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// A mapping never shorter than one page, aligned to a huge page where it is that long: only then can the
// kernel back it with huge pages from its first byte. A fresh 38 MB batch costs ten times a memcpy in page
// faults, so with `touch` every page is touched here, before any window.
std::byte* map(std::size_t bytes, bool touch) {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const bool huge = bytes >= kHugePage;
  const std::size_t length = rounded(bytes ? bytes : 1, page);
  const std::size_t room = huge ? length + kHugePage : length;
  void* mapped = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    const std::string message =
        "cannot allocate " + std::to_string(bytes) + " bytes for batch slots: " + std::strerror(errno);
    throw PartError(message, "reduce loader.batch_size, prefetch_factor or num_workers");
  }
  auto* const start = static_cast<std::byte*>(mapped);
  std::byte* data = start;
  if (huge) {
    data = reinterpret_cast<std::byte*>(rounded(reinterpret_cast<std::uintptr_t>(start), kHugePage));
    if (data != start) munmap(start, static_cast<std::size_t>(data - start));
    const std::size_t behind = static_cast<std::size_t>(start + room - (data + length));
    if (behind) munmap(data + length, behind);
    madvise(data, length, MADV_HUGEPAGE);  // a wish: refused where huge pages are switched off
  }
  for (std::size_t at = 0; touch && at < length; at += page) data[at] = std::byte{0};
  return data;
}

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
      throw DeviceError("the device \"cpu\" has no pinned memory", "pin_memory needs a CUDA device");
    if (where == Memory::device)
      throw DeviceError("the device \"cpu\" has no device memory", "use host memory or a CUDA device");
    return map(bytes, touch_);
  }

  void deallocate(std::byte* data, std::size_t bytes, Memory) noexcept override {
    if (data) munmap(data, rounded(bytes ? bytes : 1, static_cast<std::size_t>(sysconf(_SC_PAGESIZE))));
  }

  BatchLease upload(BatchLease batch, StageMeter&, StepNumber) override { return batch; }

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
