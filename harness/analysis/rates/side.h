// The side of a pipeline that holds it back.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "harness/core/words.h"

namespace benchbench {

enum class Side : std::uint8_t { unknown, loader, trainer, balanced, contention };
template <>
inline constexpr auto kWordsOf<Side> = std::to_array<std::string_view>(
    {"not measured", "loader", "trainer", "balanced", "contention"});

}  // namespace benchbench
