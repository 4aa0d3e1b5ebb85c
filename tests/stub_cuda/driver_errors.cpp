// Names of errors; what tests ask of the stub itself; what is left at the end.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/stub_cuda/call.h"

using namespace benchbench::stub_cuda;

namespace {

struct Named {
  Result result;
  const char* name;
  const char* text;
};
constexpr Named kNamed[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const Named* named(Result result) {
  for (const Named& row : kNamed)
    if (row.result == result) return &row;
  return nullptr;
}

// What was made and not given back, of one kind.
std::uint64_t alive(const World& w, std::string_view kind) {
  if (kind == "contexts") {
    std::uint64_t contexts = 0;
    for (const DeviceObject& device : w.devices)
      contexts += static_cast<std::uint64_t>(device.contexts);
    return contexts;
  }
  if (kind == "streams") return w.streams.size();
  if (kind == "events") return w.events.size();
  if (kind == "modules") return w.modules.size();
  if (kind == "device memory") return w.memory.size();
  return kind == "pinned ranges" ? w.pinned.size() : ~std::uint64_t{0};
}

__attribute__((destructor)) void tell_leaks() {
  const char* const file = std::getenv("BENCHBENCH_STUB_LEAKS");
  FILE* to = nullptr;
  World& w = world();
  for (const char* const kind :
       {"contexts", "streams", "events", "modules", "device memory", "pinned ranges"}) {
    const std::uint64_t left = alive(w, kind);
    if (left == 0) continue;
    if (!to) to = file ? std::fopen(file, "a") : stderr;
    if (to)
      std::fprintf(to, "stub_cuda: not given back: %s %llu\n", kind,
                   static_cast<unsigned long long>(left));
  }
  if (to && to != stderr) std::fclose(to);
}

}  // namespace

BENCHBENCH_STUB_EXPORT Result cuGetErrorName(Result error, const char** name) {
  const Named* const row = named(error);
  *name = row ? row->name : nullptr;
  return row ? 0 : kInvalidValue;
}

BENCHBENCH_STUB_EXPORT Result cuGetErrorString(Result error, const char** text) {
  const Named* const row = named(error);
  *text = row ? row->text : nullptr;
  return row ? 0 : kInvalidValue;
}

// For tests, by dlsym: how many of a kind are alive; whether a range is pinned; calls so far; the
// calling thread's context, 0 without one.
BENCHBENCH_STUB_EXPORT std::uint64_t benchbench_stub_alive(const char* kind) {
  World& w = world();
  const Locked held(w.lock);
  return alive(w, kind);
}

BENCHBENCH_STUB_EXPORT int benchbench_stub_pinned(const void* data, std::size_t bytes) {
  World& w = world();
  const Locked held(w.lock);
  return is_pinned(w, data, bytes);
}

BENCHBENCH_STUB_EXPORT std::uint64_t benchbench_stub_calls() {
  World& w = world();
  const Locked held(w.lock);
  return w.calls;
}

BENCHBENCH_STUB_EXPORT int benchbench_stub_context() { return current_context(); }
