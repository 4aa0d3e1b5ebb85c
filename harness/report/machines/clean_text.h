// Names and messages of users' files, as formats for other programs may hold them.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace benchbench {

// Valid UTF-8 without control characters but tab and line feed, and without U+FFFE and U+FFFF,
// which XML 1.0 forbids: each byte or character that is none of these becomes U+FFFD.
std::string clean_text(std::string_view text);

// The most bytes, up to `most`, after which no character of UTF-8 is cut.
std::size_t whole_characters(std::string_view text, std::size_t most) noexcept;

}  // namespace benchbench
