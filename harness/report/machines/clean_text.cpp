#include "harness/report/machines/clean_text.h"

#include <algorithm>
#include <cstdint>

namespace benchbench {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Bytes of the character at the front of `text`; 0 where it begins with none: overlong, a
// surrogate, past U+10FFFF, cut off.
std::size_t character_bytes(std::string_view text, std::uint32_t& value) noexcept {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0x80         ? 1
                            : lead >> 5 == 0x6  ? 2
                            : lead >> 4 == 0xe  ? 3
                            : lead >> 3 == 0x1e ? 4
                                                : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  value = bytes == 1 ? lead : lead & (0xffu >> (bytes + 1));
  for (const char c : text.substr(1, bytes - 1)) {
    if (!continues(c)) return 0;
    value = value << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < least[bytes] || value > 0x10ffff || surrogate ? 0 : bytes;
}

bool may_stand(std::uint32_t c) noexcept {
  if (c == '\t' || c == '\n') return true;
  return c >= 0x20 && !(c >= 0x7f && c <= 0x9f) && c != 0xfffe && c != 0xffff;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::uint32_t value = 0;
    const std::size_t bytes = character_bytes(text, value);
    out += bytes > 0 && may_stand(value) ? text.substr(0, bytes) : kReplacement;
    text.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  return out;
}

std::size_t whole_characters(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text.size();
  while (most > 0 && continues(text[most])) --most;
  return most;
}

}  // namespace benchbench
