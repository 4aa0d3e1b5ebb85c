// What each swept axis gave against the base, at otherwise the base's settings.
#pragma once
#include <vector>

#include "harness/analysis/choice/against_base.h"

namespace benchbench {

// The effect of a swept axis against the base, with the base's other settings.
enum class AxisOutcome : std::uint8_t {
  gain,                // a value is shown to be faster than the base
  loss,                // every value compared is shown to be slower
  nothing,             // no value is faster, and the best of them is within 2 % of the base
  not_shown,           // of the best value no difference is shown; `detectable` would have been
  could_not_be_tried,  // every value is SKIPPED
  invalid,             // the base or no value that ran can be compared
  not_compared,        // a grid whose values differ from the base in other axes too
};
template <>
inline constexpr auto kWordsOf<AxisOutcome> = std::to_array<std::string_view>(
    {"gain", "loss", "nothing", "not shown", "could not be tried", "invalid", "not compared"});

struct AxisValueEffect : Paired {  // against the base
  std::uint32_t point = 0;
  std::string label;              // "4"
  Status status = Status::valid;  // the point's
};

struct AxisEffect {
  // "loader.num_workers"; of a zip all of its keys: "loader.num_workers, loader.batch_size".
  std::string key;
  AxisOutcome outcome = AxisOutcome::not_compared;
  std::string base_label;  // the base's value; empty where a part is the axis and has none
  std::vector<AxisValueEffect> values;  // the points that differ from the base in this axis alone
  // The one of `values` that the outcome is said of; nullopt where nothing was compared.
  std::optional<std::size_t> best;
  std::optional<double> detectable;  // of not_shown: by the value that is known least
  std::string why;                   // of could_not_be_tried and invalid: the first reason
  const AxisValueEffect* best_value() const { return best ? &values[*best] : nullptr; }
};

// By the scenario's axes, but those of which no point is left; one for all of a zip.
std::vector<AxisEffect> axis_effects(const Plan& plan, const std::vector<PointFindings>& points,
                                     const AgainstBase& against);

// The base's settings once more ("4 #1"), to see what identical settings differ by. Of a grid it is
// a value of the axis it is numbered on alone.
bool repeats_base(const Plan& plan, const Point& point);

}  // namespace benchbench
