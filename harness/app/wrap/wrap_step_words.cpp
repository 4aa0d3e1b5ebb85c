#include "harness/app/wrap/wrap_step_words.h"

#include <fmt/format.h>

#include "harness/core/units.h"
#include "harness/report/external/job_words.h"

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
  const auto ns = [](Nanoseconds time) { return static_cast<double>(time.count()); };
  return fmt::format(" It makes {}.", steps_words(steps.timed, ns(steps.before), ns(steps.backward),
                                                  ns(steps.rest)));
}

std::string by_hand_words(const WrapSteps& steps) {
  return " A function that makes its batches can be measured as `loader.use: python` "
         "(docs/python.md)" +
         (steps.calls.empty()
              ? "."
              : fmt::format("; its loop names these: {}.", function_list(steps.calls)));
}

}  // namespace benchbench
