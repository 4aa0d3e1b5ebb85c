#include "harness/app/wrap/schedule/side_certainty.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/analysis/rates/certainty.h"
#include "harness/app/wrap/wrap_record.h"

namespace benchbench {
void SideCertainty::add(const WrapStretch& stretch, const std::optional<ResourceUse>& used) {
  const ExternalResult& result = stretch.result;
  const double ns = measured_ns(result);
  if (!(ns > 0) || result.samples == 0 || is_changed(stretch.kind)) return;
  const double log_rate = std::log(rate_of(result));
  measured_s_ += 1e-9 * ns;
  const auto others =
      used && used->shared ? scaled_to(*used->shared, 1e-9 * ns).others_s : std::nullopt;
  others_s_ = others && others_s_ ? std::optional(*others_s_ + *others) : std::nullopt;
  if (stretch.kind == WrapKind::loader) rates_.loader[stretch.round] = log_rate;
  if (stretch.kind == WrapKind::trainer) rates_.trainer[stretch.round] = log_rate;
  if (stretch.kind != WrapKind::full) return;
  rates_.pipeline[stretch.round] = log_rate;
  rates_.batch =
      static_cast<double>(result.samples) / std::max(1.0, static_cast<double>(result.steps));
  const double waited = std::accumulate(result.get_ns.begin(), result.get_ns.end(), 0.0);
  rates_.waited[stretch.round] = std::min(1.0, waited / ns);
}

bool SideCertainty::is_settled() const {
  PointRates rates = rates_;
  rates.spread =
      expected_spread(others_s_ ? std::optional(*others_s_ / measured_s_) : std::nullopt);
  return verdict_of(rates).settled.value_or(false);
}

}  // namespace benchbench
