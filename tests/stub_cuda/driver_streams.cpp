// Streams, events, copies and kernels.
#include <algorithm>
#include <cstring>

#include "tests/stub_cuda/call.h"

using namespace benchbench::stub_cuda;
using benchbench::cuda::Event;
using benchbench::cuda::Function;
using benchbench::cuda::kNotReady;
using benchbench::cuda::kSuccess;
using benchbench::cuda::Module;
using benchbench::cuda::Stream;

namespace {

template <class Object>
std::shared_ptr<Object> found_in(const std::map<void*, std::shared_ptr<Object>>& all,
                                 void* handle) {
  const auto found = all.find(handle);
  return found == all.end() ? nullptr : found->second;
}

// To the device, copies of pageable memory that are no larger than this are staged at once.
constexpr std::size_t kStagedBytes = std::size_t{64} << 10;
// Up to the first the rate of copies of pageable memory is that of small ones, from the second on
// that of large ones.
constexpr double kSmall = 64e6, kLarge = 154e6;

double copy_rate(const Settings& s, bool pinned, std::size_t bytes) {
  if (pinned) return s.pinned;
  const double share =
      std::clamp((static_cast<double>(bytes) - kSmall) / (kLarge - kSmall), 0.0, 1.0);
  return s.pageable + share * (s.pageable_large - s.pageable);
}

// The caller waits until bytes of pageable memory have moved, or are staged; pinned memory is
// copied by the stream itself.
Result copy(Call& call, Stream handle, std::byte* device_bytes, const void* host, std::size_t bytes,
            bool to_device) {
  const auto stream = found_in(call.w.streams, handle);
  if (!stream) return kInvalidHandle;
  if (!device_bytes || bytes == 0) return kInvalidValue;
  const bool pinned = is_pinned(call.w, host, bytes);
  const double rate = copy_rate(call.w.settings, pinned, bytes);
  Work work;
  work.engine = to_device ? 0 : 1;
  if (rate > 0) work.takes = static_cast<std::int64_t>(static_cast<double>(bytes) / rate);
  const bool is_staged = !pinned && to_device && bytes <= kStagedBytes;
  auto* const host_bytes = static_cast<std::byte*>(const_cast<void*>(host));
  std::vector<std::byte> staged(host_bytes, host_bytes + (is_staged ? bytes : 0));
  work.run = [=, staged = std::move(staged)]() -> std::int64_t {
    if (to_device)
      std::memcpy(device_bytes, is_staged ? staged.data() : host_bytes, bytes);
    else
      std::memcpy(host_bytes, device_bytes, bytes);
    return -1;
  };
  const std::uint64_t number = put(*stream, std::move(work));
  if (!pinned && !is_staged) wait_for(call.held, call.w, *stream, number);
  return call.w.broken;
}

}  // namespace

BENCHBENCH_STUB_EXPORT Result cuStreamCreate(Stream* stream, unsigned) {
  Call call("cuStreamCreate", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  const auto made = start_stream(call.w, call.device());
  call.w.streams[made.get()] = made;
  *stream = reinterpret_cast<Stream>(made.get());
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuStreamDestroy_v2(Stream stream) {
  Call call("cuStreamDestroy_v2", Call::GivesBack::in_context);
  if (call.lacks_context) return kInvalidContext;
  const auto found = found_in(call.w.streams, stream);
  if (!found) return kInvalidHandle;
  call.w.streams.erase(stream);
  stop_stream(call.held, *found);
  return call.refused ? call.refused : call.w.broken;
}

BENCHBENCH_STUB_EXPORT Result cuStreamSynchronize(Stream stream) {
  Call call("cuStreamSynchronize", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  const auto found = found_in(call.w.streams, stream);
  if (!found) return kInvalidHandle;
  wait_for(call.held, call.w, *found, found->queued);
  return call.w.broken;
}

BENCHBENCH_STUB_EXPORT Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  Call call("cuStreamWaitEvent", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  const auto on = found_in(call.w.streams, stream);
  const auto what = found_in(call.w.events, event);
  if (!on || !what) return kInvalidHandle;
  Work work;
  work.wait = what;
  work.generation = what->recorded;
  put(*on, std::move(work));
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuEventCreate(Event* event, unsigned flags) {
  Call call("cuEventCreate", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  auto made = std::make_shared<EventObject>();
  made->flags = flags;
  *event = reinterpret_cast<Event>(made.get());
  call.w.events[made.get()] = std::move(made);
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuEventDestroy_v2(Event event) {
  Call call("cuEventDestroy_v2", Call::GivesBack::in_context);
  if (call.lacks_context) return kInvalidContext;
  if (call.w.events.erase(event) == 0) return kInvalidHandle;
  return call.refused ? call.refused : call.w.broken;
}

BENCHBENCH_STUB_EXPORT Result cuEventRecord(Event event, Stream stream) {
  Call call("cuEventRecord", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  const auto on = found_in(call.w.streams, stream);
  const auto what = found_in(call.w.events, event);
  if (!on || !what) return kInvalidHandle;
  Work work;
  work.record = what;
  work.generation = ++what->recorded;
  put(*on, std::move(work));
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuEventQuery(Event event) {
  Call call("cuEventQuery", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  const auto what = found_in(call.w.events, event);
  if (!what) return kInvalidHandle;
  return is_done(call.held, call.w, *what) ? kSuccess : kNotReady;
}

BENCHBENCH_STUB_EXPORT Result cuEventSynchronize(Event event) {
  Call call("cuEventSynchronize", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  const auto what = found_in(call.w.events, event);
  if (!what) return kInvalidHandle;
  const std::uint64_t wanted = what->recorded;
  call.w.progress.wait(call.held,
                       [&] { return call.w.broken != kSuccess || what->completed >= wanted; });
  if (wanted > 0) wait_until_seen(call.held, call.w, what->at);
  return call.w.broken;
}

BENCHBENCH_STUB_EXPORT Result cuEventElapsedTime(float* milliseconds, Event from, Event to) {
  Call call("cuEventElapsedTime", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  const auto first = found_in(call.w.events, from), last = found_in(call.w.events, to);
  for (const auto& event : {first, last})
    if (!event || event->recorded == 0 || event->flags & benchbench::cuda::kEventWithoutTime)
      return kInvalidHandle;
  for (const auto& event : {first, last})
    if (!is_done(call.held, call.w, *event)) return kNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(last->at - first->at) * 1e-6);
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from,
                                                   std::size_t bytes, Stream stream) {
  Call call("cuMemcpyHtoDAsync_v2", Needs::context);
  return call.refused ? call.refused
                      : copy(call, stream, bytes_behind(call.w, to, bytes), from, bytes, true);
}

BENCHBENCH_STUB_EXPORT Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes,
                                                   Stream stream) {
  Call call("cuMemcpyDtoHAsync_v2", Needs::context);
  return call.refused ? call.refused
                      : copy(call, stream, bytes_behind(call.w, from, bytes), to, bytes, false);
}

// Any image: the kernels are the twins. Where it is to fail it says why, as a compiler does.
BENCHBENCH_STUB_EXPORT Result cuModuleLoadDataEx(Module* module, const void* image,
                                                 unsigned options, int* names, void** values) {
  Call call("cuModuleLoadDataEx", Needs::context);
  if (call.refused != kSuccess && options == 2 && names[0] == benchbench::cuda::kJitErrorText)
    std::strncpy(static_cast<char*>(values[0]), "stub: cannot compile",
                 reinterpret_cast<std::size_t>(values[1]));
  if (call.refused != kSuccess) return call.refused;
  if (!image) return kInvalidValue;
  auto made = std::make_shared<ModuleObject>();
  *module = reinterpret_cast<Module>(made.get());
  call.w.modules[made.get()] = std::move(made);
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuModuleUnload(Module module) {
  Call call("cuModuleUnload", Call::GivesBack::in_context);
  if (call.lacks_context) return kInvalidContext;
  const auto found = found_in(call.w.modules, module);
  if (!found) return kInvalidHandle;
  for (const auto& kernel : found->kernels) call.w.kernels.erase(kernel.get());
  call.w.modules.erase(module);
  return call.refused ? call.refused : call.w.broken;
}

BENCHBENCH_STUB_EXPORT Result cuModuleGetFunction(Function* function, Module module,
                                                  const char* name) {
  Call call("cuModuleGetFunction", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  const auto found = found_in(call.w.modules, module);
  if (!found) return kInvalidHandle;
  if (std::ranges::find(names_of_twins(), name) == names_of_twins().end()) return kNotFound;
  found->kernels.push_back(std::make_unique<KernelObject>(KernelObject{name}));
  call.w.kernels.insert(found->kernels.back().get());
  *function = reinterpret_cast<Function>(found->kernels.back().get());
  return kSuccess;
}

BENCHBENCH_STUB_EXPORT Result cuLaunchKernel(Function function, unsigned grid_x, unsigned, unsigned,
                                             unsigned block_x, unsigned, unsigned, unsigned,
                                             Stream stream, void** parameters, void**) {
  Call call("cuLaunchKernel", Needs::context);
  if (call.refused != kSuccess) return call.refused;
  const auto on = found_in(call.w.streams, stream);
  if (!on || !call.w.kernels.contains(function)) return kInvalidHandle;
  if (grid_x == 0 || block_x == 0 || block_x > 1024) return kInvalidValue;
  wait_for_room(call.held, call.w, *on);
  const std::uint64_t number = ++call.w.launches;
  Work work;
  work.is_launch = true;
  if (number == call.w.settings.launch_fails_at) {
    work.run = []() -> std::int64_t {
      World& w = world();
      const Locked held(w.lock);
      break_context(w, benchbench::cuda::kLaunchFailed);
      return 0;
    };
  } else {
    work.run = twin_of(reinterpret_cast<KernelObject*>(function)->name, parameters, call.w.settings,
                       number);
  }
  put(*on, std::move(work));
  return kSuccess;
}
