// A fuzzer finds no checksum: its lines are sealed for it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/store/sealed_line.h"

namespace benchbench::fuzz {

// Each line of the input that could be an object gets its checksum; the others stay as they are.
inline std::string sealed_lines(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::string lines;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const bool object = line.size() > 2 && line.back() == '}';
    lines +=
        object ? sealed(std::string(line)) : std::string(line) + (end < rest.size() ? "\n" : "");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

}  // namespace benchbench::fuzz
