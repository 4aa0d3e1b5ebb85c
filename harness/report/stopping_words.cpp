#include "harness/report/stopping_words.h"

#include <fmt/format.h>

namespace benchbench {

std::string stopping_text(const StoppingState& s) {
  const std::string widest = s.widest ? fmt::format("{:.2g} %", 100 * *s.widest) : "not known";
  switch (s.enough) {
    case Enough::no:
      break;
    case Enough::planned_rounds:
      return fmt::format("all {} rounds have run", s.rounds);
    case Enough::narrow:
      return fmt::format("{} rounds are enough: every rate's 95 % interval is within {} (asked: {:.2g} %)", s.rounds,
                         widest, 100 * s.asked);
    case Enough::max_rounds:
      return fmt::format("{} rounds are the most that measure.max_rounds lets; the widest 95 % interval is {} (asked: "
                         "{:.2g} %)",
                         s.rounds, widest, 100 * s.asked);
    case Enough::budget:
      return fmt::format("{} rounds took {:.3g} s; another would pass the budget of {:.3g} s", s.rounds, s.spent, s.budget);
  }
  return "";
}

}  // namespace benchbench
