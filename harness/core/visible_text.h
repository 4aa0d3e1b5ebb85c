// Names that come from files, archives and scenarios, as text for people: nothing in them moves a
// cursor, colours a line or turns its direction.
#pragma once
#include <string>
#include <string_view>

namespace benchbench {

// Control characters, also those of two bytes, and bytes that are no UTF-8 as "\x1b", Unicode's
// line breaks and marks of direction as "\u202e": one line, valid UTF-8. Twice is as once.
std::string visible(std::string_view text);
// The same of text of several lines: line feeds and tabs stay.
std::string visible_lines(std::string_view text);

}  // namespace benchbench
