#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench::rules {
namespace {

constexpr double kResident = 0.01;  // of the data, still in the page cache as a cold window began
// A cold window reads each sample once, so all of it comes from the device. Headers and indexes are
// read again and come from memory; half of the bytes are no headers.
constexpr double kColdDeviceShare = 0.5;

std::optional<double> share_from_device(const Facts& f) {
  if (!f.bytes.read || !f.bytes.device || *f.bytes.read == 0) return std::nullopt;
  return static_cast<double>(*f.bytes.device) / static_cast<double>(*f.bytes.read);
}

std::optional<Firing> cold(const TrialRecord& record) {
  const Facts& f = record.facts;
  const auto resident = f.cache.resident_before;
  if (resident && *resident > kResident)
    return invalid(
        fmt::format("cold was requested, but {:.1f} % of the data were in the page cache "
                    "before the window (limit 1 %)",
                    100 * *resident));
  // A device that counted nothing at all is one that this kernel does not count (9p, overlays): not
  // a sign of memory.
  const auto device = share_from_device(f);
  if (device && *f.bytes.device > 0 && *device < kColdDeviceShare)
    return invalid(
        fmt::format("cold was requested, but only {:.0f} % of the bytes read came from the device",
                    100 * *device));
  return std::nullopt;
}

// Bytes from the device or, where they were not counted, data that were not in the page cache.
std::optional<Firing> not_warm(const Facts& f) {
  const auto& resident = f.cache.resident_before;
  if (const auto device = share_from_device(f)) {
    // Read-ahead fetches more than was asked for.
    if (*device > kFromDevice)
      return invalid(fmt::format(
          "warm was requested, but {} of the bytes read came from the device (limit 2 %)",
          *device < 1 ? fmt::format("{:.1f} %", 100 * *device) : "all"));
  } else if (resident && *resident < 1 - kFromDevice) {
    return invalid(
        fmt::format("warm was requested, but only {:.1f} % of the data were in the "
                    "page cache before the window",
                    100 * *resident));
  }
  return std::nullopt;
}

std::optional<Firing> warm(const TrialRecord& record) {
  const CacheFacts& cache = record.facts.cache;
  if (auto fired = not_warm(record.facts)) return fired;
  if (record.facts.simulated || cache.state.degree == CacheDegree::warm) return std::nullopt;
  return doubt(fmt::format("warm was requested but not verified{}{}",
                           cache.state.degree == CacheDegree::unknown ? "" : ": ",
                           cache.state.text()));
}

}  // namespace

// Cold that was not proven is R05's.
std::optional<Firing> cache(const TrialRecord& record) {
  if (reads_directly(record.trial)) return std::nullopt;
  const std::string state = cache_asked(record);
  if (state == "cold") return cold(record);
  if (state == "warm") return warm(record);
  return std::nullopt;
}

}  // namespace benchbench::rules
