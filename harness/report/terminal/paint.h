// Colours of a terminal, where it has them.
#pragma once
#include <string>
#include <string_view>

namespace benchbench {

inline constexpr std::string_view kBold = "\x1b[1m", kDim = "\x1b[2m", kRed = "\x1b[31m",
                                  kYellow = "\x1b[33m", kGreen = "\x1b[32m",
                                  kUncoloured = "\x1b[0m";

struct Paint {
  bool colour = false;
  std::string operator()(std::string_view code, std::string_view text) const {
    if (!colour || code.empty() || text.empty()) return std::string(text);
    return std::string(code).append(text).append(kUncoloured);
  }
};

}  // namespace benchbench
