#include "harness/report/number_fields.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/analysis/rules.h"
#include "harness/analysis/thresholds.h"

namespace benchbench {
namespace {

constexpr std::array kEstimates{
    EstimateField{"loader_rate_samples_per_second", &PointFindings::loader_rate},
    EstimateField{"trainer_rate_samples_per_second", &PointFindings::trainer_rate},
    EstimateField{"pipeline_rate_samples_per_second", &PointFindings::pipeline_rate},
    EstimateField{"cpu_rate_samples_per_second", &PointFindings::cpu_rate},
    EstimateField{"headroom_ratio", &PointFindings::headroom},
    EstimateField{"overlap_efficiency_share", &PointFindings::overlap_efficiency},
    EstimateField{"step_ms", &PointFindings::step_ms},
    EstimateField{"exposed_wait_ms", &PointFindings::exposed_wait_ms},
    EstimateField{"core_wait_ms", &PointFindings::core_wait_ms},
    EstimateField{"side_takes_ms", &PointFindings::side_takes_ms},
    EstimateField{"side_cost_ms", &PointFindings::side_cost_ms},
    EstimateField{"loader_cost_ms", &PointFindings::loader_cost_ms},
    EstimateField{"trainer_cost_ms", &PointFindings::trainer_cost_ms},
    EstimateField{"contention_ms", &PointFindings::contention_ms},
    EstimateField{"gain_ratio", &PointFindings::gain},
};

// The share of the step in which the trainer's thread did not wait for a core. All of it where that
// was not measured.
double share_with_core(const PointFindings& p) {
  if (!p.core_wait_ms || !p.step_ms) return 1;
  return 1 - p.core_wait_ms->value / p.step_ms->value;
}

std::optional<double> wait_ms(const PointFindings& p, double Distribution::* which) {
  if (!p.exposed_wait || !std::isfinite((*p.exposed_wait).*which)) return std::nullopt;
  return (*p.exposed_wait).*which * 1e-6;
}

constexpr std::array kNumbers{
    NumberField{"batch_size_samples",
                [](const PointFindings& p) -> std::optional<double> {
                  return p.batch_size > 0 ? std::optional<double>(p.batch_size) : std::nullopt;
                }},
    NumberField{"au_share", utilisation_of},
    NumberField{"exposed_wait_ms_p50",
                [](const PointFindings& p) { return wait_ms(p, &Distribution::p50); }},
    NumberField{"exposed_wait_ms_p90",
                [](const PointFindings& p) { return wait_ms(p, &Distribution::p90); }},
    NumberField{"exposed_wait_ms_p99",
                [](const PointFindings& p) { return wait_ms(p, &Distribution::p99); }},
    NumberField{"exposed_wait_ms_max",
                [](const PointFindings& p) { return wait_ms(p, &Distribution::max); }},
    NumberField{"cache_share", [](const PointFindings& p) { return p.cache_share; }},
    NumberField{"peak_memory_bytes",
                [](const PointFindings& p) -> std::optional<double> {
                  if (!p.peak_memory_bytes) return std::nullopt;
                  return static_cast<double>(*p.peak_memory_bytes);
                }},
    NumberField{"epoch_gap_ms", [](const PointFindings& p) { return p.epoch_gap_ms; }},
    NumberField{"first_batch_ms", [](const PointFindings& p) { return p.first_batch_ms; }},
    NumberField{"payload_bytes_per_sample",
                [](const PointFindings& p) { return p.payload_bytes_per_sample; }},
    NumberField{"read_bytes_per_sample",
                [](const PointFindings& p) { return p.read_bytes_per_sample; }},
    NumberField{"device_bytes_per_sample",
                [](const PointFindings& p) { return p.device_bytes_per_sample; }},
    NumberField{"shuffle_displacement_ratio",
                [](const PointFindings& p) { return p.shuffle_displacement; }},
    NumberField{"shuffle_together_share",
                [](const PointFindings& p) { return p.shuffle_together; }},
    NumberField{"padding_share", [](const PointFindings& p) { return p.padding_share; }},
    NumberField{"tokens_per_second", [](const PointFindings& p) { return p.tokens_per_second; }},
};

}  // namespace

std::optional<double> utilisation_of(const PointFindings& p) {
  const auto usable = [&](Mode mode) {
    const auto status = p.mode_status[static_cast<std::size_t>(mode)];
    return status && is_usable(*status);
  };
  if (p.is_bound(Mode::trainer) || !usable(Mode::pipeline) || !usable(Mode::trainer) ||
      !p.pipeline_rate || !p.trainer_rate)
    return std::nullopt;
  const double with_core = share_with_core(p);
  if (with_core < kLeastWithCore) return std::nullopt;
  return std::min(1.0, p.pipeline_rate->value / (with_core * p.trainer_rate->value));
}

Measured usable_estimate(const EstimateField& field, const PointFindings& p) {
  // The rates by Mode.
  constexpr std::array rates{&PointFindings::loader_rate, &PointFindings::trainer_rate,
                             &PointFindings::pipeline_rate};
  const auto mode =
      static_cast<std::size_t>(std::find(rates.begin(), rates.end(), field.value) - rates.begin());
  if (mode < rates.size() && !is_usable(p.mode_status[mode].value_or(Status::skipped)))
    return std::nullopt;
  return p.*field.value;
}

std::span<const EstimateField> estimate_fields() noexcept { return kEstimates; }
std::span<const NumberField> number_fields() noexcept { return kNumbers; }

}  // namespace benchbench
