// What a report prints that is neither a part, a key, a metric, a rule nor a component: columns of
// its table, statuses, stages, sides, severities, and the words of the trade. For `describe`.
#pragma once
#include <span>
#include <string_view>

namespace benchbench {

struct Term {
  std::string_view word;  // "NOISY", "held back by"
  std::string_view kind;  // "status of a trial"; one of the topics that `describe` lists
  std::string_view text;  // a sentence or more
};

// The kind of a column of the table of points.
inline constexpr std::string_view kColumnTopic = "column of the report";

std::span<const Term> terms();

}  // namespace benchbench
