// An error's details of the user's code: where its traceback is, and where the last lines that it
// printed begin below that.
#pragma once
#include <string_view>

namespace benchbench {

inline constexpr std::string_view kLastPrinted = "The last it printed:";

// Other lines may stand above it, such as those of a message that has several; that of an
// ExceptionGroup is indented.
constexpr bool begins_traceback(std::string_view line) noexcept {
  return line.find("Traceback (most recent call last)") != line.npos;
}
constexpr bool has_traceback(std::string_view details) noexcept {
  return begins_traceback(details.substr(0, details.find(kLastPrinted)));
}

}  // namespace benchbench
