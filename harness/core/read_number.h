// Numbers in texts of programs.
#pragma once
#include <charconv>
#include <string_view>

namespace benchbench {

// False where the text is not one number of that type, or holds more than it.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace benchbench
