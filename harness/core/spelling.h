// "did you mean": the nearest of the allowed words.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace benchbench {

// Optimal-string-alignment distance: insert, delete, replace, swap of neighbours cost 1 each.
// Case-insensitive.
std::size_t spelling_distance(std::string_view a, std::string_view b);
// What `word` was meant to be: the one of `allowed` with the same letters, else one that begins
// with it, has all its parts (`workers`, `size_batch`) or holds it, or that it is an addition to
// (`num_workers_max`); else the nearest within a third of its letters (at least 1, at most 3
// edits), by one edit of a part, or by a part that no other word has. A section before the dot that
// both have counts for nothing; in another section only the same letters do. Empty where none is
// near, and for words of under three letters but for capitals and separators.
std::string nearest_spelling(std::string_view word, std::span<const std::string> allowed);
// "; did you mean size?", with that word between `quotes`; empty where none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> allowed,
                         std::string_view quotes = "");
// "; did you mean b?" of the spelling that is near, or `otherwise` where none is near.
std::string suggest(std::string_view near, std::string_view otherwise = {});
// The same as a sentence of its own, such as a hint: "did you mean b?".
std::string ask_whether(std::string_view near, std::string_view otherwise = {});
// "; did you mean b? Allowed: a, b", ". Allowed: a, b" where none is near.
std::string suggest_allowed(std::string_view word, std::span<const std::string> allowed);
// True if `text` has `word` as a word by itself: `size` is not in `batch_size`.
bool mentions(std::string_view text, std::string_view word);
// True if the word is in a list such as "a,b,c".
bool is_listed(std::string_view list, std::string_view word);
// "a, b, c": a list for a message, cut after `max` with "... (n more)".
std::string listed(std::span<const std::string> words, std::size_t max = 24);

}  // namespace benchbench
