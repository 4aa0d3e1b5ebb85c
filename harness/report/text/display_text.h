// Text as a terminal shows it: how wide it is, and broken into lines. What is cut, broken or fitted
// here is visible text (core/visible_text.h): a name with control characters is as wide as its
// escapes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace benchbench {

// Columns that a terminal needs for UTF-8 text: combining marks take none, East Asian wide
// characters and emoji two.
std::size_t display_width(std::string_view text) noexcept;
// Cut to at most `width` columns, with "…" where something was lost.
std::string cut_to_width(std::string_view text, std::size_t width);
// Words on lines of at most `width` columns, further lines after `indent` spaces; a longer word (a
// path, a name) is broken. The first line has `started` columns taken already. Line breaks of
// `text` are spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0,
                    std::size_t started = 0);
// Each line of `text` that is wider than `width` is broken as by wrapped(); what follows stands
// under the last column that two spaces set off in its first part, or two columns further in than
// the line. Every line ends with its break, if it had one.
std::string fitted(std::string_view text, std::size_t width);
// The lines of `text`, without their breaks; one where there is none.
std::vector<std::string> split_lines(std::string_view text);

}  // namespace benchbench
