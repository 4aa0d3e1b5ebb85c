#include "tests/stub_cuda/world.h"

#include <algorithm>
#include <ctime>

namespace benchbench::stub_cuda {

std::int64_t now_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{1'000'000'000} * t.tv_sec + t.tv_nsec;
}

bool is_virtual(const World& w) noexcept { return w.settings.call_ns > 0; }

std::int64_t time_of_a_call(World& w) noexcept {
  return is_virtual(w) ? w.host_ns += w.settings.call_ns : now_ns();
}

void wait_on_virtual_clock(World& w, std::int64_t until) noexcept {
  if (is_virtual(w)) w.host_ns = std::max(w.host_ns, until);
}

World& world() {
  static World* const all = new World;
  return *all;
}

int& current_context() noexcept {
  static thread_local int device = 0;
  return device;
}

std::byte* bytes_behind(World& w, DevicePointer address, std::size_t size) {
  auto* const at = reinterpret_cast<std::byte*>(address);
  auto found = w.memory.upper_bound(at);
  if (found == w.memory.begin()) return nullptr;
  const MemoryObject& memory = std::prev(found)->second;
  const auto offset = static_cast<std::size_t>(at - memory.visible);
  return offset <= memory.size && size <= memory.size - offset ? memory.bytes + offset : nullptr;
}

bool is_pinned(const World& w, const void* data, std::size_t size) {
  const auto* const at = static_cast<const std::byte*>(data);
  auto found = w.pinned.upper_bound(at);
  if (found == w.pinned.begin()) return false;
  --found;
  return at + size <= found->first + found->second;
}

void break_context(World& w, Result result) {
  if (w.broken == cuda::kSuccess) w.broken = result;
  w.progress.notify_all();
}

}  // namespace benchbench::stub_cuda
