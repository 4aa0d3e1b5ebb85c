// The user's own step, with their own loader and with another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/record/setting_keys.h"
#include "harness/report/conclusion/conclusion_part_words.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

// Returns the fastest pipeline among the points with the user's step and a loader of that side.
std::optional<std::uint32_t> fastest_with(const Telling& t, bool own_loader) {
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = 0; i < t.f.points.size(); ++i) {
    const Point& point = t.plan.points[i];
    const Measured rate = usable_rate(t.f.points[i], Mode::pipeline);
    if (!rate || !trains_over_there(point, t.f.external) ||
        loads_over_there(point, t.f.external) != own_loader)
      continue;
    if (!found || rate->value > usable_rate(t.f.points[*found], Mode::pipeline)->value) found = i;
  }
  return found;
}

// The interval of the rounds' ratios where one of the two is the base, which has them.
std::string interval_words(const Telling& t, std::uint32_t ours, std::uint32_t own) {
  if (own != 0 || t.brief > 0 || ours >= t.f.over_base.size()) return "";
  const Measured ratio = t.f.over_base[ours].ratio;
  return ratio && ratio->n > 1 ? fmt::format(" ({:.2f} to {:.2f})", ratio->low, ratio->high) : "";
}

}  // namespace

std::string loaders_words(const Telling& t) {
  const auto ours = fastest_with(t, false), own = fastest_with(t, true);
  if (!ours || !own) return "";
  const double with_ours = usable_rate(t.f.points[*ours], Mode::pipeline)->value,
               with_own = usable_rate(t.f.points[*own], Mode::pipeline)->value;
  return fmt::format(
      "Your step with our loader: {} samples/s with {}, {} with your own: {:.2f}x as fast{}.",
      human_count(with_ours), t.plan.points[*ours].settings.get(keys::loader.use),
      human_count(with_own), with_ours / with_own, interval_words(t, *ours, *own));
}

}  // namespace benchbench
