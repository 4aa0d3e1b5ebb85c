#include "harness/core/text/visible_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/utf8.h"

namespace benchbench {
namespace {

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
