#include "harness/report/history/plain_text.h"

namespace benchbench {

std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1 =
        c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    i += c1;
    out += c < 0x20 || c == 0x7f || c1 ? '?' : static_cast<char>(c);
  }
  return out;
}

}  // namespace benchbench
