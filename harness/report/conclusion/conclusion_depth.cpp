// What more batches ahead, or another order of handing them over, would make of the step: foretold,
// not measured.
#include <fmt/format.h>

#include "harness/analysis/conclusion/depth_to_try.h"
#include "harness/report/conclusion/conclusion_part_words.h"
#include "harness/report/text/cells.h"
#include "harness/report/words/depth_words.h"

namespace benchbench {
namespace {

std::string settings_to_try(const DepthForetold& d, const ForetoldStep& s) {
  const std::string depth = depth_setting(d, s.prefetch);
  return s.in_order == d.measured.in_order
             ? depth
             : fmt::format("{} and {}", order_setting(d, s.in_order), depth);
}

std::string gain_words(const Telling& t, const DepthForetold& d, const ForetoldStep& s) {
  const double gain = foretold_gain(d, s);
  return fmt::format("with {} a step would be {} shorter, {} in place of {}{}",
                     settings_to_try(d, s), difference_words(gain),
                     ms_text(d.measured_ms * (1 - gain)), ms_text(d.measured_ms),
                     t.brief < 2 ? ", by the times that batches took in the workers" : "");
}

}  // namespace

std::string depth_words(const Telling& t) {
  const DepthForetold* d = depth_to_tell(t.f);
  if (!d || d->steps.empty() || t.brief > 2 || t.doubted() || has_swept_depth(t.f)) return "";
  if (const ForetoldStep* step = depth_to_try(t.f, *d))
    return as_sentence(gain_words(t, *d, *step));
  if (t.brief > 0) return "";
  return as_sentence(fmt::format(
      "No other {} would gain {:g} %, by the times that batches took",
      d->can_be_any_order ? "prefetch_factor or in_order" : "prefetch_factor", 100 * kWorth));
}

}  // namespace benchbench
