#include "harness/record/value.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/core/characters.h"
#include "harness/core/parse_number.h"

namespace benchbench {
namespace {

// 010 is 8 to some readers and 10 to others (yaml-cpp is both, by type): we take neither.
bool leading_zero(std::string_view digits) {
  if (!digits.empty() && digits.front() == '-') digits.remove_prefix(1);
  return digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  return leading_zero(text) ? std::nullopt : parse_number<Number>(text);
}

std::optional<double> finite_number(std::string_view text) {
  const auto n = whole_number<double>(text);
  if (!n || !std::isfinite(*n)) return std::nullopt;
  return *n == 0 ? 0.0 : *n;  // no "-0"
}

std::optional<std::int64_t> byte_count(std::string_view text) {
  const auto bytes = parse_bytes(text);
  return bytes && std::in_range<std::int64_t>(bytes->value)
             ? std::optional(static_cast<std::int64_t>(bytes->value))
             : std::nullopt;
}

std::optional<std::int64_t> nanoseconds(std::string_view text) {
  const auto time = parse_duration(text);
  return time ? std::optional(std::int64_t{time->count()}) : std::nullopt;
}

std::optional<bool> truth(std::string_view text) {
  return text == "true" || text == "false" ? std::optional(text == "true") : std::nullopt;
}

// The text that each type takes, in words.
constexpr std::array<std::string_view, kWordsOf<ParameterType>.size()> kWanted{
    "true or false",
    "a whole number, decimal and without leading zeros",
    "a number, decimal and without leading zeros",
    "a duration with its unit, such as 12ms (ns, us, ms, s, min, h)",
    "a size, such as 64KiB or 1.5GB",
    "a rate, such as 500/s",
    "a bandwidth, such as 1.2GB/s",
    "text",
    "text"};

template <class T>
std::optional<Value> held_as(ParameterType type, std::optional<T> parsed) {
  if (!parsed) return std::nullopt;
  return Value{type, *std::move(parsed)};
}

std::optional<Value> parse_typed(ParameterType type, std::string_view text) {
  switch (type) {
    case ParameterType::boolean:
      return held_as(type, truth(text));
    case ParameterType::integer:
      return held_as(type, whole_number<std::int64_t>(text));
    case ParameterType::real:
      return held_as(type, finite_number(text));
    case ParameterType::duration:
      return held_as(type, nanoseconds(text));
    case ParameterType::bytes:
      return held_as(type, byte_count(text));
    case ParameterType::rate:
      return held_as(type, parse_rate(text));
    case ParameterType::bandwidth:
      return held_as(type, parse_bandwidth(text));
    case ParameterType::text:
    case ParameterType::choice:
      return Value{type, std::string(text)};
  }
  return std::nullopt;
}

}  // namespace

namespace {

std::string write_number(ParameterType type, std::int64_t n) {
  if (type == ParameterType::duration) return duration_text(Nanoseconds{n});
  if (type == ParameterType::bytes) return bytes_text(Bytes{static_cast<std::uint64_t>(n)});
  return fmt::format("{}", n);
}

std::string write_number(ParameterType type, double x) {
  if (type == ParameterType::rate) return rate_text(x);
  return type == ParameterType::bandwidth ? bandwidth_text(x) : fmt::format("{}", x);
}

}  // namespace

std::string Value::text() const {
  if (none()) return "none";
  if (const auto* yes = std::get_if<bool>(&held)) return *yes ? "true" : "false";
  if (const auto* words = std::get_if<std::string>(&held)) return *words;
  const auto* n = std::get_if<std::int64_t>(&held);
  return n ? write_number(type, *n) : write_number(type, std::get<double>(held));
}

std::optional<Value> Value::parse(ParameterType type, std::string_view text, std::string* why) {
  // `isolation: none` is a choice like any other; everywhere else the word means "absent".
  if (text == "none" && type != ParameterType::choice) return Value{type, std::monostate{}};
  auto value = parse_typed(type, text);
  if (!value && why) *why = kWanted[static_cast<std::size_t>(type)];
  return value;
}

}  // namespace benchbench
