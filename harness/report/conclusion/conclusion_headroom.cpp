// How far the loader is ahead of the trainer.
#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/step_parts.h"
#include "harness/report/conclusion/conclusion_part_words.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

constexpr int kMostDigits = 4;  // behind the point

std::string with_digits(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }

// Rounded as in the table, unless that reaches a limit which the ratio does not.
std::string rounded_ratio(double value) {
  const bool large = value >= 10;  // as in the table
  const double scale = large ? 10 : 100;
  double rounded = std::round(value * scale) / scale;
  if ((value < 1 && rounded >= 1) || (value < kAmpleHeadroom && rounded >= kAmpleHeadroom))
    rounded = std::floor(value * scale) / scale;
  return with_digits(rounded, large ? 1 : 2);
}

bool is_undecided(const Estimate& ratio) { return ratio.low < 1 && ratio.high > 1; }

std::string enough_words(Headroom headroom) {
  switch (headroom) {
    case Headroom::too_little:
      return "not enough";
    case Headroom::narrow:
      return fmt::format("enough, with little to spare ({}x is safe)", kAmpleHeadroom);
    default:
      return "enough";
  }
}

// The ratio, and what it says: " (0.998 to 1.002)" or ": enough".
RatioWords judged_ratio(const Telling& t, const Estimate& ratio) {
  if (is_undecided(ratio) && t.wrapped() && is_wide(ratio))
    return {rounded_ratio(ratio.value), ", within an interval of over a factor of three"};
  if (is_undecided(ratio)) return undecided_ratio(ratio);
  return {rounded_ratio(ratio.value), ": " + enough_words(headroom_word(ratio))};
}

// "; with dataset.storage.like: s3 1.06x: enough, with little to spare (1.2x is safe)".
std::string least_words(const Telling& t) {
  const auto& least = t.c().least_headroom_of;
  if (!least) return "";
  const Estimate& ratio = *t.f.points[*least].headroom;
  const std::string swept = with_conditions(t, *least, "");
  const RatioWords judged = judged_ratio(t, ratio);
  return fmt::format("; with {} {}x{}", swept.empty() ? point_words(t, *least) : swept,
                     judged.value, judged.interval);
}

}  // namespace

RatioWords undecided_ratio(const Estimate& ratio) {
  int digits = 2;
  const auto text = [&](double value) { return with_digits(value, digits); };
  while (digits < kMostDigits && text(ratio.low) == text(ratio.high)) ++digits;
  if (text(ratio.low) == text(ratio.high)) return {with_digits(ratio.value, 2), ""};
  return {text(ratio.value), fmt::format(" ({} to {})", text(ratio.low), text(ratio.high))};
}

std::string headroom_words(const Telling& t) {
  const Conclusion& c = t.c();
  if (!c.subject || c.headroom == Headroom::not_measured) return "";
  // `binds` says why
  if (c.doubt == Doubt::above_a_side || c.doubt == Doubt::sides_alike) return "";
  const std::uint32_t of = c.headroom_of;
  const PointFindings& p = t.f.points[of];
  const Estimate& ratio = *p.headroom;
  // Its rounds are too far apart to say it.
  if (ratio.value < 1 && p.side == Side::trainer) return "";
  const bool turns = takes_turns(t.f, t.plan, of);
  const std::string times = turns ? rounded_ratio(ratio.value) : judged_ratio(t, ratio).value,
                    where = with_conditions(t, of, of == 0 ? "" : point_words_again(t, of));
  const std::string text =
      fmt::format("the loader alone {} {}{}x what the trainer alone {}{}", t.does("makes"),
                  p.is_bound(Mode::loader) ? "more than " : "", times, t.does("takes"),
                  where.empty() ? "" : " with " + where);
  if (turns)
    return as_sentence(
        fmt::format("{}, but {}they take turns", text, p.own_workers ? "" : "without workers "));
  if (t.doubted() && !is_undecided(ratio)) return as_sentence(text);
  return as_sentence(text + judged_ratio(t, ratio).interval + least_words(t));
}

}  // namespace benchbench
