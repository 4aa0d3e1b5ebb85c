// What each axis gave but for those that the setting to use changes.
#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/choice/another_job.h"
#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/rules/rules.h"
#include "harness/report/conclusion/conclusion_part_words.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/notes.h"
#include "harness/report/text/text_table.h"

namespace benchbench {
namespace {

constexpr std::size_t kReason = 60;  // columns of a reason why a value could not be tried
constexpr std::size_t kLabels = 3;   // more values left out of a comparison are counted
constexpr std::string_view kNoDifference = "showed no difference",
                           kNoFaster = "showed no faster value";

std::string last_word(std::string_view key) { return std::string(key.substr(key.rfind('.') + 1)); }

bool of_axis(const AxisEffect& axis, std::string_view key) {  // of a zip's any
  std::string_view rest = axis.key;
  for (auto comma = rest.find(", "); comma != std::string_view::npos;
       rest.remove_prefix(comma + 2), comma = rest.find(", "))
    if (rest.substr(0, comma) == key) return true;
  return rest == key;
}

bool changed_by_use(const Telling& t, const AxisEffect& axis) {
  const auto other = other_point_to_use(t.f);
  if (!other) return false;
  const auto& base = t.plan.points.front().labels;
  return std::ranges::any_of(t.plan.points[*other].labels, [&](const auto& label) {
    if (!of_axis(axis, label.first)) return false;
    const auto was = std::ranges::find(base, label.first, [](const auto& l) { return l.first; });
    return label.second != (was == base.end() ? axis.base_label : was->second);
  });
}

// "needs CUDA: no driver", shortened.
std::string reason_words(const AxisEffect& axis) {
  return axis.why.empty() ? "" : " (" + cut_to_width(headline_of(axis.why), kReason) + ")";
}

// Axes of one outcome share a clause: "prefetch_factor, shuffle: no difference shown".
class AxisClauses {
 public:
  explicit AxisClauses(const Telling& t) : t_(t) {}

  std::string text() {
    for (const AxisEffect& axis : t_.f.axes)
      if (!changed_by_use(t_, axis)) add(axis);
    std::string text;
    for (const Clause& c : clauses_)  // a key keeps its first letter
      text += fmt::format("{}{} {}{}.", text.empty() ? "" : " ", fmt::join(c.names, ", "), c.what,
                          in_brackets(c));
    return text;
  }

 private:
  struct Clause {
    std::vector<std::string> names;
    std::string what;
    std::optional<double> detectable;
    std::string left_out;  // "8 could not be tried"
  };

  std::string in_brackets(const Clause& c) const {
    std::string text;
    if (t_.brief < 3 && c.detectable) text = seen_words(*c.detectable);
    if (!c.left_out.empty()) text += (text.empty() ? "" : "; ") + c.left_out;
    return text.empty() ? "" : " (" + text + ")";
  }

  // "a, b", or how many they are; "" for none.
  static std::string labels_words(const std::vector<std::string>& labels) {
    if (labels.empty()) return "";
    return labels.size() > kLabels ? fmt::format("{} values", labels.size())
                                   : fmt::format("{}", fmt::join(labels, ", "));
  }

  bool is_of_another_order(const AxisValueEffect& v) const {
    return is_usable(v.status) && shuffle_otherwise(t_.plan, t_.f.points, v.point, 0);
  }

  // The values that an outcome is not said of.
  std::string not_compared(const AxisEffect& axis) const {
    std::vector<std::string> labels;
    bool skipped = true, otherwise = true;
    for (const AxisValueEffect& v : axis.values) {
      if (v.shown != Shown::not_compared) continue;
      labels.push_back(v.label);
      skipped = skipped && v.status == Status::skipped;
      otherwise = otherwise && is_of_another_order(v);
    }
    if (labels.empty()) return "";
    return labels_words(labels) + (skipped     ? " could not be tried"
                                   : otherwise ? " could not be compared: shuffled otherwise"
                                               : " could not be compared");
  }

  std::string invalid_words(const AxisEffect& axis) const {
    const bool otherwise =
        !axis.values.empty() && std::ranges::all_of(axis.values, [&](const AxisValueEffect& v) {
          return is_of_another_order(v);
        });
    if (otherwise) return "could not be compared with the base: shuffled otherwise";
    if (any_rate(axis)) return "could not be compared with the base";
    return never_ran(axis) ? "did not run" : "gave nothing usable";
  }

  static bool any_slower(const AxisEffect& axis) {
    return std::ranges::any_of(axis.values,
                               [](const AxisValueEffect& v) { return v.shown == Shown::slower; });
  }

  bool any_rate(const AxisEffect& axis) const {
    return std::ranges::any_of(axis.values, [&](const AxisValueEffect& v) {
      const PointFindings& p = t_.f.points[v.point];
      return v.point > 0 && (usable_rate(p, Mode::pipeline) || usable_rate(p, Mode::loader) ||
                             usable_rate(p, Mode::trainer));
    });
  }

  std::string name_of_axis(const AxisEffect& axis) const {
    const std::string name = last_word(axis.key);
    const auto same = [&](const AxisEffect& other) { return last_word(other.key) == name; };
    return axis.key.find(", ") != std::string::npos || std::ranges::count_if(t_.f.axes, same) > 1
               ? axis.key
               : name;
  }

  bool never_ran(const AxisEffect& axis) const {
    return !axis.values.empty() && std::ranges::all_of(axis.values, [&](const AxisValueEffect& v) {
      return v.point == 0 || status_text(t_.f.points[v.point]) == "not run";
    });
  }

  void add(const AxisEffect& axis) {
    const AxisValueEffect* best = axis.best_value();
    const std::string factor =
        best && best->ratio ? fmt::format("{:.2f}x", best->ratio->value) : "";
    switch (axis.outcome) {
      case AxisOutcome::gain:
        clauses_.push_back({{fmt::format("{}: {}", name_of_axis(axis), best ? best->label : "")},
                            fmt::format("{} {} as fast", t_.is(), factor),
                            {},
                            {}});
        break;
      case AxisOutcome::loss:
        clauses_.push_back({{name_of_axis(axis) + (not_compared(axis).empty()
                                                       ? ": every other value"
                                                       : ": every value that could be compared")},
                            fmt::format("{} slower{}", t_.is(),
                                        best ? fmt::format(" ({}: {})", best->label, factor) : ""),
                            {},
                            {}});
        break;
      case AxisOutcome::nothing:
        add_nothing(axis);
        break;
      case AxisOutcome::not_shown: {
        if (!axis.detectable && !any_slower(axis)) {
          together(axis, "needs two rounds to be compared", "need two rounds to be compared");
          break;
        }
        if (is_blind(axis.detectable) && !any_slower(axis)) {
          add_blind(axis);
          break;
        }
        const std::string what(any_slower(axis) ? kNoFaster : kNoDifference);
        together(axis, what, what);
        break;
      }
      case AxisOutcome::could_not_be_tried:
        clauses_.push_back({{name_of_axis(axis)},
                            "could not be tried" + (t_.brief < 2 ? reason_words(axis) : ""),
                            {},
                            {}});
        break;
      case AxisOutcome::invalid: {
        const std::string what = invalid_words(axis);
        together(axis, what, what);
        break;
      }
      case AxisOutcome::not_compared:
        together(axis, "was not compared alone", "were not compared alone");
        break;
    }
  }

  // It could have shown nothing: that is not to say that it showed no difference.
  void add_blind(AxisEffect axis) {
    axis.detectable.reset();
    together(axis, fmt::format("shows nothing: {}", kNothingSeen),
             fmt::format("show nothing: {}", kNothingSeen));
  }

  void add_nothing(const AxisEffect& axis) {
    const std::string_view faster = any_slower(axis) ? " faster" : "";
    together(axis, fmt::format("{} nothing{}", t_.does("gives"), faster),
             fmt::format("{} nothing{}", t_.would() ? "would give" : "give", faster));
  }

  void together(const AxisEffect& axis, const std::string& one, const std::string& many) {
    const bool brackets =
        axis.outcome == AxisOutcome::nothing || axis.outcome == AxisOutcome::not_shown;
    const std::string out = brackets ? not_compared(axis) : "";
    const auto same = std::ranges::find_if(clauses_, [&](const Clause& c) {
      return (c.what == one || c.what == many) &&
             c.detectable.has_value() == axis.detectable.has_value() && c.left_out.empty() &&
             out.empty();
    });
    if (same == clauses_.end()) {
      clauses_.push_back({{name_of_axis(axis)}, one, axis.detectable, out});
      return;
    }
    same->names.push_back(name_of_axis(axis));
    same->what = many;
    if (axis.detectable) same->detectable = std::max(*same->detectable, *axis.detectable);
  }

  const Telling& t_;
  std::vector<Clause> clauses_;
};

}  // namespace

std::string seen_words(double share) {
  return is_blind(share) ? std::string(kNothingSeen)
                         : difference_words(share) + " would have been seen";
}

std::string axes_words(const Telling& t) { return AxisClauses(t).text(); }

}  // namespace benchbench
