#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"
#include "harness/record/setting_keys.h"

namespace benchbench::rules {
namespace {

// Ceilings are the best of a few tries of one thread on one day, so each may be passed by a tenth,
// and each thread that reads may reach one of its own. What is beyond that was not read, or not in
// that time.
constexpr double kTolerance = 1.1;
// Memory's ceilings are those of buffers beyond the CPU's caches. A small data set may lie in
// those, and be copied a few times as fast: a doubt, up to here.
constexpr double kCaches = 4;

struct Limit {
  std::string_view ceiling;  // its name in machine.yaml
  std::string_view what;
  double invalid_from;  // times the ceiling
};
constexpr Limit kMemory{"memory_copy", "what was read by calls", kCaches};
constexpr Limit kWarm{"disk_read_warm", "what was read by calls", kCaches};
constexpr Limit kCold{"disk_read_cold", "what was read cold", kTolerance};

std::optional<Firing> over(const TrialRecord& record, const Limit& limit,
                           std::optional<std::uint64_t> bytes) {
  const auto known = ceiling(record.environment, limit.ceiling);
  if (!known || !bytes) return std::nullopt;
  const double threads = std::max<double>(1, record.facts.workers.count);
  const double rate = static_cast<double>(*bytes) / window_seconds(record.facts);
  const double times = rate / (threads * *known);
  if (times <= kTolerance) return std::nullopt;
  return Firing{
      times > limit.invalid_from,
      fmt::format("{}, {}/s, exceeds what {:g} thread{} can do on this machine: {} in machine.yaml "
                  "is {}/s per thread",
                  limit.what, human_bytes(rate), threads, threads == 1 ? "" : "s", limit.ceiling,
                  human_bytes(*known))};
}

// The driver stages pageable memory: small batches before the copy's first event, so that it has
// only the link's part of the time.
bool is_certain_of_pageable(const TrialRecord& record, double rate, double known) {
  const auto link = gpu_ceiling(record, "link_to_device");
  return rate > (link ? kTolerance * *link : kCaches * known);
}

// Copies of batches, by events at both ends of each.
std::optional<Firing> over_the_link(const TrialRecord& record) {
  const auto& d = record.facts.device;
  if (!d || !d->name.starts_with("cuda") || d->copy_ns <= 0) return std::nullopt;
  const bool pinned = record.trial.settings.text_or(keys::loader.pin_memory) == "true";
  const std::string_view name = pinned ? "link_to_device" : "link_pageable_to_device";
  const auto known = gpu_ceiling(record, name);
  const double rate =
      static_cast<double>(d->copied_bytes) / (static_cast<double>(d->copy_ns) * 1e-9);
  if (!known || rate <= kTolerance * *known) return std::nullopt;
  return Firing{pinned || is_certain_of_pageable(record, rate, *known),
                fmt::format("batches were copied to {} at {}/s, more than {} in machine.yaml: {}/s",
                            d->name, human_bytes(rate), name, human_bytes(*known))};
}

}  // namespace

std::optional<Firing> physics(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.simulated || f.window.ns <= 0) return std::nullopt;
  if (auto fired = over_the_link(record)) return fired;
  if (proven_cold(record)) {
    const auto bytes = std::max(f.bytes.payload.value_or(0), f.bytes.device.value_or(0));
    if (auto fired = over(record, kCold, bytes)) return fired;
  }
  // Payloads may be looked at where they lie; what is read by a call is copied once at least.
  if (auto fired = over(record, kMemory, f.bytes.read)) return fired;
  return over(record, kWarm, f.bytes.read);
}

}  // namespace benchbench::rules
