// How long a test waits for what another process or thread does.
#pragma once
#include <chrono>

namespace benchbench::test {

// What takes longer hangs: no machine is so busy. The timeout of a row is twice as long.
inline constexpr std::chrono::minutes kHang{5};

}  // namespace benchbench::test
