#include "harness/analysis/rules/rate_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/statistics/difference.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/core/contains.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

// The least that rounding times to ns does not explain, in windows of a few ms.
constexpr double kRounding = 1e-6;
// How far two windows of one trial may differ, in ranges of their steps: twice what each shows, and
// more where one round is all there is. Of 600 simulated points with spread times none was above a
// side then.
constexpr double kRanges = 2, kRangesOfOneRound = 3;

// The least by which the pipeline is surely faster, as a logarithm.
double surely_faster(const std::vector<double>& logs, double phase) {
  if (logs.size() < 2) return mean_of(logs) - kRangesOfOneRound * phase;
  return shift_of_pairs(logs).interval(kMinP).low - kRanges * phase;
}

bool any_is(JudgedRecords records, bool (*is)(const JudgedRecord&)) {
  return std::ranges::any_of(records, is);
}

bool has_bound(const JudgedRecord& judged) { return judged.bound.has_value(); }

bool is_external(const JudgedRecord& judged) { return judged.record->facts.external.has_value(); }

// True of a record of a DataLoader over there in one of these ways. An iterable of the user's may
// make any number of batches ahead.
bool is_data_loader(const JudgedRecord& judged, std::initializer_list<ExternalWay> ways) {
  const auto& e = judged.record->facts.external;
  return e && !e->loader_call.empty() && (e->kind == "DataLoader" || e->kind == "Dataset") &&
         contains(ways, e->way);
}

// True if the two were measured in ways of which the pipeline's cannot be the faster one. Over
// there a loader alone is timed where its batches arrive, and the pipeline does that and more; a
// step alone repeats a few batches that are held, which may take longer than fresh ones.
bool are_ways_in_order(Mode side, JudgedRecords alone, JudgedRecords pipeline) {
  if (!any_is(alone, is_external) && !any_is(pipeline, is_external)) return true;
  const auto is_alone = [](const JudgedRecord& r) {
    return !r.usable() || is_data_loader(r, {ExternalWay::self_timed});
  };
  const auto is_whole = [](const JudgedRecord& r) {
    return !r.usable() || is_data_loader(r, {ExternalWay::all_there, ExternalWay::hand_over});
  };
  return side == Mode::loader && std::ranges::all_of(alone, is_alone) &&
         std::ranges::all_of(pipeline, is_whole);
}

bool are_virtual(JudgedRecords records) {
  return !any_is(records,
                 [](const JudgedRecord& judged) { return !judged.record->facts.simulated; });
}

// True if workers share a lock. How long they wait for it depends on how they meet, which at the
// pace of a trainer may be less than where each batch is dropped at once.
bool share_a_lock(const Point& point, JudgedRecords loader) {
  const SettingsMap& s = point.settings;
  if (s.has("loader.lock_time") && s.duration("loader.lock_time").count() > 0) return true;
  return any_is(loader, [](const JudgedRecord& judged) {
    return total_of(judged.record->facts, Stage::lock).ns > 0;
  });
}

// True if the side did for each batch what the pipeline does.
bool does_the_same(const Point& point, Mode side, JudgedRecords alone, JudgedRecords pipeline) {
  if (side == Mode::loader) return !share_a_lock(point, alone);
  const auto is_set = [&](std::string_view key, std::string_view value) {
    const Value* const found = point.settings.find(key);
    return found && found->text() == value;
  };
  if (is_set("loader.residency", "device") || is_set("loader.decode.backend", "nvjpeg"))
    return false;
  return !any_is(pipeline, [](const JudgedRecord& judged) {
    return judged.record->facts.elements.count.has_value();
  });
}

std::string words_for(Mode side, const ByRound& pipeline, double apart) {
  const double rate = std::exp(mean_of(values_in(pipeline)));
  return fmt::format(
      "the pipeline's {} samples/s are {:.3g} % above those of its {} alone, which no pipeline can "
      "be: one of the two rates is wrong",
      human_count(rate), 100 * std::expm1(apart), name_of(side));
}

// True if the rates of both can be held against each other.
bool is_looked_at(const Point& point, Mode side, JudgedRecords alone, JudgedRecords pipeline) {
  return !any_is(pipeline, has_bound) && !any_is(alone, has_bound) &&
         are_ways_in_order(side, alone, pipeline) && does_the_same(point, side, alone, pipeline);
}

// Returns nullopt where the pipeline is not faster than the side, or it is not looked at.
std::optional<OutOfOrder> above(const Point& point, Mode side, std::uint32_t pipeline,
                                const JudgedTrials& trials) {
  const auto trial = trial_of(point, side);
  if (!trial) return std::nullopt;
  const auto both = trials.of(pipeline), alone = trials.of(*trial);
  if (!is_looked_at(point, side, alone, both)) return std::nullopt;
  const ByRound rates = trials.log_rates(pipeline);
  const std::vector<double> logs = differences_within(trials.log_rates(*trial), rates);
  if (logs.empty()) return std::nullopt;
  const bool simulated = are_virtual(both) && are_virtual(alone);
  const double surely =
      surely_faster(logs, trials.phase_share(pipeline) + trials.phase_share(*trial));
  if (surely <= (simulated ? kRounding : kWorth)) return std::nullopt;
  if (!simulated && logs.size() < 2) return std::nullopt;
  return OutOfOrder{pipeline, simulated, words_for(side, rates, mean_of(logs))};
}

}  // namespace

std::vector<OutOfOrder> rates_out_of_order(const Plan& plan, const JudgedTrials& trials) {
  std::vector<OutOfOrder> found;
  if (wraps_script(plan)) return found;
  for (const Point& point : plan.points)
    if (const auto pipeline = trial_of(point, Mode::pipeline))
      for (const Mode side : {Mode::loader, Mode::trainer})
        if (auto one = above(point, side, *pipeline, trials)) found.push_back(std::move(*one));
  return found;
}

}  // namespace benchbench
