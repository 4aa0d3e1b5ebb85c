#include "harness/record/value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace benchbench {
namespace {

// 010 is 8 to some readers and 10 to others (yaml-cpp is both, by type): we take neither.
bool leading_zero(std::string_view digits) {
  if (!digits.empty() && digits.front() == '-') digits.remove_prefix(1);
  return digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number n{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  if (text.empty() || error != std::errc{} || stop != end || leading_zero(text))
    return std::nullopt;
  return n;
}

std::optional<double> finite_number(std::string_view text) {
  const auto n = whole_number<double>(text);
  if (!n || !std::isfinite(*n)) return std::nullopt;
  return *n == 0 ? 0.0 : *n;  // no "-0"
}

std::optional<std::int64_t> byte_count(std::string_view text) {
  const auto bytes = parse_bytes(text);
  if (!bytes ||
      bytes->value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(bytes->value);
}

std::string_view wanted(ParameterType type) {
  switch (type) {
    case ParameterType::boolean:
      return "true or false";
    case ParameterType::integer:
      return "a whole number, decimal and without leading zeros";
    case ParameterType::real:
      return "a number, decimal and without leading zeros";
    case ParameterType::duration:
      return "a duration with its unit, such as 12ms (ns, us, ms, s, min, h)";
    case ParameterType::bytes:
      return "a size, such as 64KiB or 1.5GB";
    case ParameterType::rate:
      return "a rate, such as 500/s";
    case ParameterType::bandwidth:
      return "a bandwidth, such as 1.2GB/s";
    case ParameterType::text:
    case ParameterType::choice:
      return "text";
  }
  return "";
}

template <class T>
std::optional<Value> held_as(ParameterType type, std::optional<T> parsed) {
  if (!parsed) return std::nullopt;
  return Value{type, *std::move(parsed)};
}

std::optional<Value> parse_typed(ParameterType type, std::string_view text) {
  switch (type) {
    case ParameterType::boolean:
      if (text == "true" || text == "false") return Value{type, text == "true"};
      return std::nullopt;
    case ParameterType::integer:
      return held_as(type, whole_number<std::int64_t>(text));
    case ParameterType::real:
      return held_as(type, finite_number(text));
    case ParameterType::duration: {
      const auto time = parse_duration(text);
      if (!time) return std::nullopt;
      return Value{type, static_cast<std::int64_t>(time->count())};
    }
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

std::string Value::text() const {
  if (none()) return "none";
  if (const auto* yes = std::get_if<bool>(&held)) return *yes ? "true" : "false";
  if (const auto* words = std::get_if<std::string>(&held)) return *words;
  if (const auto* n = std::get_if<std::int64_t>(&held)) {
    if (type == ParameterType::duration) return duration_text(Nanoseconds{*n});
    if (type == ParameterType::bytes) return bytes_text(Bytes{static_cast<std::uint64_t>(*n)});
    return fmt::format("{}", *n);
  }
  const double x = std::get<double>(held);
  if (type == ParameterType::rate) return rate_text(x);
  if (type == ParameterType::bandwidth) return bandwidth_text(x);
  return fmt::format("{}", x);
}

std::optional<Value> Value::parse(ParameterType type, std::string_view text, std::string* why) {
  // `isolation: none` is a choice like any other; everywhere else the word means "absent".
  if (text == "none" && type != ParameterType::choice) return Value{type, std::monostate{}};
  auto value = parse_typed(type, text);
  if (!value && why) *why = wanted(type);
  return value;
}

}  // namespace benchbench
