#include "harness/analysis/choice/axis_effects.h"

#include <algorithm>
#include <ranges>
#include <span>

#include "harness/analysis/choice/another_job.h"
#include "harness/analysis/rules/rules.h"
#include "harness/core/contains.h"
#include "harness/record/external_keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

bool within(const std::string& key, const std::string& part) {
  return key == part || (key.starts_with(part) && key[part.size()] == '.');
}

bool sets(const Axis& axis, const std::string& key) {
  if (within(key, axis.key)) return true;
  return std::ranges::any_of(axis.values, [&](const AxisValue& v) {
    return contains(v.set | std::views::keys, key) ||
           std::ranges::any_of(v.erase, [&](const std::string& part) { return within(key, part); });
  });
}

// What was not given and follows from the point's other settings: see Scenario.
bool follows(const Scenario& scenario, const std::string& key) {
  return (key == keys::loader.max_jobs && scenario.max_jobs_follows) ||
         (key == keys::trainer.intra_op_threads && scenario.threads_follow) ||
         (key == keys::measure.modes && scenario.modes_follow);
}

// Of a repeat, as points are numbered: "4 #1".
bool is_repeat(std::string_view label) {
  const auto mark = label.rfind(" #");
  return mark != std::string_view::npos && mark + 2 < label.size() &&
         label.find_first_not_of("0123456789", mark + 2) == std::string_view::npos;
}

void add_word(std::string& list, const std::string& word) {
  list += (list.empty() || word.empty() ? "" : ", ") + word;
}

class AxisReader {
 public:
  AxisReader(const Plan& plan, const std::vector<PointFindings>& points, const AgainstBase& against,
             std::span<const Axis> axes)
      : plan_(plan), points_(points), against_(against), axes_(axes) {}

  std::optional<AxisEffect> effect() {
    if (std::ranges::none_of(plan_.points, [&](const Point& p) { return has_label(p); }))
      return std::nullopt;
    for (const Axis& axis : axes_) {
      add_word(out_.key, axis.key);
      add_word(out_.base_label, base_value(axis));
    }
    for (const Point& p : plan_.points)
      if (p.index != 0 && has_label(p) && differs_here_alone(p)) add(p);
    if (out_.values.empty() && is_of_other_devices()) return std::nullopt;
    decide();
    return std::move(out_);
  }

 private:
  bool of_axes(const std::string& key) const { return contains(axes_, key, &Axis::key); }
  bool has_label(const Point& p) const {
    return std::ranges::any_of(p.labels, [&](const auto& label) { return of_axes(label.first); });
  }

  // Nothing but what is held against a device that is emulated: no setting of the job.
  bool is_of_other_devices() const {
    return std::ranges::any_of(plan_.points, [&](const Point& p) {
      return has_label(p) && is_for_another_device(plan_, p.index);
    });
  }

  bool differs_here_alone(const Point& p) const {
    if (is_for_another_device(plan_, p.index)) return false;
    if (repeats_base(plan_, p) && !repeats_here(p)) return false;
    return std::ranges::all_of(
        keys_apart(p.settings, plan_.points.front().settings), [&](const std::string& key) {
          const bool here =
              std::ranges::any_of(axes_, [&](const Axis& axis) { return sets(axis, key); });
          return here || follows(plan_.scenario, key) || comes_with_workers(key) || is_shared(key);
        });
  }
  // DataLoader's settings that are there with workers only, unless they are swept, too.
  bool comes_with_workers(const std::string& key) const {
    return needs_workers(key) && of_axes(keys::loader.num_workers) &&
           std::ranges::none_of(plan_.scenario.axes,
                                [&](const Axis& axis) { return sets(axis, key); });
  }
  // The interpreter of one side is the other's.
  bool is_shared(const std::string& key) const {
    return (key == "trainer.python" && of_axes("loader.python")) ||
           (key == "loader.python" && of_axes("trainer.python"));
  }

  bool repeats_here(const Point& p) const {
    return std::ranges::any_of(p.labels, [&](const auto& label) {
      return of_axes(label.first) && is_repeat(label.second);
    });
  }

  std::string base_value(const Axis& axis) const {
    for (const std::string& key : {axis.key, axis.key + ".use"})
      if (const Value* value = plan_.points.front().settings.find(key)) return value->text();
    return "";
  }

  void add(const Point& p) {
    AxisValueEffect value;
    static_cast<Paired&>(value) = against_.effects[p.index];
    value.point = p.index;
    value.status = points_[p.index].status;
    for (const auto& [key, label] : p.labels)
      if (of_axes(key)) add_word(value.label, label);
    out_.values.push_back(std::move(value));
  }

  // The one that is furthest ahead of those that are shown so.
  std::optional<std::size_t> furthest(Shown shown) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < out_.values.size(); ++i)
      if (out_.values[i].shown == shown &&
          (!found || out_.values[i].ratio->value > out_.values[*found].ratio->value))
        found = i;
    return found;
  }

  void decide() {
    using enum Shown;
    if (out_.values.empty()) return;
    if (std::ranges::all_of(out_.values,
                            [](const auto& v) { return v.status == Status::skipped; })) {
      out_.outcome = AxisOutcome::could_not_be_tried;
      out_.why = reason_of(out_.values.front().point);
      return;
    }
    for (const auto& [shown, outcome] :
         {std::pair(faster, AxisOutcome::gain), std::pair(not_shown, AxisOutcome::not_shown),
          std::pair(same, AxisOutcome::nothing), std::pair(slower, AxisOutcome::loss)}) {
      out_.best = furthest(shown);
      out_.outcome = outcome;
      if (out_.best) break;
    }
    if (out_.best && out_.outcome == AxisOutcome::not_shown) out_.detectable = detectable();
    if (out_.best) return;
    out_.outcome = AxisOutcome::invalid;
    out_.why = why_unusable();
  }

  // nullopt where one value is known from one round only.
  std::optional<double> detectable() const {
    std::optional<double> largest;
    for (const AxisValueEffect& v : out_.values) {
      if (v.shown != Shown::not_shown) continue;
      if (!v.detectable) return std::nullopt;
      largest = std::max(largest.value_or(0), *v.detectable);
    }
    return largest;
  }

  std::string reason_of(std::uint32_t point) const {
    const auto& reasons = points_[point].reasons;
    return reasons.empty() ? "" : reasons.front().text;
  }
  std::string why_unusable() const {
    if (!against_.base_usable) return reason_of(0);
    const auto ran = std::ranges::find_if(
        out_.values, [](const auto& v) { return v.status != Status::skipped; });
    return ran == out_.values.end() ? "" : reason_of(ran->point);
  }

  const Plan& plan_;
  const std::vector<PointFindings>& points_;
  const AgainstBase& against_;
  std::span<const Axis> axes_;
  AxisEffect out_;
};

}  // namespace

bool repeats_base(const Plan& plan, const Point& point) {
  return point.index != 0 &&
         std::ranges::any_of(point.labels,
                             [](const auto& label) { return is_repeat(label.second); }) &&
         keys_apart(point.settings, plan.points.front().settings).empty();
}

std::vector<AxisEffect> axis_effects(const Plan& plan, const std::vector<PointFindings>& points,
                                     const AgainstBase& against) {
  std::vector<AxisEffect> effects;
  const std::span<const Axis> axes = plan.scenario.axes;
  const std::size_t together = plan.scenario.mode == SweepMode::zip ? axes.size() : 1;
  for (std::size_t from = 0; from < axes.size(); from += together)
    if (auto effect = AxisReader(plan, points, against, axes.subspan(from, together)).effect())
      effects.push_back(std::move(*effect));
  return effects;
}

}  // namespace benchbench
