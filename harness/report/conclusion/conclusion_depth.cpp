// What more batches ahead, or another order of handing them over, would make of the step: foretold,
// not measured.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/report/cells.h"
#include "harness/report/conclusion/conclusion_part_words.h"
#include "harness/report/depth/depth_words.h"

namespace benchbench {
namespace {

constexpr double kWorthTelling = 0.02;  // of the step, as elsewhere

// What was measured says more than what is foretold.
bool was_swept(const Telling& t) {
  constexpr std::array<std::string_view, 3> keys{"loader.prefetch_factor", "loader.in_order",
                                                 "loader.max_jobs"};
  return std::ranges::any_of(t.f.axes, [&](const AxisEffect& axis) {
    return std::ranges::any_of(
        keys, [&](std::string_view key) { return axis.key.find(key) != std::string::npos; });
  });
}

double gain_of(const DepthForetold& d, const ForetoldStep& s) {
  return 1 - s.step_ms / d.measured.step_ms;
}

std::string gain_words(const Telling& t, const DepthForetold& d, const ForetoldStep& s,
                       const std::string& setting) {
  const double gain = gain_of(d, s);
  return fmt::format("with {} a step would be {} shorter, {} in place of {}{}", setting,
                     difference_words(gain), ms_text(d.measured_ms * (1 - gain)),
                     ms_text(d.measured_ms),
                     t.brief < 2 ? ", by the times that batches took in the workers" : "");
}

}  // namespace

std::string depth_words(const Telling& t) {
  const DepthForetold* d = depth_to_tell(t.f);
  if (!d || d->steps.empty() || t.brief > 2 || t.doubted() || was_swept(t)) return "";
  const ForetoldStep& same = *quickest_depth(*d, d->measured.in_order);
  const ForetoldStep& other = *quickest_depth(*d, !d->measured.in_order);
  if (gain_of(*d, same) >= kWorthTelling)
    return as_sentence(gain_words(t, *d, same, depth_setting(*d, same.prefetch)));
  if (d->can_be_any_order && d->measured.in_order && gain_of(*d, other) >= kWorthTelling)
    return as_sentence(gain_words(
        t, *d, other,
        fmt::format("{} and {}", order_setting(*d, false), depth_setting(*d, other.prefetch))));
  if (t.brief > 0) return "";
  const std::string_view what =
      d->can_be_any_order ? "prefetch_factor or in_order" : "prefetch_factor";
  return as_sentence(fmt::format("No other {} would gain {:g} %, by the times that batches took",
                                 what, 100 * kWorthTelling));
}

}  // namespace benchbench
