#include "tests/stub_cuda/call.h"

namespace benchbench::stub_cuda {

void Call::count(std::string_view name) {
  const std::uint64_t number = ++w.calls;
  if (number == w.settings.hang_at_call) {
    std::condition_variable never;
    never.wait(held, [] { return false; });
  }
  if (number == w.settings.lost_at_call) break_context(w, cuda::kUnknown);
  refused = w.settings.failing.failure_of(name);
}

Call::Call(std::string_view name, Needs needs) : w(world()), held(w.lock) {
  count(name);
  if (refused != cuda::kSuccess || needs == Needs::nothing) return;
  if (!w.started) refused = 3;  // CUDA_ERROR_NOT_INITIALIZED
  if (needs == Needs::start || refused != cuda::kSuccess) return;
  refused = current_context() == 0 ? kInvalidContext : w.broken;
}

Call::Call(std::string_view name, GivesBack where) : w(world()), held(w.lock) {
  count(name);
  lacks_context = where == GivesBack::in_context && current_context() == 0;
}

}  // namespace benchbench::stub_cuda
