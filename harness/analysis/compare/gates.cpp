#include "harness/analysis/compare/gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/parse_number.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

// By GateOf; `verdict` is of no metric.
constexpr std::array kKinds{MetricKind::rate, MetricKind::wait, MetricKind::startup,
                            MetricKind::first_batch, MetricKind::memory};

GateOf gate_named(std::string_view name) {
  if (const auto gate = from_name<GateOf>(name)) return *gate;
  const auto& words = kWordsOf<GateOf>;
  const std::vector<std::string> names(words.begin(), words.end());
  throw UsageError(
      fmt::format("--fail-on: there is no gate \"{}\"{}", name, did_you_mean(name, names)),
      fmt::format("one of {}", fmt::join(words, ", ")));
}

// "3%", "3 %", "0.03"; 3 alone may mean either, and is refused.
double share_from(std::string_view gate, std::string_view text) {
  std::string_view rest = text;
  const bool percent = rest.ends_with('%');
  if (percent) rest.remove_suffix(1);
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  const auto number = parse_number<double>(rest);
  if (!number || !std::isfinite(*number))
    throw UsageError(fmt::format("--fail-on: \"{}\" is not a share", text),
                     "a share such as 5% or 0.05");
  if (!percent && *number >= 1)
    throw UsageError(
        fmt::format("--fail-on: {} is neither a percentage nor a share below 1", text),
        fmt::format("write {0}:{1:.4g}% or {0}:{2:.4g}", gate, *number, *number / 100));
  const double value = percent ? *number / 100 : *number;
  if (value < kMinEffect || value > 10)
    throw UsageError(fmt::format("--fail-on: {} is outside 3 % to 1000 %", text),
                     "a change below 3 % is never called SLOWER");
  return value;
}

Gate gate_from(std::string_view text) {
  const std::size_t colon = text.find(':');
  const Gate gate{gate_named(text.substr(0, colon)), kMinEffect};
  if (colon == std::string_view::npos) return gate;
  if (gate.of == GateOf::verdict)
    throw UsageError("--fail-on: verdict has no share", "write verdict alone");
  return {gate.of, share_from(name_of(gate.of), text.substr(colon + 1))};
}

bool is_silent(const MetricComparison& c) {
  using enum Unsure;
  return c.judgement == Judged::invalid ||
         contains(std::array{few_rounds, noisy, cut_windows}, c.why);
}

// A look before the last one was at fewer rounds, whose mean errs by more.
double chance_in_looks(const MetricComparison& c, double share, const ComparisonFindings& f) {
  double chance = 0;
  for (std::uint32_t look = 1; look <= f.looks; ++look) {
    const double seen = static_cast<double>(look) / f.looks;
    MetricComparison then = c;
    then.error /= std::sqrt(seen);
    if (look < f.looks) then.freedom = std::max(1.0, seen * (c.freedom + 1) - 1);
    chance += false_alarm_chance(then, share, f.relation, *f.spread);
  }
  return chance;
}

void look_at_metric(const ComparisonFindings& f, std::size_t point, std::size_t metric,
                    GateResult& out) {
  const MetricComparison& c = f.points[point].metrics[metric];
  if (!is_gated_by(out.gate.of, *c.metric)) return;
  ++out.compared;
  const bool silent = is_silent(c);
  out.silent += silent;
  out.unsure += c.judgement == Judged::unsure && !silent;
  if (c.judgement == Judged::slower && c.worse() >= out.gate.share)
    out.broken.push_back({point, metric});
  if (!f.spread || f.one_process || silent) return;
  out.false_alarms_a_month =
      out.false_alarms_a_month.value_or(0) + kNightsAMonth * chance_in_looks(c, out.gate.share, f);
}

GateResult result_of(const ComparisonFindings& f, const Gate& gate) {
  GateResult out;
  out.gate = gate;
  for (std::size_t p = 0; p < f.points.size(); ++p) {
    if (f.points[p].canary) continue;
    for (std::size_t m = 0; m < f.points[p].metrics.size(); ++m) look_at_metric(f, p, m, out);
    if (gate.of != GateOf::verdict) continue;
    ++out.compared;
    if (f.points[p].side_moved && !f.one_process) out.broken.push_back({p, std::nullopt});
  }
  return out;
}

}  // namespace

bool is_gated_by(GateOf gate, const Metric& metric) noexcept {
  return gate != GateOf::verdict && kKinds[static_cast<std::size_t>(gate)] == metric.compared.kind;
}

std::vector<Gate> gates_from(std::string_view text) {
  std::vector<Gate> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    out.push_back(gate_from(text.substr(from, comma - from)));
    from = comma + 1;
  }
  return out;
}

double false_alarm_chance(const MetricComparison& c, double share, Relation relation,
                          double spread) {
  constexpr double kSpreadDeviations = 3.29;
  const double beyond = std::log1p(std::max(share, c.threshold));
  if (relation == Relation::stored && spread > 0) {
    const double deviation = std::hypot(c.error, spread / kSpreadDeviations);
    return boost::math::cdf(boost::math::complement(boost::math::normal(), beyond / deviation));
  }
  return std::min(kMinP / 2, Shift{0, c.error, c.freedom, 0}.chance_above(beyond));
}

std::vector<GateResult> results_of(const ComparisonFindings& findings,
                                   const std::vector<Gate>& gates) {
  std::vector<GateResult> out;
  for (const Gate& gate : gates) out.push_back(result_of(findings, gate));
  return out;
}

}  // namespace benchbench
