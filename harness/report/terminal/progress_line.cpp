#include "harness/report/terminal/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "harness/core/visible_text.h"
#include "harness/report/text/text_table.h"

namespace benchbench {
namespace {

std::string head(const Progress& p) {
  const std::string all = std::to_string(p.trials);
  return fmt::format("[{:>{}}/{}] {} {}", p.trial, all.size(), all, visible(p.point),
                     name_of(p.mode));
}

std::string phase_text(const Progress& p) {
  if (p.phase.empty()) return "";
  if (!(p.phase_share > 0) || p.phase_share >= 1) return ", " + p.phase;
  return fmt::format(", {} {:.0f} %", p.phase, 100 * p.phase_share);
}

std::string now_text(const Progress& p) {
  return p.rate_now ? fmt::format("  {}/s", human_count(*p.rate_now)) : "";
}

std::string rates_text(const Progress& p) {
  const std::array rates{std::pair{'L', p.loader_rate}, std::pair{'T', p.trainer_rate},
                         std::pair{'F', p.pipeline_rate}};
  std::string text;
  for (const auto& [letter, rate] : rates)
    if (rate)
      text += fmt::format("{}{} {}", text.empty() ? "  |  " : "  ", letter, human_count(*rate));
  return text;
}

// Rounded up, so that it never says that nothing is left: "40 s", "3 min", "1 h 20 min".
std::string left_text(const Progress& p) {
  if (!p.left) return "";
  const double seconds = std::max(0.0, p.left->count());
  if (seconds < 90) return fmt::format("  |  {:.0f} s left", std::max(1.0, std::ceil(seconds)));
  const auto minutes = static_cast<long>(std::ceil(seconds / 60));
  if (minutes < 90) return fmt::format("  |  {} min left", minutes);
  return fmt::format("  |  {} h {} min left", minutes / 60, minutes % 60);
}

std::string_view are(std::uint64_t n) { return n == 1 ? "is" : "are"; }

}  // namespace

std::string progress_text(const Progress& p, std::size_t width) {
  const std::string first = head(p), phase = phase_text(p), now = now_text(p),
                    rates = rates_text(p), left = left_text(p);
  const std::array tries{first + phase + now + rates + left, first + phase + rates + left,
                         first + rates + left, first + left, first};
  for (const std::string& text : tries)
    if (display_width(text) <= width) return text;
  return cut_to_width(first, width);
}

std::string progress_plain(const Progress& p, std::size_t width) {
  const std::string line = head(p) + phase_text(p) + now_text(p) + rates_text(p) + left_text(p);
  return (display_width(line) <= width ? line : wrapped(line, width, 2)) + '\n';
}

std::string stopping_text(const StoppingState& s) {
  const std::string widest = s.widest ? fmt::format("{:.2g} %", 100 * *s.widest) : "not known";
  switch (s.enough) {
    case Enough::no:
      break;
    case Enough::planned_rounds:
      return s.rounds == 1 ? "the one round has run"
                           : fmt::format("all {} have run", counted(s.rounds, "round"));
    case Enough::narrow:
      return fmt::format(
          "{} {} enough: every rate's 95 % interval is within {} (requested: {:.2g} %)",
          counted(s.rounds, "round"), are(s.rounds), widest, 100 * s.asked);
    case Enough::max_rounds:
      return fmt::format(
          "{} {} the maximum of measure.max_rounds; "
          "the widest 95 % interval is {} (requested: {:.2g} %)",
          counted(s.rounds, "round"), are(s.rounds), widest, 100 * s.asked);
    case Enough::budget:
      return fmt::format("{} took {}; another would pass the budget of {}",
                         counted(s.rounds, "round"), human_duration(from_seconds(s.spent)),
                         human_duration(from_seconds(s.budget)));
  }
  return "";
}

}  // namespace benchbench
