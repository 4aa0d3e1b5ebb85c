// Characters of UTF-8.
#pragma once
#include <cstddef>
#include <string_view>

namespace benchbench {

// Bytes of the character at the front of a text that is not empty; 0 where there is none: overlong
// forms and surrogates are none.
std::size_t utf8_length(std::string_view text) noexcept;

}  // namespace benchbench
