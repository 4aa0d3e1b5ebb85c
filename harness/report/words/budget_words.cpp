#include "harness/report/words/budget_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace benchbench {
namespace {

// By its words, which is all that a stored plan keeps: those of today, and of older runs.
bool is_too_long(std::string_view cut) {
  constexpr std::array<std::string_view, 2> begins{"estimated to need ", "still about "};
  return std::ranges::any_of(begins,
                             [&](std::string_view words) { return cut.starts_with(words); });
}

}  // namespace

std::vector<std::string> budget_lines(const Plan& plan, bool all_ran) {
  std::vector<std::string> cuts, lines;
  for (const std::string& cut : plan.cuts) (is_too_long(cut) ? lines : cuts).push_back(cut);
  if (all_ran) lines.clear();
  if (!cuts.empty())
    lines.insert(lines.begin(), fmt::format("cut to fit the budget: {}", fmt::join(cuts, "; ")));
  return lines;
}

}  // namespace benchbench
