// AMX as the processor reports it, and as oneDNN may use it.
#pragma once

namespace benchbench {

// Some hypervisors report AMX (CPUID leaf 7, XCR0) with an empty tile palette (leaf 0x1D). oneDNN
// looks at the former only, sets up tiles from the latter, and the first bfloat16 product ends the
// process with SIGILL. True here means so.
bool amx_without_palette() noexcept;

// Keeps oneDNN to AVX-512 there, unless ONEDNN_MAX_CPU_ISA is set already. Before oneDNN's first
// use; any number of times.
void avoid_unusable_amx() noexcept;

}  // namespace benchbench
