// The state that the stub's NVML answers from, and how each of its calls begins.
#pragma once
#include <mutex>
#include <string_view>

#include "harness/cuda/nvml_table.h"
#include "tests/stub_cuda/settings.h"

#define BENCHBENCH_STUB_EXPORT extern "C" __attribute__((visibility("default")))

namespace benchbench::stub_nvml {

using cuda::NvmlResult, cuda::kNvmlSuccess;

struct State {
  std::mutex lock;
  stub_cuda::FailingCalls failing;
  stub_cuda::Settings settings;
  unsigned users_asked = 0, errors_asked = 0, energy_asked = 0;
  int started = 0;
};
inline State& state() {
  static State* const all = new State;
  return *all;
}

inline NvmlResult refusal(std::string_view call) {
  const std::lock_guard held(state().lock);
  if (const int result = state().failing.failure_of(call)) return result;
  return state().started > 0 ? kNvmlSuccess : 1;  // NVML_ERROR_UNINITIALIZED
}

template <class T>
NvmlResult give(const char* call, T* to, T value) {
  const NvmlResult refused = refusal(call);
  if (refused == kNvmlSuccess) *to = value;
  return refused;
}

}  // namespace benchbench::stub_nvml
