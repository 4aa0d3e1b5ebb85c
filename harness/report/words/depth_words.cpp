#include "harness/report/words/depth_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

std::string measured_setting(const DepthForetold& d) {
  return d.measured.prefetch > 0 ? depth_setting(d, d.measured.prefetch)
                                 : "the max_jobs that was measured";
}

std::string listed_depths(const std::vector<std::uint32_t>& depths) {
  std::string text;
  for (std::size_t i = 0; i < depths.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == depths.size() ? " or " : ", ", depths[i]);
  return text;
}

// Those that make the same step, as printed, together: "20.2 ms with prefetch_factor: 1 or 2, 18.2
// ms with prefetch_factor: 4, 8 or 16".
std::string all_depths(const DepthForetold& d) {
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> alike;
  for (const ForetoldStep& s : d.steps) {
    if (s.workers != d.measured.workers || s.in_order != d.measured.in_order) continue;
    const std::string took = ms_text(s.step_ms);
    if (alike.empty() || alike.back().first != took) alike.push_back({took, {}});
    alike.back().second.push_back(s.prefetch);
  }
  std::string text;
  for (const auto& [took, depths] : alike) {
    const std::string rest = listed_depths(depths).substr(fmt::to_string(depths.front()).size());
    text += fmt::format("{} {} with {}{}", text.empty() ? "" : ",", took,
                        depth_setting(d, depths.front()), rest);
  }
  return text;
}

std::string spread_words(const DepthForetold& d) {
  const std::string constant = ms_text(d.measured.constant_ms),
                    exponential = ms_text(d.measured.exponential_ms);
  const std::string alike =
      constant == exponential
          ? fmt::format("{} if all batches took as long, or their times were exponential", constant)
          : fmt::format("{} if all batches took as long, {} if their times were exponential",
                        constant, exponential);
  return fmt::format("; with {}, {}", measured_setting(d), alike);
}

}  // namespace

std::string depth_setting(const DepthForetold& d, std::uint32_t prefetch) {
  return fmt::format("prefetch_factor{}{}", d.torch ? "=" : ": ", prefetch);
}

std::string order_setting(const DepthForetold& d, bool in_order) {
  if (d.torch) return in_order ? "in_order=True" : "in_order=False";
  return in_order ? "in_order: true" : "in_order: false";
}

std::string depth_line(const DepthForetold& d) {
  if (d.steps.empty())
    return fmt::format(
        "the times of batches in the workers would make steps of {}, where {} was measured: "
        "nothing is foretold from them",
        ms_text(d.measured.step_ms), ms_text(d.measured_ms));
  std::string text = fmt::format(
      "by the times of batches in the workers, "
      "which give the measured step within {:.1f} %, a step takes{}",
      100 * std::abs(d.off()), all_depths(d));
  if (const ForetoldStep* other = quickest_depth(d, !d.measured.in_order))
    text += fmt::format("; {} with {} and {}", ms_text(other->step_ms),
                        order_setting(d, other->in_order), depth_setting(d, other->prefetch));
  return text + spread_words(d);
}

}  // namespace benchbench
