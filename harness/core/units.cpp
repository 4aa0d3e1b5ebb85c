#include "harness/core/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "harness/core/characters.h"

namespace benchbench {
namespace {

struct Unit {
  std::string_view name;
  double scale;  // of the base unit: ns, bytes, per second
};

// Each list from the largest unit to the smallest, so that the text of a value prefers the larger
// one.
constexpr Unit kDurations[] = {{"h", 3.6e12}, {"min", 6e10}, {"s", 1e9},
                               {"ms", 1e6},   {"us", 1e3},   {"ns", 1}};
constexpr Unit kBytes[] = {{"TiB", 0x1p40}, {"TB", 1e12}, {"GiB", 0x1p30}, {"GB", 1e9},
                           {"MiB", 0x1p20}, {"MB", 1e6},  {"KiB", 1024},   {"kB", 1e3},
                           {"KB", 1e3},     {"B", 1}};
constexpr Unit kBareBytes[] = {{"", 1}};
constexpr Unit kRates[] = {{"T/s", 1e12}, {"G/s", 1e9},      {"M/s", 1e6},     {"k/s", 1e3},
                           {"/s", 1},     {"/min", 1. / 60}, {"/h", 1. / 3600}};

// Digits beyond these would overflow 128 bits with the largest unit.
constexpr auto kMaxDigits =
    static_cast<unsigned __int128>(1'000'000'000'000'000'000ull) * 1'000'000;

// The number and its unit apart; nullopt where the text does not start with a plain decimal number.
// One too large for a long double is infinite.
struct Parsed {
  long double number;
  std::string_view unit;
};
std::optional<Parsed> split(std::string_view text) {
  if (text.empty() || !is_digit(text[0])) return std::nullopt;
  long double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    number = text.find("e-") == std::string_view::npos && text.find("E-") == std::string_view::npos
                 ? std::numeric_limits<long double>::infinity()
                 : 0;
  else if (error != std::errc{})
    return std::nullopt;
  return Parsed{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::optional<double> scale_of(std::string_view unit, std::span<const Unit> units) {
  for (const Unit& u : units)
    if (u.name == unit) return u.scale;
  return std::nullopt;
}

// number × scale; a rate per minute is divided by 60, exactly, and not multiplied by a rounded
// 1/60.
double scaled(long double number, double scale) {
  if (scale < 1) return static_cast<double>(number / std::round(1 / scale));
  return static_cast<double>(number * scale);
}

// Number × unit; infinite where a double holds no such number.
std::optional<double> product(std::string_view text, std::span<const Unit> units) {
  const auto parsed = split(text);
  const auto scale = parsed ? scale_of(parsed->unit, units) : std::nullopt;
  return scale ? std::optional(scaled(parsed->number, *scale)) : std::nullopt;
}

std::optional<double> bandwidth_product(std::string_view text) {
  return text.ends_with("/s") ? product(text.substr(0, text.size() - 2), kBytes) : std::nullopt;
}

bool is_infinite(std::optional<double> value) { return value && std::isinf(*value); }

std::optional<double> finite(std::optional<double> value) {
  return is_infinite(value) ? std::nullopt : value;
}

void keep_shorter(std::string& best, const std::string& number, const Unit& unit) {
  std::string text = fmt::format("{}{}", number, unit.name);
  if (best.empty() || text.size() < best.size()) best = std::move(text);
}

// The shortest text that parses to exactly `value`; of equally short ones the first in `units`.
std::string shortest(double value, std::span<const Unit> units, std::string_view suffix = {}) {
  std::string best;
  for (const Unit& u : units) {
    if (u.scale > 1 && value < u.scale) continue;
    const double number = u.scale < 1 ? value * std::round(1 / u.scale) : value / u.scale;
    const std::string text = fmt::format("{}", number);
    const auto parsed = split(text);
    if (parsed && scaled(parsed->number, u.scale) == value) keep_shorter(best, text, u);
  }
  return best.append(suffix);
}

// `value` / `unit` as a decimal of at most nine places; empty where it needs more.
std::string exact_quotient(std::uint64_t value, std::uint64_t unit) {
  const std::uint64_t whole = value / unit;
  std::uint64_t rest = value % unit;
  std::string places;
  while (rest != 0 && places.size() < 9) {
    const auto ten = static_cast<unsigned __int128>(rest) * 10;
    places += static_cast<char>('0' + static_cast<int>(ten / unit));
    rest = static_cast<std::uint64_t>(ten % unit);
  }
  if (rest != 0) return {};
  return places.empty() ? fmt::format("{}", whole) : fmt::format("{}.{}", whole, places);
}

std::string shortest_exact(std::uint64_t value, std::span<const Unit> units) {
  std::string best;
  for (const Unit& u : units) {
    const auto unit = static_cast<std::uint64_t>(u.scale);
    if (value < unit) continue;
    if (const std::string text = exact_quotient(value, unit); !text.empty())
      keep_shorter(best, text, u);
  }
  return best;
}

constexpr const char* kNotKnown = "not known";

std::string with_commas(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

// Three significant digits, never an exponent: 0.0123, 1.23, 12.3, 123, 1,234.
std::string three_digits(double v) {
  constexpr double kLeast = 1e-4, kMost = 1e18;
  const double size = std::abs(v);
  if (size >= kMost) return v < 0 ? "under -10^18" : "over 10^18";
  if (size >= 999.5) return with_commas(fmt::format("{:.0f}", v));
  if (size >= kLeast) return fmt::format("{:.3g}", v);
  return v == 0 ? "0" : "under 0.0001";
}

// "3 h 5 min": whole and rest of a count of the smaller unit; a rest of 0 goes.
std::string in_two_units(std::uint64_t count, std::uint64_t per, std::string_view large,
                         std::string_view small) {
  const std::string whole = fmt::format("{} {}", with_commas(std::to_string(count / per)), large);
  return count % per == 0 ? whole : fmt::format("{} {} {}", whole, count % per, small);
}

// Number × unit as a whole count of the base unit, exact where the text is; rounded where it has
// finer places. nullopt where the text is no plain decimal number with one of the units, or too
// large.
struct Whole {
  std::uint64_t count;
  bool exact;
};

// "12.5ms" as 125 / 10 and "ms".
struct Decimal {
  unsigned __int128 digits = 0, divisor = 1;
  std::string_view unit = {};
};
std::optional<Decimal> split_exactly(std::string_view text) {
  Decimal d;
  bool point = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point && at > 0) {
      point = true;
      continue;
    }
    if (!is_digit(text[at])) break;
    if (d.digits > kMaxDigits || d.divisor > kMaxDigits) return std::nullopt;
    d.digits = d.digits * 10 + static_cast<unsigned>(text[at] - '0');
    if (point) d.divisor *= 10;
  }
  if (at == 0 || text[at - 1] == '.') return std::nullopt;
  d.unit = text.substr(at);
  return d;
}

std::optional<Whole> whole_count(std::string_view text, std::span<const Unit> units) {
  const auto parsed = split_exactly(text);
  const auto scale = parsed ? scale_of(parsed->unit, units) : std::nullopt;
  if (!scale) return std::nullopt;
  const unsigned __int128 product = parsed->digits * static_cast<std::uint64_t>(*scale),
                          count = (product + parsed->divisor / 2) / parsed->divisor;
  if (count > std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return Whole{static_cast<std::uint64_t>(count), product % parsed->divisor == 0};
}

}  // namespace

std::optional<Nanoseconds> parse_duration(std::string_view text) {
  if (text == "0") return Nanoseconds{0};
  const auto ns = whole_count(text, kDurations);
  if (!ns || ns->count > static_cast<std::uint64_t>(Nanoseconds::max().count()))
    return std::nullopt;
  return Nanoseconds{static_cast<std::int64_t>(ns->count)};
}

std::optional<Bytes> parse_bytes(std::string_view text) {
  const bool bare = text.find_first_not_of("0123456789.") == std::string_view::npos;
  const auto bytes = whole_count(text, bare ? std::span<const Unit>(kBareBytes) : kBytes);
  const bool single = bare || text.find_first_not_of("0123456789.B") == std::string_view::npos;
  // Half a byte is none; 0.3KiB is 307.
  if (!bytes || (single && !bytes->exact)) return std::nullopt;
  return Bytes{bytes->count};
}

std::optional<double> parse_rate(std::string_view text) { return finite(product(text, kRates)); }

std::optional<double> parse_bandwidth(std::string_view text) {
  return finite(bandwidth_product(text));
}

bool is_infinite_rate(std::string_view text) { return is_infinite(product(text, kRates)); }

bool is_infinite_bandwidth(std::string_view text) { return is_infinite(bandwidth_product(text)); }

std::string duration_text(Nanoseconds d) {
  if (d.count() == 0) return "0s";
  const bool negative = d.count() < 0;
  const std::uint64_t size =
      negative ? 0 - static_cast<std::uint64_t>(d.count()) : static_cast<std::uint64_t>(d.count());
  return (negative ? "-" : "") + shortest_exact(size, kDurations);
}

std::string bytes_text(Bytes b) { return b.value == 0 ? "0B" : shortest_exact(b.value, kBytes); }

std::string rate_text(double per_second) { return shortest(per_second, kRates); }

std::string bandwidth_text(double bytes_per_second) {
  return shortest(bytes_per_second, kBytes, "/s");
}

std::string human_duration(Nanoseconds d) {
  const double ns = std::abs(static_cast<double>(d.count()));
  const std::string sign = d.count() < 0 ? "-" : "";
  if (ns < 999.5) return fmt::format("{}{:.0f} ns", sign, ns);
  if (ns < 999.5e3) return sign + three_digits(ns / 1e3) + " us";
  if (ns < 999.5e6) return sign + three_digits(ns / 1e6) + " ms";
  if (ns < 119.5e9) return sign + three_digits(ns / 1e9) + " s";
  const auto seconds = static_cast<std::uint64_t>(std::llround(ns / 1e9));
  if (seconds < 7200) return sign + in_two_units(seconds, 60, "min", "s");
  const auto minutes = static_cast<std::uint64_t>(std::llround(ns / 6e10));
  return sign + in_two_units(minutes, 60, "h", "min");
}

std::string human_bytes(double bytes) {
  if (!std::isfinite(bytes)) return kNotKnown;
  constexpr std::string_view names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t i = 0;
  while (std::abs(bytes) >= 1023.5 && i + 1 < std::size(names)) {
    bytes /= 1024;
    ++i;
  }
  return fmt::format("{} {}", three_digits(bytes), names[i]);
}

std::string human_count(double n) { return std::isfinite(n) ? three_digits(n) : kNotKnown; }

std::string counted(std::uint64_t n, std::string_view noun) {
  std::string text = with_commas(std::to_string(n)) + ' ';
  if (n == 1) return text.append(noun);
  const auto ends = [noun](std::string_view with) { return noun.ends_with(with); };
  if (noun == "axis") return text + "axes";
  if (ends("s") || ends("x") || ends("ch") || ends("sh")) return text.append(noun) + "es";
  if (ends("y") && !ends("ay") && !ends("ey") && !ends("oy"))
    return text.append(noun.substr(0, noun.size() - 1)) + "ies";
  return text.append(noun) + 's';
}

}  // namespace benchbench
