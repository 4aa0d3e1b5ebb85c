// A number as text, without a unit.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace benchbench {

// Sets `number` to the one that is all of the text; `base`: of a whole one, where it is not 10.
// False of any other text, and of one that Number cannot hold.
template <class Number, class... Base>
bool read_number(std::string_view text, Number& number, Base... base) noexcept {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, base...);
  return error == std::errc{} && end == last;
}
// Returns the same number; nullopt where there is none.
template <class Number, class... Base>
std::optional<Number> parse_number(std::string_view text, Base... base) noexcept {
  Number number{};
  return read_number(text, number, base...) ? std::optional(number) : std::nullopt;
}

}  // namespace benchbench
