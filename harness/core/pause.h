// One turn of a spinning wait.
#pragma once

namespace benchbench {

// Tells the core that this is a spin: the other hardware thread gets more of it, and leaving the
// loop is cheap.
inline void pause_cpu() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace benchbench
