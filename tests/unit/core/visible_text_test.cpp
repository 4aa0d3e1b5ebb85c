#include "harness/core/visible_text.h"

#include <catch2/catch.hpp>

namespace benchbench {
namespace {

TEST_CASE(
    "visible text: control characters and bytes that are no UTF-8 are escaped, all else stays",
    "[unit][core]") {
  CHECK(visible("a \\ ±写😀") == "a \\ ±写😀");
  CHECK(visible("\x1b[1m\r\n\t\x7f") == "\\x1b[1m\\x0d\\x0a\\x09\\x7f");
  // C1 characters; a no-break space is none.
  CHECK(visible("\xc2\x9b\xc2\x80\xc2\xa0") == "\\x9b\\x80\xc2\xa0");
  CHECK(visible("\x9b"
                "1m\xc0\xaf") == "\\x9b1m\\xc0\\xaf");
  CHECK(visible("ab\xe5\x86") == "ab\\xe5\\x86");  // cut off
  CHECK(visible(std::string_view("\0", 1)) == "\\x00");
  CHECK(visible(visible("\x1b")) == visible("\x1b"));
}

TEST_CASE(
    "visible text: what breaks a line or turns its direction is escaped, their neighbours stay",
    "[unit][core]") {
  CHECK(visible("a\u200e\u200fb") == "a\\u200e\\u200fb");
  CHECK(visible("\u2028\u2029\u202a\u202e") == "\\u2028\\u2029\\u202a\\u202e");
  CHECK(visible("\u061b\u061c") == "\u061b\\u061c");
  CHECK(visible("\u2066\u2069") == "\\u2066\\u2069");
  CHECK(visible("\u200d\u2010\u2027\u202f\u2065\u206a") == "\u200d\u2010\u2027\u202f\u2065\u206a");
  CHECK(visible_lines("\u2028\n") == "\\u2028\n");
}

TEST_CASE("visible text: of several lines only breaks and tabs stay", "[unit][core]") {
  CHECK(visible_lines("a\n\tb\r\n\x1b") == "a\n\tb\\x0d\n\\x1b");
  CHECK(visible_lines("") == "");
}

}  // namespace
}  // namespace benchbench
