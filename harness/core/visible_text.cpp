#include "harness/core/visible_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/utf8.h"

namespace benchbench {
namespace {

// What begins a line (U+2028, 2029) or turns the direction of text (U+061C, 200E, 200F, 202A to
// 202E, 2066 to 2069), so that a name reads as another. 0 of any other.
unsigned unseen(std::string_view character) {
  if (character == "\u061c") return 0x061c;
  if (character.size() != 3) return 0;
  const auto byte = [&](int i) {
    return static_cast<unsigned char>(character[static_cast<std::size_t>(i)]) & (i ? 0x3f : 0x0f);
  };
  const unsigned code = byte(0) << 12 | byte(1) << 6 | byte(2);
  const bool is_unseen = code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
                         (code >= 0x2066 && code <= 0x2069);
  return is_unseen ? code : 0;
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    const bool of_two = length == 2 && c == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    if (of_two)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[1]));
    else if (length == 0 || ((c < 0x20 || c == 0x7f) && kept.find(text.front()) == kept.npos))
      out += fmt::format("\\x{:02x}", c);
    else if (const unsigned code = unseen(text.substr(0, length)))
      out += fmt::format("\\u{:04x}", code);
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

}  // namespace

std::string visible(std::string_view text) { return escaped(text, ""); }

std::string visible_lines(std::string_view text) { return escaped(text, "\n\t"); }

}  // namespace benchbench
