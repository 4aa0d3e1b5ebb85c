#include "harness/report/compare/compare_words.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/statistics/thresholds.h"
#include "harness/core/units.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

std::string percent(double share) {
  const double value = 100 * share;
  if (!std::isfinite(value)) return "not known";
  return std::abs(value) < 0.05 ? "0.0" : fmt::format("{:+.1f}", value);
}

// The same in every round, but for the last digits.
bool is_exact(const Estimate& e) { return e.high - e.low <= 1e-9; }

std::string signed_ms(double ms) { return ms < 0 ? "-" + ms_text(-ms) : "+" + ms_text(ms); }

// Names of processors and kernels are kept: what tells two of them apart is often their end.
std::string short_digest(const std::string& text) {
  const bool is_digest =
      text.size() > 24 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_digest ? text.substr(0, 12) + "..." : text;
}

std::string set_text(const std::string& text) {
  return text.empty() ? "not set" : visible(short_digest(text));
}

std::string few_rounds_text(const MetricComparison& c, bool sets) {
  return sets ? fmt::format("{0} against {1} cannot show a difference: {2} against {2} or more can",
                            counted(c.rounds_a, "round"), c.rounds_b, kSetToSpeak)
              : fmt::format("{} cannot show a difference: {} or more can",
                            counted(c.rounds_a, "paired round"), kRoundsToSpeak);
}

}  // namespace

std::string value_cell(const Measured& value, const Metric& metric) {
  if (!value || !std::isfinite(value->value)) return kNotMeasured;
  switch (metric.compared.kind) {
    case MetricKind::rate:
      return human_count(value->value) + "/s";
    case MetricKind::memory:
      return human_bytes(value->value);
    default:
      return ms_text(value->value);
  }
}

std::string change_cell(const Measured& change) {
  return change ? percent(change->value) + " %" : kNotMeasured;
}

std::string interval_cell(const Measured& change) {
  if (change && change->n > 1 && is_exact(*change)) return "exact";
  return change && change->n > 1
             ? fmt::format("[{}, {}]", percent(change->low), percent(change->high))
             : "";
}

std::string change_text(const Measured& change) {
  const std::string interval = interval_cell(change);
  return interval.empty() || interval == "exact" ? change_cell(change)
                                                 : change_cell(change) + " " + interval;
}

std::string growth_text(const Estimate& ms) {
  if (ms.n < 2 || is_exact(ms)) return signed_ms(ms.value);
  return fmt::format("{} [{}, {}]", signed_ms(ms.value), signed_ms(ms.low), signed_ms(ms.high));
}

std::string detectable_cell(const MetricComparison& c) {
  return c.detectable ? fmt::format("{:.1f} %", 100 * *c.detectable) : kNotMeasured;
}

std::string unsure_text(const MetricComparison& c, Relation relation) {
  const bool sets = relation == Relation::stored;
  switch (c.why) {
    case Unsure::none:
      return "";
    case Unsure::one_process:
      return "all rounds ran in one process (measure.isolation: none)";
    case Unsure::canary:
      return "a canary moved by over 3 %: the machine changed";
    case Unsure::spread_unknown:
      return "what this machine differs by between sessions is not known (--spread)" +
             (!c.speaks ? ", and " + few_rounds_text(c, sets) : "");
    case Unsure::noisy:
      return fmt::format("{} NOISY, {}", counted(c.noisy, "round"),
                         sets ? "and without them too few are left"
                              : "nearly all for one side: what doubts it may be all that differs");
    case Unsure::few_rounds:
      return few_rounds_text(c, sets);
    case Unsure::cut_windows:
      return "windows that begin elsewhere may differ by as much, in all rounds alike";
    case Unsure::wide:
      return "the rounds differ too much to say";
    case Unsure::no_rounds:
      return visible(c.reason);
  }
  return "";
}

std::string not_comparable_text(const ComparisonFindings& f) {
  const std::string& which = f.not_comparable_detail;
  switch (f.not_comparable) {
    case NotComparable::none:
      return "";
    case NotComparable::other_hardware:
      return "A and B ran on different hardware";
    case NotComparable::mixed_hardware:
      return fmt::format("{} has records of more than one machine", which);
    case NotComparable::clocks:
      return fmt::format("{} is in virtual time, the other one is not", which);
    case NotComparable::no_usable_trial:
      return fmt::format(
          "{} has no VALID or NOISY trial{}", which,
          f.not_comparable_reason.empty() ? "" : " (" + visible(f.not_comparable_reason) + ")");
    case NotComparable::no_common_point:
      return "no point of A has the settings of one of B (--across KEY lets a setting differ)";
  }
  return "";
}

std::string stage_text(const MovedStage& s) {
  const std::string step = s.step_ms ? fmt::format("; the step {}", growth_text(*s.step_ms)) : "";
  if (s.name.empty() || !s.ms) return "in no stage that is clear of noise" + step;
  const std::string tie = s.tied_with.empty() ? "" : fmt::format(" or {}", s.tied_with);
  switch (s.by) {
    case MovedStage::By::substitution:
      return fmt::format("{}{} {} a step, by substitution{}", s.name, tie, growth_text(*s.ms),
                         step);
    case MovedStage::By::step:
      return fmt::format("{} {} a step{}", s.name, growth_text(*s.ms), step);
    case MovedStage::By::loader:
      return fmt::format("{} {} of the loader's work for a batch{}{}", s.name, growth_text(*s.ms),
                         s.waited_for ? ", for which the trainer waits" : "", step);
  }
  return "";
}

std::string difference_line(const RunDifference& d) {
  return fmt::format("{} {}: {} -> {}", name_of(d.kind), visible(d.what), set_text(d.a),
                     set_text(d.b));
}

std::string relation_text(const ComparisonFindings& f) {
  if (f.relation == Relation::itself) return "A and B are the same run: nothing can differ";
  if (f.relation == Relation::interleaved)
    return "one session: each round ran both sides, so that rounds are pairs";
  if (f.simulated && f.spread == 0.0)
    return "two sessions in virtual time, which has no spread between sessions";
  if (!f.spread)
    return "two sessions: what this machine differs by between them is not known (--spread)";
  return fmt::format("two sessions: a change below {:.1f} % is never called",
                     100 * std::max(kMinEffect, *f.spread));
}

std::string gate_text(const Gate& gate) {
  return gate.of == GateOf::verdict ? "verdict"
                                    : fmt::format("{}:{:.4g}%", name_of(gate.of), 100 * gate.share);
}

}  // namespace benchbench
