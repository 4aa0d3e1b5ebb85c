// A JSON object on one line whose last member, `crc`, proves it whole: see "A sealed line" in
// results/README.md.
#pragma once
#include <string>
#include <string_view>

namespace benchbench {

// `json` is one object with at least one member, without a line break. The result ends with a line
// feed.
std::string sealed(std::string json);
// Whether the line (without its line feed) is what sealed() made.
bool is_whole(std::string_view line) noexcept;

}  // namespace benchbench
