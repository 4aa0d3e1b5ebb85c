#include "harness/analysis/depth/recorded_line.h"

#include <algorithm>

#include "harness/analysis/external/external_windows.h"
#include "harness/analysis/rates/window_rates.h"
#include "harness/analysis/rules/by_others.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// Of a batch that is ready: the trainer's process rebuilds it, however many are ahead.
double handover_ms(const ExternalFacts& e) {
  return e.handover && e.handover->count > 0
             ? 1e-6 * static_cast<double>(e.handover->ns) / static_cast<double>(e.handover->count)
             : 0;
}

bool is_disturbed(const ExternalWindow& w) {
  const double delay = w.per_step_ms(w.external.core_wait_loader_ns).value_or(0);
  return delay > kFairPart * w.step_ms * std::max(1u, w.workers);
}

std::optional<RecordedLine> line_of_torch(const Facts& f, const Point& point) {
  const auto w = external_window(f, workers_asked(point));
  if (!w) return std::nullopt;
  auto made = made_times(w->external);
  if (!made || !w->wait_ms || made->of_each.size() != w->workers) return std::nullopt;
  const bool in_order = w->external.in_order.value_or(true);
  const double trainer_ms =
      std::max(0.0, w->step_ms - std::max(0.0, *w->wait_ms - handover_ms(w->external)));
  return RecordedLine{std::move(*made),
                      {trainer_ms},
                      w->step_ms,
                      {w->workers, w->external.prefetch_factor.value_or(2), in_order},
                      true,
                      w->external.in_order.has_value(),
                      is_disturbed(*w)};
}

// What a worker does between its batches is a part of each: handing over, and taking the next
// request.
double between_ms(const WorkersFacts& w) {
  std::uint64_t batches = 0;
  for (const WorkerTimes& each : w.each) batches += each.batches;
  return batches > 0 ? 1e-6 * static_cast<double>(w.queue_ns) / static_cast<double>(batches) : 0;
}

bool has_times(const WorkersFacts& w) {
  return w.count > 0 && w.made_ns.size() >= kLeastMadeTimes && !w.used_ns.empty();
}

std::optional<RecordedLine> line_of_threads(const Facts& f, const Point& point) {
  const WorkersFacts& w = f.workers;
  if (!has_times(w) || f.window.steps == 0) return std::nullopt;
  const LoaderSettings loader = resolve(point.settings).loader;
  RecordedLine line{
      {{}, times_in_ms(w.made_ns, between_ms(w)), false}, times_in_ms(w.used_ns), *step_ms(f), {}};
  const bool whole = loader.max_jobs % w.count == 0;
  line.settings = {w.count, whole ? loader.max_jobs / w.count : 0, loader.in_order, loader.dispatch,
                   loader.max_jobs};
  return line;
}

}  // namespace

std::optional<RecordedLine> recorded_line(const Facts& facts, const Point& point) {
  auto line = has_loader(facts) ? line_of_torch(facts, point) : line_of_threads(facts, point);
  if (line) line->disturbed |= rules::cores_of_others(facts) > kBusyCores;
  return line;
}

}  // namespace benchbench
