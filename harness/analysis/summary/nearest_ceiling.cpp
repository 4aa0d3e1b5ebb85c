#include "harness/analysis/summary/nearest_ceiling.h"

#include <algorithm>

#include "harness/analysis/rules/asked.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// Bytes a second, and how many there can be.
struct Passed {
  double rate = 0, ceiling = 0;
};
using CeilingLook = std::optional<Passed> (*)(const TrialRecord&, std::string_view ceiling);

std::optional<Passed> bytes_passed(const TrialRecord& record, std::optional<std::uint64_t> bytes,
                                   std::optional<double> ceiling, double times = 1) {
  if (!bytes || !ceiling || record.facts.window.ns <= 0) return std::nullopt;
  return Passed{static_cast<double>(*bytes) / window_seconds(record.facts), times * *ceiling};
}

std::optional<Passed> off_the_disk(const TrialRecord& r, std::string_view ceiling) {
  return bytes_passed(r, r.facts.bytes.device, rules::ceiling(r.environment, ceiling));
}

// Compares with a ceiling that one thread reached.
std::optional<Passed> by_calls(const TrialRecord& r, std::string_view ceiling) {
  const double threads = std::max<double>(1, r.facts.workers.count);
  return bytes_passed(r, r.facts.bytes.read, rules::ceiling(r.environment, ceiling), threads);
}

std::optional<Passed> over_the_network(const TrialRecord& r, std::string_view ceiling) {
  const ProbeFacts* probe = rules::measured_probe(r.facts, "network_received");
  const auto known = rules::ceiling(r.environment, ceiling);
  return probe && known ? std::optional(Passed{probe->mean, *known}) : std::nullopt;
}

template <bool pinned>
std::optional<Passed> over_link(const TrialRecord& r, std::string_view ceiling) {
  if (!r.facts.device || (r.trial.settings.text_or(keys::loader.pin_memory) == "true") != pinned)
    return std::nullopt;
  return bytes_passed(r, r.facts.device->copied_bytes, rules::gpu_ceiling(r, ceiling));
}

struct CeilingRow {
  std::string_view ceiling;
  CeilingLook look;
};
constexpr CeilingRow kCeilingRows[] = {{"disk_read_cold", off_the_disk},
                                       {"network", over_the_network},
                                       {"disk_read_warm", by_calls},
                                       {"link_to_device", over_link<true>},
                                       {"link_pageable_to_device", over_link<false>}};

// Means over the usable records; nullopt where none has it, or nothing passed.
std::optional<NearestCeiling> mean_over(const CeilingRow& row, Mode mode, JudgedRecords records) {
  double n = 0;
  NearestCeiling mean{mode, std::string(row.ceiling), 0, 0};
  for (const JudgedRecord& judged : records) {
    const auto seen = judged.usable() && !judged.record->facts.simulated
                          ? row.look(*judged.record, row.ceiling)
                          : std::nullopt;
    if (!seen) continue;
    ++n, mean.rate += seen->rate, mean.ceiling_rate += seen->ceiling;
  }
  if (!(mean.rate > 0)) return std::nullopt;
  mean.rate /= n, mean.ceiling_rate /= n;
  return mean;
}

}  // namespace

std::vector<NearestCeiling> nearest_ceilings(const Point& point, const JudgedTrials& trials) {
  std::vector<NearestCeiling> all;
  for (const auto& [mode, trial] : point.trials) {
    std::optional<NearestCeiling> nearest;
    for (const CeilingRow& row : kCeilingRows)
      if (auto seen = mean_over(row, mode, trials.of(trial));
          seen && (!nearest || seen->share() > nearest->share()))
        nearest = std::move(seen);
    if (nearest) all.push_back(std::move(*nearest));
  }
  return all;
}

}  // namespace benchbench
