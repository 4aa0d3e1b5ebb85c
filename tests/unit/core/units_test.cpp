#include "harness/core/units.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "harness/core/random.h"

namespace benchbench::units_test {

using namespace std::chrono_literals;

TEST_CASE("units: durations are read with their unit and refused without", "[unit][core]") {
  CHECK(parse_duration("12ms") == Nanoseconds{12ms});
  CHECK(parse_duration("1.5s") == Nanoseconds{1500ms});
  CHECK(parse_duration("3min") == Nanoseconds{180s});
  CHECK(parse_duration("2h") == Nanoseconds{2h});
  CHECK(parse_duration("250us") == Nanoseconds{250us});
  CHECK(parse_duration("80ns") == Nanoseconds{80});
  CHECK(parse_duration("0") == Nanoseconds{0});
  CHECK(parse_duration("9223372036854775807ns") == Nanoseconds::max());
  for (const char* bad :
       {"", "12", "ms", "12 ms", "12MS", "-5ms", "+5ms", "1e400s", "12msx", "nan", "inf", "0x10s",
        ".5s", "1,5s", "9223372036854775808ns", "300000h0", "1e10h"})
    CHECK_FALSE(parse_duration(bad));
}

TEST_CASE("units: bytes take decimal and binary prefixes; a bare whole number counts bytes",
          "[unit][core]") {
  CHECK(parse_bytes("64KiB") == Bytes{65536});
  CHECK(parse_bytes("1.5GB") == Bytes{1'500'000'000});
  CHECK(parse_bytes("512B") == Bytes{512});
  CHECK(parse_bytes("512") == Bytes{512});
  CHECK(parse_bytes("1kB") == parse_bytes("1KB"));
  CHECK(parse_bytes("2TiB") == Bytes{2ull << 40});
  for (const char* bad : {"", "1.5", "1.5B", "64K", "64kib", "5Gb", "-1B", "1e30", "KiB"})
    CHECK_FALSE(parse_bytes(bad));
}

TEST_CASE("units: rates count events, bandwidths count bytes", "[unit][core]") {
  CHECK(parse_rate("500/s") == 500.0);
  CHECK(parse_rate("1.2k/s") == 1200.0);
  CHECK(parse_rate("30/min") == 0.5);
  CHECK(parse_rate("1/h") == 1.0 / 3600);
  CHECK_FALSE(parse_rate("500"));
  CHECK_FALSE(parse_rate("500/ms"));
  CHECK(parse_bandwidth("1.2GB/s") == 1.2e9);
  CHECK(parse_bandwidth("150MiB/s") == 150.0 * 1048576);
  CHECK_FALSE(parse_bandwidth("150MiB"));
  CHECK_FALSE(parse_bandwidth("150/s"));
}

TEST_CASE("units: the text of a value is its shortest exact form in the largest fitting unit",
          "[unit][core]") {
  CHECK(duration_text(1500us) == "1.5ms");
  CHECK(duration_text(100ms) == "100ms");
  CHECK(duration_text(90s) == "90s");
  CHECK(duration_text(120s) == "2min");
  CHECK(duration_text(90min) == "1.5h");
  CHECK(duration_text(Nanoseconds{0}) == "0s");
  CHECK(duration_text(Nanoseconds{-1'500'000}) == "-1.5ms");
  CHECK(duration_text(Nanoseconds{1'000'000'001}) == "1.000000001s");
  CHECK(bytes_text(Bytes{65536}) == "64KiB");
  CHECK(bytes_text(Bytes{1'000'000}) == "1MB");
  CHECK(bytes_text(Bytes{114'660}) == "114660B");
  CHECK(bytes_text(Bytes{0}) == "0B");
  CHECK(rate_text(500) == "500/s");
  CHECK(rate_text(1200) == "1.2k/s");
  CHECK(rate_text(1.0 / 60) == "60/h");
  CHECK(rate_text(0) == "0/s");
  CHECK(rate_text(150e12) == "150T/s");
  CHECK(rate_text(2.5e9) == "2.5G/s");
  CHECK(parse_rate("150T/s") == 150e12);
  CHECK(bandwidth_text(1.2e9) == "1.2GB/s");
  CHECK(bandwidth_text(150.0 * 1048576) == "150MiB/s");
}

TEST_CASE("units: parse is the inverse of text for values of every size", "[unit][core]") {
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random.next() >> random.below(63);
    const Nanoseconds duration{static_cast<std::int64_t>(bits >> 1)};
    REQUIRE(parse_duration(duration_text(duration)) == duration);
    REQUIRE(parse_bytes(bytes_text(Bytes{bits})) == Bytes{bits});
    const double rate = random.uniform() * static_cast<double>(bits);
    REQUIRE(parse_rate(rate_text(rate)) == rate);
    REQUIRE(parse_bandwidth(bandwidth_text(rate)) == rate);
    const double round_rate = static_cast<double>(random.below(100'000));
    REQUIRE(parse_rate(rate_text(round_rate)) == round_rate);
  }
}

TEST_CASE(
    "units: a rate is refused exactly where its number and its unit are more than a double holds",
    "[unit][core]") {
  const auto at_most = [](std::string_view text, std::optional<double> read, bool infinite,
                          std::string (*back)(double), auto parse) {
    INFO(text);
    REQUIRE(read.has_value() != infinite);
    if (!read) return;
    REQUIRE(std::isfinite(*read));
    INFO(back(*read));
    REQUIRE(parse(back(*read)) == *read);
  };
  for (int exponent = -300; exponent <= 308; ++exponent)
    for (const char* digits : {"1", "1.7", "9.999"}) {
      const std::string number = std::string(digits) + "e" + std::to_string(exponent);
      for (const char* unit : {"T/s", "G/s", "M/s", "k/s", "/s", "/min", "/h"})
        at_most(number + unit, parse_rate(number + unit), is_infinite_rate(number + unit),
                rate_text, parse_rate);
      for (const char* unit :
           {"TiB/s", "TB/s", "GiB/s", "GB/s", "MiB/s", "MB/s", "KiB/s", "kB/s", "KB/s", "B/s"})
        at_most(number + unit, parse_bandwidth(number + unit), is_infinite_bandwidth(number + unit),
                bandwidth_text, parse_bandwidth);
    }
  for (const char* large : {"1e400/s", "1e5000/h", "1e300T/s"})
    CHECK((is_infinite_rate(large) && !parse_rate(large)));
  for (const char* large : {"1e300GB/s", "1e5000B/s"})
    CHECK((is_infinite_bandwidth(large) && !parse_bandwidth(large)));
  for (const char* none : {"inf/s", "nan/s", "1e400", "1e400GB/s"})
    CHECK((!is_infinite_rate(none) && !parse_rate(none)));
  CHECK(parse_rate("1e-5000/s") == 0.0);
}

TEST_CASE("units: what people read has three significant digits and never an exponent",
          "[unit][core]") {
  CHECK(human_duration(12'345us) == "12.3 ms");
  CHECK(human_duration(Nanoseconds{999'600}) == "1 ms");
  CHECK(human_duration(Nanoseconds{80}) == "80 ns");
  CHECK(human_duration(83s) == "83 s");
  CHECK(human_duration(Nanoseconds{119'499'999'999}) == "119 s");
  CHECK(human_duration(Nanoseconds{119'500'000'000}) == "2 min");
  CHECK(human_duration(158s) == "2 min 38 s");
  CHECK(human_duration(-158s) == "-2 min 38 s");
  CHECK(human_duration(Nanoseconds{7'199'499'999'999}) == "119 min 59 s");
  CHECK(human_duration(Nanoseconds{7'199'500'000'000}) == "2 h");
  CHECK(human_duration(11'100s) == "3 h 5 min");
  CHECK(human_duration(-3ms) == "-3 ms");
  CHECK(human_duration(3000h) == "3,000 h");
  CHECK(human_bytes(4.1 * (1 << 30)) == "4.1 GiB");
  CHECK(human_bytes(1023.9) == "1 KiB");
  CHECK(human_bytes(512) == "512 B");
  CHECK(human_count(1234) == "1,234");
  CHECK(human_count(1234567.4) == "1,234,567");
  CHECK(human_count(-1234567) == "-1,234,567");
  CHECK(human_count(12.34) == "12.3");
  CHECK(human_count(0) == "0");
  CHECK(human_count(0.0001) == "0.0001");
  CHECK(human_count(0.000099) == "under 0.0001");
  CHECK(human_count(999.4) == "999");
  CHECK(human_count(999.5) == "1,000");
}

TEST_CASE("units: what people read is short, of every magnitude, and of what is no number",
          "[unit][core]") {
  const double kInfinite = std::numeric_limits<double>::infinity();
  for (const double odd : {std::nan(""), kInfinite, -kInfinite}) {
    CHECK(human_count(odd) == "not known");
    CHECK(human_bytes(odd) == "not known");
  }
  CHECK(from_seconds(std::nan("")) == 0ns);
  CHECK(from_seconds(kInfinite) == Nanoseconds::max());
  CHECK(from_seconds(-1e300) == Nanoseconds::min());
  CHECK(from_seconds(9.3e9) == Nanoseconds::max());
  CHECK(from_seconds(-9.3e9) == Nanoseconds::min());
  CHECK(human_duration(Nanoseconds::max()) == "2,562,047 h 47 min");
  CHECK(human_duration(Nanoseconds::min()) == "-2,562,047 h 47 min");
  CHECK(human_count(std::numeric_limits<std::int32_t>::min()) == "-2,147,483,648");
  CHECK(human_count(std::numeric_limits<double>::max()) == "over 10^18");
  CHECK(human_count(std::numeric_limits<double>::lowest()) == "under -10^18");
  Random random(11);
  const auto reads_well = [](const std::string& text) {
    INFO(text);
    const bool exponent = text.find('e') != std::string::npos && !text.starts_with("under") &&
                          !text.starts_with("over");
    CHECK_FALSE(exponent);
    CHECK(text.size() <= 26);
    CHECK_FALSE(text.starts_with("-0 "));
  };
  for (int i = 0; i < 20'000; ++i) {
    const double value = (random.uniform() - 0.5) * std::pow(10, -12 + 36 * random.uniform());
    reads_well(human_count(value));
    reads_well(human_bytes(value));
    reads_well(
        human_duration(Nanoseconds{static_cast<std::int64_t>(random.next() >> random.below(63))}));
  }
}

TEST_CASE("units: rounding carries into the next unit", "[unit][core]") {
  for (std::int64_t seconds = 120; seconds < 20'000; ++seconds)
    for (const std::int64_t off : {-500'000'001, -1, 0, 1, 499'999'999}) {
      const std::string text = human_duration(Nanoseconds{seconds * 1'000'000'000 + off});
      REQUIRE(text.find(" 60 ") == std::string::npos);
      REQUIRE(text.find(" 0 ") == std::string::npos);
    }
  CHECK(human_duration(Nanoseconds{119 * 60'000'000'000 + 59'600'000'000}) == "2 h");
  CHECK(human_duration(3h - 20s) == "3 h");
}

TEST_CASE("units: a count gets its noun in the right number", "[unit][core]") {
  CHECK(counted(0, "point") == "0 points");
  CHECK(counted(1, "point") == "1 point");
  CHECK(counted(2, "round") == "2 rounds");
  CHECK(counted(21, "trial") == "21 trials");
  CHECK(counted(1000, "step") == "1,000 steps");
  CHECK(counted(1, "batch") == "1 batch");
  CHECK(counted(3, "batch") == "3 batches");
  CHECK(counted(2, "axis") == "2 axes");
  CHECK(counted(2, "query") == "2 queries");
  CHECK(counted(2, "key") == "2 keys");
  CHECK(counted(2, "more point") == "2 more points");
  CHECK(counted(std::numeric_limits<std::uint64_t>::max(), "byte") ==
        "18,446,744,073,709,551,615 bytes");
}

}  // namespace benchbench::units_test
