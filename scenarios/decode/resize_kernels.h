// The two passes of a resize, over rows of pixels. Widest vectors of the machine, chosen at run
// time; the *_plain twins are the definition, and give the same bytes.
#pragma once
#include <cstdint>
#include <span>

#include "scenarios/decode/region.h"
#include "scenarios/decode/resize_axis.h"

namespace benchbench {

// Across: from a row of 4-byte pixels to axis.count() packed 3-byte pixels. Reads up to
// kAcrossSlack bytes behind the last pixel needed, writes one byte behind the last pixel.
inline constexpr int kAcrossSlack = 64;
void resize_across(const ResizeAxis& axis, const std::uint8_t* from, std::uint8_t* to);
void resize_across_plain(const ResizeAxis& axis, const std::uint8_t* from, std::uint8_t* to);
// Two rows at once, for the price of one and a half; the same bytes.
void resize_across_two(const ResizeAxis& axis, const std::uint8_t* from_a,
                       const std::uint8_t* from_b, std::uint8_t* to_a, std::uint8_t* to_b);

// Down: one output row of `bytes` bytes as the weighted sum of rows.size() rows. Writes those bytes
// only.
void resize_down(RowPointers rows, const std::int16_t* weights, std::uint8_t* to, int bytes);
void resize_down_plain(RowPointers rows, const std::int16_t* weights, std::uint8_t* to, int bytes);

}  // namespace benchbench
