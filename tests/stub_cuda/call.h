// How each call of the stub driver begins: it is counted, and the faults that the environment asks
// for happen.
#pragma once
#include "tests/stub_cuda/world.h"

#define BENCHBENCH_STUB_EXPORT extern "C" __attribute__((visibility("default")))

namespace benchbench::stub_cuda {

// What must be so for the call to work: nothing; cuInit was called; the thread has a context, which
// is not broken.
enum class Needs { nothing, start, context };

// Holds the lock as long as it lives. `refused` is not kSuccess where the call must return it at
// once.
class Call {
 public:
  Call(std::string_view name, Needs needs);
  // A call that gives something back does so in a broken context too, and fails all the same; on a
  // thread without a context it does so only where it needs none.
  enum class GivesBack { in_context, anywhere };
  Call(std::string_view name, GivesBack where);
  bool lacks_context = false;
  World& w;
  Locked held;
  Result refused = cuda::kSuccess;
  int device() const noexcept { return current_context() - 1; }

 private:
  void count(std::string_view name);
};

}  // namespace benchbench::stub_cuda
