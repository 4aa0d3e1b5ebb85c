// A device of the stub driver for one test: the environment says how it is to be, and at the end
// nothing of it may be left.
#pragma once
#include <dlfcn.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/cuda/cuda_device.h"
#include "tests/places.h"

extern char** environ;

namespace benchbench::test::cuda {

using namespace benchbench::cuda;
using Environment = std::vector<std::pair<std::string, std::string>>;

// Sets BENCHBENCH_STUB_<name>, and removes all others.
inline void set_stub(const Environment& settings) {
  std::vector<std::string> old;
  for (char** row = environ; *row; ++row)
    if (std::strncmp(*row, "BENCHBENCH_STUB_", 16) == 0)
      old.emplace_back(*row, std::strchr(*row, '='));
  for (const std::string& name : old) ::unsetenv(name.c_str());
  for (const auto& [name, value] : settings)
    ::setenv(("BENCHBENCH_STUB_" + name).c_str(), value.c_str(), 1);
}

// Adds a clock that the machine's other work does not touch. The host needs 10 us for each thing
// that it queues.
inline Environment on_virtual_clock(Environment settings = {}) {
  settings.emplace_back("CALL_NS", "10000");
  return settings;
}

// What the stub itself says: its library stays open, so these are of the one that the device uses.
template <class Call>
Call* stub_call(const char* name) {
  void* const library =
      ::dlopen(built_path("stub_cuda/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library);
  auto* const call = reinterpret_cast<Call*>(::dlsym(library, name));
  REQUIRE(call);
  return call;
}
inline std::uint64_t alive(const char* kind) {
  return stub_call<std::uint64_t(const char*)>("benchbench_stub_alive")(kind);
}
inline bool is_pinned(const void* data, std::size_t bytes) {
  return stub_call<int(const void*, std::size_t)>("benchbench_stub_pinned")(data, bytes) != 0;
}
inline std::uint64_t stub_calls() { return stub_call<std::uint64_t()>("benchbench_stub_calls")(); }
inline void check_nothing_left() {
  for (const char* const kind :
       {"contexts", "streams", "events", "modules", "device memory", "pinned ranges"}) {
    CAPTURE(kind);
    CHECK(alive(kind) == 0);
  }
  // The context of this thread: what it had is none any more.
  CHECK(stub_call<int()>("benchbench_stub_context")() == 0);
}

inline CudaOptions stub_options() {
  static const unsigned char image[] = "any image";
  CudaOptions options;
  options.driver = built_path("stub_cuda/libcuda.so.1");
  options.image = KernelImage{image, 13000};
  options.pci_folder = "/nowhere";
  options.kernels = false;
  return options;
}

struct Scene {
  explicit Scene(const Environment& settings = {}, CudaOptions with = stub_options())
      : options(std::move(with)) {
    set_stub(settings);
    device = make_cuda_device(0, options, *runtime);
    gpu = device->accelerator();
  }
  ~Scene() {
    device.reset();
    check_nothing_left();
    set_stub({});
  }
  CudaOptions options;
  std::unique_ptr<Runtime> runtime = make_real_runtime();
  std::unique_ptr<CudaDevice> device;
  Accelerator* gpu = nullptr;
};

// Memory of a device for one scope.
struct Held {
  Held(Device& of, std::size_t size, Memory lies)
      : device(of), bytes(size), where(lies), data(of.allocate(size, lies)) {}
  ~Held() { device.deallocate(data, bytes, where); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Device& device;
  const std::size_t bytes;
  const Memory where;
  std::byte* const data;
};

struct Refusal {
  ErrorKind kind = ErrorKind::usage;
  std::string message, hint;
  bool says(std::string_view text) const { return message.find(text) != std::string::npos; }
  bool hints(std::string_view text) const { return hint.find(text) != std::string::npos; }
};

// What the call throws; an empty message where it throws nothing.
template <class Call>
Refusal refusal_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.kind(), std::string(error.message()), std::string(error.hint())};
  }
  return {};
}

// Of making a device; the stub must be left with nothing.
inline Refusal refused_device(const Environment& settings,
                              const CudaOptions& options = stub_options(), int ordinal = 0) {
  set_stub(settings);
  const auto runtime = make_real_runtime();
  const Refusal refusal = refusal_of([&] { make_cuda_device(ordinal, options, *runtime); });
  check_nothing_left();
  set_stub({});
  return refusal;
}

}  // namespace benchbench::test::cuda
