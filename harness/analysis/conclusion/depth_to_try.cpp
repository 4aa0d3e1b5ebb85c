#include "harness/analysis/conclusion/depth_to_try.h"

#include <algorithm>
#include <array>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

bool is_worth_telling(const DepthForetold& depth, const ForetoldStep* step) {
  return step && foretold_gain(depth, *step) >= kWorth;
}

}  // namespace

const DepthForetold* depth_to_tell(const Findings& f) noexcept {
  return find_element(f.depths, other_point_to_use(f).value_or(0), &DepthForetold::point);
}

double foretold_gain(const DepthForetold& depth, const ForetoldStep& step) noexcept {
  return 1 - step.step_ms / depth.measured.step_ms;
}

bool has_swept_depth(const Findings& f) noexcept {
  constexpr std::array<std::string_view, 3> keys{keys::loader.prefetch_factor,
                                                 keys::loader.in_order, keys::loader.max_jobs};
  return std::ranges::any_of(f.axes, [&](const AxisEffect& axis) {
    return std::ranges::any_of(
        keys, [&](std::string_view key) { return axis.key.find(key) != std::string::npos; });
  });
}

const ForetoldStep* depth_to_try(const Findings& f, const DepthForetold& d) noexcept {
  if (has_swept_depth(f)) return nullptr;
  const ForetoldStep* same = quickest_depth(d, d.measured.in_order);
  if (is_worth_telling(d, same)) return same;
  const ForetoldStep* other = quickest_depth(d, !d.measured.in_order);
  const bool can = d.can_be_any_order && d.measured.in_order;
  return can && is_worth_telling(d, other) ? other : nullptr;
}

}  // namespace benchbench
