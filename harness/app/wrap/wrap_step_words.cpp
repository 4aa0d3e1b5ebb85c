#include "harness/app/wrap/wrap_step_words.h"

#include <fmt/format.h>

#include "harness/core/units.h"

namespace benchbench {
namespace {

std::string function_list(const std::vector<WrapFunction>& functions) {
  std::string text;
  for (const WrapFunction& f : functions)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", f.name, f.where);
  return text;
}

}  // namespace

bool knows_rate(const WrapEnd& end) {
  return !end.seen && end.steps.last_fetch.value_or(0) == 0 && end.steps.timed >= kLeastSteps &&
         end.steps.took() > Nanoseconds{0};
}

std::string steps_words(const WrapSteps& steps) {
  const auto all = static_cast<double>(steps.took().count());
  const auto percent = [&](Nanoseconds part) {
    return 100 * static_cast<double>(part.count()) / all;
  };
  return fmt::format(
      " It makes {:.3g} steps/s ({} each, over {}): {:.0f} % of that passes before the backward, "
      "which is the batch and the forward, {:.0f} % in the backward, {:.0f} % after it, which is "
      "the optimizer.",
      1e9 * static_cast<double>(steps.timed) / all,
      human_duration(Nanoseconds{steps.took().count() / static_cast<std::int64_t>(steps.timed)}),
      counted(steps.timed, "step"), percent(steps.before), percent(steps.backward),
      percent(steps.rest));
}

std::string by_hand_words(const WrapSteps& steps) {
  return " A function that makes its batches can be measured as `loader.use: python` "
         "(docs/python.md)" +
         (steps.calls.empty()
              ? "."
              : fmt::format("; its loop names these: {}.", function_list(steps.calls)));
}

}  // namespace benchbench
