// Text as a terminal shows it.
#include "harness/report/text/display_text.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "harness/core/random.h"
#include "harness/report/text/text_table.h"

namespace benchbench::display_text_test {

TEST_CASE("display text: a word that is longer than a line is broken, best behind a slash or comma",
          "[unit][report]") {
  CHECK(wrapped("abcdefgh", 3) == "abc\ndef\ngh");
  CHECK(wrapped("abcdefgh", 5, 2) == "abcde\n  fgh");
  CHECK(wrapped("a bcdefgh", 4, 1) == "a\n bcd\n efg\n h");
  CHECK(wrapped("abcdefgh", 6, 1, 3) == "abc\n defgh");
  CHECK(wrapped("results/runs/x", 10) == "results/\nruns/x");
  // A break in the first half would leave the line empty.
  CHECK(wrapped("a/bcdefghijkl", 10) == "a/bcdefghi\njkl");
  CHECK(wrapped("写真写真", 4) == "写真\n写真");
  CHECK(wrapped("one\ntwo\tthree", 80) == "one two three");
  CHECK(wrapped("", 10).empty());
  CHECK(wrapped("abc", 1) == "a\nb\nc");
}

TEST_CASE("display text: a name keeps its star, a number its percent", "[unit][report]") {
  CHECK(wrapped("a name *", 6) == "a\nname *");
  CHECK(wrapped("over 10 % of", 7) == "over\n10 % of");
}

TEST_CASE("display text: lines that do not fit go on under their last column", "[unit][report]") {
  CHECK(fitted("  --set KEY  change a setting", 24) ==
        "  --set KEY  change a\n             setting");
  CHECK(fitted("  one two three", 10) == "  one two\n    three");
  CHECK(fitted("short\n  a  b\n", 10) == "short\n  a  b\n");
  CHECK(fitted("1234567890", 10) == "1234567890");
  CHECK(fitted("12345678901", 10) == "1234567890\n  1");
}

TEST_CASE("display text: no text of any kind is wider than asked", "[unit][report]") {
  Random random(3);
  const std::string letters[] = {"a",  "b", " ", " ",  "  ", "/", ",",
                                 "写", "±", "é", "\n", "%",  "*"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = random.below(120); n > 0; --n)
      text += letters[random.below(std::size(letters))];
    const std::size_t width = 12 + random.below(60), indent = random.below(8);
    for (const std::string& line : split_lines(wrapped(text, width, indent)))
      REQUIRE(display_width(line) <= width);
    for (const std::string& line : split_lines(fitted(text, width)))
      REQUIRE(display_width(line) <= width);
    CHECK(split_lines(fitted(text, 1000)) == split_lines(text));
  }
}

TEST_CASE("text table: names are broken where that spares a block of columns", "[unit][report]") {
  TextTable table;
  table.add({"point", "", Align::left, {"num_workers=0 threads=2", "b *"}});
  table.add({"rate", "", Align::right, {"1,234 ±5%", "12"}});
  table.add({"status", "", Align::left, {"NOISY", "-"}});
  const auto text = [&](std::size_t width) {
    std::ostringstream out;
    table.write(out, width,
                [](std::size_t row, std::string line) { return std::to_string(row) + line; });
    return out.str();
  };
  CHECK(text(42) ==
        "point                         rate  status\n0num_workers=0 threads=2  1,234 ±5%  "
        "NOISY\n1b *                             12  -\n");
  CHECK(text(41) ==
        "point                        rate  status\n0num_workers=0           1,234 ±5%  NOISY\n0  "
        "threads=2\n1b *                            12  -\n");
  CHECK(text(33) ==
        "point                rate  status\n0num_workers=0   1,234 ±5%  NOISY\n0  threads=2\n1b *  "
        "                  12  -\n");
  for (std::size_t width = 30; width < 60; ++width) {
    std::ostringstream out;
    table.write(out, width, [](std::size_t, std::string line) { return line; });
    for (const std::string& line : split_lines(out.str())) CHECK(display_width(line) <= width);
  }
}

}  // namespace benchbench::display_text_test
