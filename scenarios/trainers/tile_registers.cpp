#include "scenarios/trainers/tile_registers.h"

#include <cstdlib>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace benchbench {

#if defined(__x86_64__)
bool amx_without_palette() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned amx_tile = 1u << 24;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & amx_tile)) return false;
  // The highest palette; real tiles need palette 1.
  return !__get_cpuid_count(0x1d, 0, &a, &b, &c, &d) || a == 0;
}
#else
bool amx_without_palette() noexcept { return false; }
#endif

void avoid_unusable_amx() noexcept {
  static const bool unusable = amx_without_palette();
  if (unusable) ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
}

}  // namespace benchbench
