// Enums whose values are known by a word each, in files and in texts.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <iterator>
#include <optional>
#include <string_view>

namespace benchbench {

// Specialised for such an enum: a std::array of its words, in the order of its values, which begin
// at 0.
template <class E>
inline constexpr std::nullptr_t kWordsOf = nullptr;

template <class E>
concept HasWords = !std::same_as<decltype(kWordsOf<E>), const std::nullptr_t>;

template <HasWords E>
constexpr std::string_view name_of(E value) noexcept {
  return kWordsOf<E>[static_cast<std::size_t>(value)];
}

// nullopt for any other word.
template <HasWords E>
constexpr std::optional<E> from_name(std::string_view word) noexcept {
  const auto& words = kWordsOf<E>;
  const auto at = std::find(words.begin(), words.end(), word);
  if (at == words.end()) return std::nullopt;
  return static_cast<E>(std::distance(words.begin(), at));
}

}  // namespace benchbench
