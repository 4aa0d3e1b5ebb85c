// The tests' own module of torch's networks: tests/unit/torch/module.
#pragma once
#include <dlfcn.h>

#include <string>

#include "tests/places.h"
#include "tests/unit/torch/training_job.h"

namespace benchbench::test {

// The function that the module exports by this name. After BENCHBENCH_NEEDS_TORCH, which loads
// torch.
inline void* find_test_function(const char* name) {
  const std::string module = built_path("test_modules/libbenchbench_test_torch.so");
  void* const handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw PartError(dlerror());
  void* const found = dlsym(handle, name);
  if (!found) throw PartError(module + " has no " + name);
  return found;
}

}  // namespace benchbench::test
