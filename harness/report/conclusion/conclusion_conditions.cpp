// The conditions that are swept: what is said of a point holds for its own alone.
#include "harness/analysis/choice/another_job.h"
#include "harness/report/conclusion/conclusion_part_words.h"

namespace benchbench {

std::string with_conditions(const Telling& t, std::uint32_t point, std::string words) {
  for (const Axis& axis : t.plan.scenario.axes) {
    if (!is_condition(axis.key)) continue;
    const std::string condition =
        setting_words(axis.key, condition_text(t.plan.points[point].settings, axis.key));
    if (words.find(condition) == std::string::npos)
      words += (words.empty() ? "" : ", ") + condition;
  }
  return words;
}

}  // namespace benchbench
