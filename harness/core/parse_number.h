// A number as text, without a unit.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace benchbench {

// Returns the number that is all of the text; nullopt of any other text, and of one that Number
// cannot hold.
template <class Number>
std::optional<Number> parse_number(std::string_view text) noexcept {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace benchbench
