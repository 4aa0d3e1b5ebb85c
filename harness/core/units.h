// Quantities and their text. Inside the program a time is std::chrono, a count has its own type, a
// share is 0..1; text with a unit ("12ms", "64KiB", "500/s") exists only at the edges, here.
#pragma once
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benchbench {

using Nanoseconds = std::chrono::nanoseconds;
using Seconds = std::chrono::duration<double>;

// Runtime time: since an arbitrary origin, comparable only within one Runtime.
struct RuntimeClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Nanoseconds;
  using time_point = std::chrono::time_point<RuntimeClock, Nanoseconds>;
  static constexpr bool is_steady = true;
};
using TimePoint = RuntimeClock::time_point;
inline constexpr TimePoint kForever = TimePoint::max();

// A count with a unit of its own: Samples and Bytes do not mix.
template <class Tag>
struct Count {
  std::uint64_t value = 0;
  constexpr auto operator<=>(const Count&) const = default;
  constexpr Count& operator+=(Count o) noexcept {
    value += o.value;
    return *this;
  }
  constexpr Count& operator-=(Count o) noexcept {
    value -= o.value;
    return *this;
  }
  friend constexpr Count operator+(Count a, Count b) noexcept { return {a.value + b.value}; }
  friend constexpr Count operator-(Count a, Count b) noexcept { return {a.value - b.value}; }
  friend constexpr Count operator*(Count a, std::uint64_t k) noexcept { return {a.value * k}; }
};
struct SamplesTag;
struct BytesTag;
using Samples = Count<SamplesTag>;
using Bytes = Count<BytesTag>;

constexpr double to_seconds(Nanoseconds d) noexcept {
  return static_cast<double>(d.count()) * 1e-9;
}
// Returns the wall time since then.
inline double seconds_since(std::chrono::steady_clock::time_point then) noexcept {
  return Seconds(std::chrono::steady_clock::now() - then).count();
}
// What no count of nanoseconds can hold becomes the largest or smallest; what is no number becomes
// 0.
constexpr Nanoseconds from_seconds(double s) noexcept {
  const double ns = s * 1e9 + (s < 0 ? -0.5 : 0.5);
  if (ns >= 0x1p63) return Nanoseconds::max();
  if (ns < -0x1p63) return Nanoseconds::min();
  return Nanoseconds{ns != ns ? 0 : static_cast<std::int64_t>(ns)};
}

// "12ms", "1.5s", "3min", "2h", "250us", "80ns"; a bare "0" is allowed, any other number without a
// unit is not. nullopt where the text is no duration.
std::optional<Nanoseconds> parse_duration(std::string_view text);
// "64KiB", "1.5GB", "512B"; decimal and binary prefixes; a bare integer counts bytes.
std::optional<Bytes> parse_bytes(std::string_view text);
// "500/s", "1.2k/s", "30/min": events per second.
std::optional<double> parse_rate(std::string_view text);
// "1.2GB/s", "150MiB/s": bytes per second.
std::optional<double> parse_bandwidth(std::string_view text);
// Written as a rate or a bandwidth, but more than a double holds: parse_* takes none of these.
bool is_infinite_rate(std::string_view text);
bool is_infinite_bandwidth(std::string_view text);

// Canonical text, the inverse of parse_*: the shortest exact form in the largest fitting unit
// ("1500us" -> "1.5ms").
std::string duration_text(Nanoseconds d);
std::string bytes_text(Bytes b);
std::string rate_text(double per_second);
std::string bandwidth_text(double bytes_per_second);

// For people: three significant digits ("12.3 ms", "4.1 GiB", "1,234"), from two minutes on "2 min
// 38 s", "3 h 5 min". Never an exponent; what is no finite number is "not known".
std::string human_duration(Nanoseconds d);
std::string human_bytes(double bytes);
std::string human_count(double n);
// "1 point", "2 points", "1,000 batches": the one place where a noun gets its plural.
std::string counted(std::uint64_t n, std::string_view noun);

}  // namespace benchbench
