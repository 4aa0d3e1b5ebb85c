#include "harness/config/unit_hint.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/characters.h"
#include "harness/core/spelling.h"
#include "harness/record/value.h"

namespace benchbench::config {
namespace {

struct OtherUnit {
  ParameterType type;
  std::string_view written;  // lower case
  std::string_view ours;
};
constexpr auto kDuration = ParameterType::duration, kBytes = ParameterType::bytes,
               kRate = ParameterType::rate, kBandwidth = ParameterType::bandwidth,
               kYesOrNo = ParameterType::boolean;

// A lone `m` is minutes to some and milliseconds to others, a lone `k` 1000 or 1024: both are
// refused, and the likelier is shown.
constexpr OtherUnit kOthers[] = {
    {kDuration, "m", "min"},
    {kDuration, "mins", "min"},
    {kDuration, "minute", "min"},
    {kDuration, "minutes", "min"},
    {kDuration, "sec", "s"},
    {kDuration, "secs", "s"},
    {kDuration, "second", "s"},
    {kDuration, "seconds", "s"},
    {kDuration, "hr", "h"},
    {kDuration, "hrs", "h"},
    {kDuration, "hour", "h"},
    {kDuration, "hours", "h"},
    {kDuration, "msec", "ms"},
    {kDuration, "msecs", "ms"},
    {kDuration, "milliseconds", "ms"},
    {kDuration, "usec", "us"},
    {kDuration, "\xc2\xb5s", "us"},
    {kDuration, "\xce\xbcs", "us"},
    {kDuration, "microseconds", "us"},
    {kDuration, "nsec", "ns"},
    {kDuration, "nanoseconds", "ns"},
    {kBytes, "k", "KiB"},
    {kBytes, "m", "MiB"},
    {kBytes, "g", "GiB"},
    {kBytes, "t", "TiB"},
    {kBytes, "kib", "KiB"},
    {kBytes, "mib", "MiB"},
    {kBytes, "gib", "GiB"},
    {kBytes, "tib", "TiB"},
    {kBytes, "kb", "kB"},
    {kBytes, "mb", "MB"},
    {kBytes, "gb", "GB"},
    {kBytes, "tb", "TB"},
    {kBytes, "bytes", "B"},
    {kRate, "", "/s"},
    {kRate, "/sec", "/s"},
    {kRate, "/second", "/s"},
    {kRate, "samples/s", "/s"},
    {kRate, "hz", "/s"},
    {kRate, "/m", "/min"},
    {kRate, "/minute", "/min"},
    {kRate, "/hour", "/h"},
    {kBandwidth, "kb", "kB/s"},
    {kBandwidth, "mb", "MB/s"},
    {kBandwidth, "gb", "GB/s"},
    {kBandwidth, "mib", "MiB/s"},
    {kBandwidth, "gib", "GiB/s"},
    {kBandwidth, "mbps", "MB/s"},
    {kBandwidth, "gbps", "GB/s"},
    {kBandwidth, "mb/s", "MB/s"},
    {kBandwidth, "gb/s", "GB/s"},
    {kBandwidth, "mb/sec", "MB/s"},
    {kBandwidth, "gb/sec", "GB/s"},
    {kYesOrNo, "yes", "true"},
    {kYesOrNo, "on", "true"},
    {kYesOrNo, "y", "true"},
    {kYesOrNo, "true", "true"},
    {kYesOrNo, "no", "false"},
    {kYesOrNo, "off", "false"},
    {kYesOrNo, "n", "false"},
    {kYesOrNo, "false", "false"},
};

bool is_number_part(char c) { return is_digit(c) || c == '.'; }

}  // namespace

std::string in_our_units(ParameterType type, std::string_view text) {
  std::string bare(text);
  std::erase_if(bare, [](char c) { return c == ' ' || c == '_'; });
  if (bare != text && Value::parse(type, bare)) return bare;
  const auto at =
      static_cast<std::size_t>(std::ranges::find_if_not(bare, is_number_part) - bare.begin());
  std::string unit = bare.substr(at);
  std::ranges::transform(unit, unit.begin(), lower);
  for (const OtherUnit& other : kOthers) {
    if (other.type != type || other.written != unit) continue;
    std::string ours = bare.substr(0, at).append(other.ours);
    if (Value::parse(type, ours)) return ours;
  }
  return {};
}

std::string unit_hint(ParameterType type, std::string_view text) {
  return suggest(in_our_units(type, text));
}

}  // namespace benchbench::config
