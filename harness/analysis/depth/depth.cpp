#include "harness/analysis/depth/depth.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/depth/recorded_line.h"
#include "harness/analysis/statistics/birth_death.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {
namespace {

// Windows, evenly of all rounds, whose deliveries are recomputed: a third of the time of a report
// on 158 rounds went into all of them, and their mean is no closer to the step.
constexpr std::size_t kMostLines = 32;
constexpr std::uint32_t kDepths[] = {1, 2, 4, 8, 16};

std::vector<RecordedLine> lines_of(JudgedRecords records, const Point& point) {
  std::vector<RecordedLine> out;
  for (const Facts* facts : usable_facts(records))
    if (auto line = recorded_line(*facts, point)) out.push_back(std::move(*line));
  return out;
}

// Leaves kMostLines at most, evenly of all.
void thin_out(std::vector<RecordedLine>& lines) {
  const std::size_t every = (lines.size() + kMostLines - 1) / kMostLines;
  std::size_t number = 0;
  std::erase_if(lines, [&](const RecordedLine&) { return number++ % every != 0; });
}

// More batches ahead than these change no rate that could be measured: at equal times of both sides
// the loss falls as 1 / n.
constexpr std::uint32_t kMostAhead = 1000;

ForetoldStep foretold(const std::vector<RecordedLine>& lines, DeliverySettings s) {
  ForetoldStep out{s.workers, s.prefetch, s.in_order};
  std::vector<double> steps, constant, exponential;
  const std::uint64_t asked = s.max_jobs > 0 ? s.max_jobs : std::uint64_t{s.workers} * s.prefetch;
  const auto jobs =
      static_cast<std::uint32_t>(std::min(asked, std::uint64_t{s.workers} + kMostAhead));
  if (jobs < asked) s.max_jobs = jobs;
  for (const RecordedLine& line : lines) {
    const double made = mean_of(line.made.all), used = mean_of(line.trainer_ms);
    steps.push_back(delivered_step_ms(line.made, s, line.trainer_ms));
    constant.push_back(std::max(made / std::min(s.workers, jobs), used));
    const double throughput =
        used > 0 && made > 0 ? chain_with_credits(s.workers, jobs, made, used).throughput : 0;
    exponential.push_back(throughput > 0 ? 1 / throughput : constant.back());
  }
  out.step_ms = mean_of(steps), out.constant_ms = mean_of(constant),
  out.exponential_ms = mean_of(exponential);
  return out;
}

// Of threads the dispatch stays as it is; PyTorch's follows from its order.
DeliverySettings with_depth(const RecordedLine& line, std::uint32_t workers, std::uint32_t prefetch,
                            bool in_order) {
  return {workers, prefetch, in_order, line.settings.dispatch};
}

std::vector<std::uint32_t> workers_up_to(std::uint32_t most, bool streams) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t w = 1; w < most && !streams; w *= 2) out.push_back(w);
  out.push_back(most);
  return out;
}

}  // namespace

std::optional<DepthForetold> foretold_depth(const Point& point, const JudgedTrials& trials) {
  std::vector<RecordedLine> lines = lines_of(trials.of(trial_of(point, Mode::pipeline)), point);
  if (lines.empty()) return std::nullopt;
  const RecordedLine last = lines.back();
  DepthForetold out;
  out.point = point.index, out.torch = last.torch;
  out.can_be_any_order =
      last.can_be_any_order && std::ranges::none_of(lines, &RecordedLine::disturbed);
  for (const RecordedLine& line : lines) {
    out.measured_ms += line.step_ms / static_cast<double>(lines.size());
    out.trainer_ms += mean_of(line.trainer_ms) / static_cast<double>(lines.size());
  }
  thin_out(lines);
  out.measured = foretold(lines, last.settings);
  if (!(std::abs(out.off()) <= kFairPart)) return out;
  for (const std::uint32_t w : workers_up_to(last.settings.workers, last.made.streams))
    for (const std::uint32_t depth : kDepths)
      for (const bool in_order : {true, false})
        out.steps.push_back(foretold(lines, with_depth(last, w, depth, in_order)));
  return out;
}

const ForetoldStep* quickest_depth(const DepthForetold& d, bool in_order) noexcept {
  const ForetoldStep* best = nullptr;
  for (const ForetoldStep& s : d.steps)
    if (s.workers == d.measured.workers && s.in_order == in_order &&
        (!best || s.step_ms < kQuickerDepth * best->step_ms))
      best = &s;
  return best;
}

}  // namespace benchbench
