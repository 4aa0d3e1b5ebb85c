#include "harness/analysis/choice/recommended.h"

#include <algorithm>
#include <utility>

#include "harness/analysis/choice/another_job.h"
#include "harness/analysis/choice/axis_effects.h"
#include "harness/analysis/summary/gain.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

class Choosing {
 public:
  Choosing(const Plan& plan, const std::vector<PointFindings>& points, const AgainstBase& against)
      : plan_(plan), points_(points), against_(against) {
    for (const Point& point : plan.points)
      another_job_.push_back(is_another_job(plan, points, point.index));
  }

  Recommended result() {
    Recommended out;
    out.mode = against_.mode;
    out.compared = compared();
    out.other_jobs = static_cast<std::uint32_t>(std::ranges::count(another_job_, true));
    if (out.compared == 0) return out;
    out.fastest = fastest();
    out.point = cheapest_as_good(out.fastest);
    out.choice = choice(out);
    if (out.point != 0) out.over_base = against_.effects[out.point];
    out.next = fastest_but(out.fastest);
    if (out.next) out.over_next = against_.between(out.fastest, *out.next);
    if (out.fastest != out.point) out.fastest_over = against_.between(out.fastest, out.point);
    if (out.choice == Choice::no_difference_shown) out.detectable = detectable();
    return out;
  }

 private:
  bool shown(std::uint32_t i, Shown what) const { return against_.effects[i].shown == what; }
  double ratio(std::uint32_t i) const { return i == 0 ? 1 : against_.effects[i].ratio->value; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(against_.effects.size()); }

  // Never to be used: the base once more, or another job than its.
  bool left_out(std::uint32_t i) const {
    return repeats_base(plan_, plan_.points[i]) || another_job_[i];
  }

  std::uint32_t compared() const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 1; i < size(); ++i)
      count += against_.effects[i].shown != Shown::not_compared && !another_job_[i];
    return count;
  }

  // Of those shown to be faster than the base; the base where there is none.
  std::uint32_t fastest() const {
    std::uint32_t found = 0;
    for (std::uint32_t i = 1; i < size(); ++i)
      if (shown(i, Shown::faster) && !left_out(i) && (found == 0 || ratio(i) > ratio(found)))
        found = i;
    return found;
  }

  std::optional<std::uint32_t> fastest_but(std::uint32_t other) const {
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (i == other || left_out(i) || (i > 0 && !against_.effects[i].ratio)) continue;
      if (!found || ratio(i) > ratio(*found)) found = i;
    }
    return found;
  }

  std::int64_t workers(std::uint32_t i) const { return workers_of(plan_.points[i]); }

  // What readings of memory differ by by themselves is no saving, and one reading alone says
  // nothing.
  bool less_memory(std::uint32_t i, std::uint32_t other) const {
    const auto mine = points_[i].peak_memory_bytes, its = points_[other].peak_memory_bytes;
    return mine && its && static_cast<double>(*mine) < kLessMemory * static_cast<double>(*its);
  }

  bool cheaper(std::uint32_t i, std::uint32_t other) const {
    return workers(i) != workers(other) ? workers(i) < workers(other) : less_memory(i, other);
  }

  // Faster than the base or the same as the fastest, as shown.
  bool as_good(std::uint32_t i, std::uint32_t best) const {
    const Paired to_best = against_.between(i, best);
    if (!to_best.ratio || to_best.ratio->value <= 1 / (1 + kWorth)) return false;
    return to_best.shown == Shown::same || (best != 0 && i != 0 && shown(i, Shown::faster));
  }

  // Of all that are as good the cheapest, and of equally cheap ones the fastest.
  std::uint32_t cheapest_as_good(std::uint32_t best) const {
    std::vector<std::uint32_t> good{best};
    for (std::uint32_t i = 0; i < size(); ++i)
      if (i != best && !left_out(i) && as_good(i, best) && (best != 0 || cheaper(i, 0)))
        good.push_back(i);
    std::uint32_t found = best;
    for (const std::uint32_t i : good)
      if (cheaper(i, found) || (!cheaper(found, i) && ratio(i) > ratio(found))) found = i;
    return least_changed(found, good);
  }

  // Axes on which the point differs from the base.
  std::ptrdiff_t changes(std::uint32_t i) const {
    const Point& base = plan_.points[0];
    return std::ranges::count_if(plan_.points[i].labels, [&](const auto& label) {
      const Value* value = base.settings.find(label.first);
      return !(value && value->text() == label.second) && !contains(base.labels, label);
    });
  }

  // Batches that it holds: those made ahead, and those on the device.
  std::int64_t held(std::uint32_t i) const {
    const SettingsMap& s = plan_.points[i].settings;
    const std::int64_t ahead =
        s.get_if(keys::loader.prefetch_factor).value_or(0) * std::max<std::int64_t>(1, workers(i));
    return ahead + s.get_if(keys::trainer.in_flight).value_or(0);
  }

  // In place of `found`, of those that cost no more and are slower by no more than kNoMatter: the
  // one with the fewest changes, then the fewest batches.
  std::uint32_t least_changed(std::uint32_t found, const std::vector<std::uint32_t>& good) const {
    std::uint32_t least = found;
    for (const std::uint32_t i : good)
      if (!cheaper(found, i) && ratio(i) > ratio(found) / (1 + kNoMatter) &&
          std::pair(changes(i), held(i)) < std::pair(changes(least), held(least)))
        least = i;
    return least;
  }

  Choice choice(const Recommended& out) const {
    if (out.fastest != 0) return out.point == 0 ? Choice::cheaper : Choice::faster;
    if (out.point != 0) return Choice::cheaper;
    for (std::uint32_t i = 1; i < size(); ++i)
      if (!another_job_[i] && (shown(i, Shown::not_shown) || shown(i, Shown::faster)))
        return Choice::no_difference_shown;
    return Choice::base_is_best;
  }

  // By the point that is known least; nullopt where one is known from one round only.
  std::optional<double> detectable() const {
    std::optional<double> largest;
    for (std::uint32_t i = 1; i < size(); ++i) {
      if (!shown(i, Shown::not_shown) || another_job_[i]) continue;
      if (!against_.effects[i].detectable) return std::nullopt;
      largest = std::max(largest.value_or(0), *against_.effects[i].detectable);
    }
    return largest;
  }

  const Plan& plan_;
  const std::vector<PointFindings>& points_;
  const AgainstBase& against_;
  std::vector<bool> another_job_;  // by point
};

}  // namespace

std::optional<Recommended> recommended_point(const Plan& plan,
                                             const std::vector<PointFindings>& points,
                                             const AgainstBase& against) {
  if (!against.base_usable) return std::nullopt;
  return Choosing(plan, points, against).result();
}

std::optional<std::uint32_t> best_of(const std::optional<Recommended>& recommended,
                                     std::size_t points) noexcept {
  if (!recommended || recommended->choice == Choice::no_difference_shown) return std::nullopt;
  if (recommended->choice == Choice::only_one && points > 1) return std::nullopt;
  return recommended->point;
}

}  // namespace benchbench
