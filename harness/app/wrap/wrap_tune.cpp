#include "harness/app/wrap/wrap_tune.h"

#include <utility>

#include "harness/app/tune/tune_knobs.h"

namespace benchbench {
namespace {

constexpr const char* kKnobs[] = {"num_workers", "prefetch_factor", "pin_memory"};

std::string text_of(const WrapLoader& loader, const char* name) {
  const auto own = loader.own.find(name);
  if (own == loader.own.end()) return "";
  if (const bool* yes = std::get_if<bool>(&own->second)) return *yes ? "true" : "false";
  if (const auto* n = std::get_if<std::int64_t>(&own->second)) return std::to_string(*n);
  return "";  // prefetch_factor where there are no workers
}

ExternalValue value_of(const Knob& knob, const KnobValue& value) {
  if (knob.kind == KnobKind::flag) return value.text == "true";
  return static_cast<std::int64_t>(value.number);
}

Space space_of(const WrapPlanned& planned, double most_workers) {
  std::vector<Knob> knobs;
  for (const char* name : kKnobs)
    if (!planned.fixed.contains(name))
      knobs.push_back(standard_knob(name, text_of(planned.loader, name), most_workers));
  return Space(std::move(knobs));
}

PointId point_of(const Space& space, const WrapLoader& loader) {
  std::vector<std::uint32_t> indexes;
  for (const Knob& knob : space.knobs())
    indexes.push_back(knob.index_of(text_of(loader, knob.name.c_str())));
  return space.point_of(indexes);
}

// Returns the settings that no copy has, with why.
std::vector<UntriedKnob> list_untried(const WrapPlanned& planned) {
  std::vector<UntriedKnob> untried;
  for (const auto& [name, why] : planned.fixed) untried.push_back({name, why});
  if (!planned.fixed.contains("in_order"))
    untried.push_back({"in_order", "it changes the order of the batches"});
  return untried;
}

}  // namespace

void WrapTune::planned(const WrapPlanned& planned) {
  planned_ = planned;
  search_ = ScriptSearch({1e-9 * static_cast<double>(budget_.count()), target_rate_,
                          planned.loader.streams, list_untried(planned)});
  todo_.clear(), last_end_.reset(), pending_.reset();
}

bool WrapTune::is_of_pending(const WrapStretch& stretch) const {
  if (!pending_) return false;
  const TriedRound asked = round_of(*pending_);
  return stretch.kind == (asked.own ? WrapKind::full : WrapKind::changed_full) &&
         stretch.settings == asked.settings;
}

SearchTrial WrapTune::take_pending() {
  return {*std::exchange(pending_, std::nullopt), proposal_.round, proposal_.purpose};
}

std::optional<std::int64_t> WrapTune::finished(const WrapStretch& stretch) {
  if (stretch.result.segments.empty()) return std::nullopt;
  const std::int64_t end = stretch.result.segments.back().second,
                     begin = stretch.result.segments.front().first - stretch.result.warmup_ns;
  const std::int64_t took = end - last_end_.value_or(begin);
  last_end_ = end;
  if (!search_.problem())
    search_.add_first(read_stretch(stretch, took));
  else if (is_of_pending(stretch))
    search_.add(take_pending(), read_stretch(stretch, took));
  return took;
}

void WrapTune::begin() {
  Space space = space_of(planned_, most_workers_);
  const PointId present = point_of(space, planned_.loader);
  search_.begin(std::move(space), present);
}

TriedRound WrapTune::round_of(PointId point) const {
  const Space& space = search_.problem()->space;
  if (space.canonical(point) == search_.problem()->present) return {true, {}};
  TriedRound next;
  for (const std::size_t k : space.knob_indexes())
    if (space.has_effect(point, k))
      next.settings[space.knobs()[k].name] = value_of(space.knobs()[k], space.value(point, k));
  return next;
}

std::optional<TriedRound> WrapTune::next(const std::vector<std::string>& refused) {
  if (!search_.problem()) begin();
  if (pending_ && !refused.empty()) search_.add_refused(take_pending(), refused);
  if (!pending_ && todo_.empty()) {
    proposal_ = propose(*search_.problem(), search_.trials());
    todo_.assign(proposal_.trials.begin(), proposal_.trials.end());
  }
  if (!pending_ && todo_.empty()) return std::nullopt;
  if (!pending_) {
    pending_ = todo_.front();
    todo_.pop_front();
  }
  return round_of(*pending_);
}

}  // namespace benchbench
