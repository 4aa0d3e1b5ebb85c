// "did you mean": the nearest of the allowed words.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace benchbench {

// Optimal-string-alignment distance: insert, delete, replace, swap of neighbours cost 1 each. Case-insensitive.
std::size_t spelling_distance(std::string_view a, std::string_view b);
// The nearest of `allowed` within a third of the word's length (at least 1, at most 3 edits); empty where none is.
std::string nearest_spelling(std::string_view word, std::span<const std::string> allowed);
// "a, b, c": a list for a message, cut after `max` with "... (n more)".
std::string listed(std::span<const std::string> words, std::size_t max = 24);

}  // namespace benchbench
