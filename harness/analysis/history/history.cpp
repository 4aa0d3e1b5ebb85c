#include "harness/analysis/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "harness/analysis/history/namesakes.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

using Runs = std::vector<const KeptRun*>;  // by the time they started

struct NightOfRuns {
  Night night;
  Runs runs;
};

std::vector<NightOfRuns> nights_of(const Runs& runs) {
  std::vector<NightOfRuns> out;
  std::map<std::string, std::size_t> known;
  for (const KeptRun* run : runs) {
    const auto [at, is_new] = known.try_emplace(run->night(), out.size());
    if (is_new) out.push_back({{run->night(), run->started_at, {}, {}, {}}, {}});
    out[at->second].night.folders.push_back(run->folder);
    out[at->second].runs.push_back(run);
  }
  return out;
}

// Returns what a night's runs ran on, and their labels but those that name the night, its set and
// its canaries.
NamedValues surroundings_of(const Runs& runs) {
  NamedValues out;
  for (const KeptRun* run : runs) {
    for (const auto& [key, value] : run->surroundings) out[key] = value;
    for (const auto& [key, value] : run->labels)
      if (key != "night" && key != "canary" && key != kSetLabel) out["label " + key] = value;
  }
  return out;
}

void add_data(NamedValues& to, const NamedValues& from) {
  for (const auto& [key, value] : from)
    if (key.starts_with(kDataPrefix)) to.emplace(key, value);
}

// A night in which a scenario did not run, or not yet, says nothing of its data.
void compare_surroundings(std::vector<NightOfRuns>& nights) {
  NamedValues before;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    NamedValues now = surroundings_of(nights[i].runs);
    add_data(now, before);
    add_data(before, now);
    if (i > 0) nights[i].night.changed = changed_values(before, now);
    before = std::move(now);
  }
}

bool is_canary(const KeptHistory& kept, const std::string& digest) {
  const KeptSeries* series = find_value(kept.series, digest);
  return series && series->canary;
}

// As the later ones of a night overwrite the earlier ones.
ValuesOfNight values_of(const NightOfRuns& night) {
  ValuesOfNight out;
  for (const KeptRun* run : night.runs)
    for (const KeptValue& v : run->values) out[v.series] = &v;
  return out;
}

bool is_a_rate(const KeptValue& value) { return std::isfinite(value.median) && value.median > 0; }
bool is_precise(const KeptValue& value) { return is_a_rate(value) && !value.is_wide(); }

const KeptValue* value_in(const ValuesOfNight& night, const std::string& series) {
  const auto* found = find_value(night, series);
  return found ? *found : nullptr;
}

std::size_t count_at_end(const std::vector<NightReason>& in, std::size_t nights) {
  std::size_t n = 0;
  while (n < in.size() && in[in.size() - 1 - n].night + 1 + n == nights) ++n;
  return n;
}

class MachineJudge {
 public:
  MachineJudge(const KeptHistory& kept, std::vector<NightOfRuns> nights)
      : kept_(kept),
        nights_(std::move(nights)),
        values_(values_of_nights(nights_)),
        left_out_(left_out_of_sets(kept, runs_of_nights(nights_))) {
    judge_nights();
  }

  MachineHistory judged() {
    MachineHistory out{nights_.back().runs.back()->machine,
                       nights_.back().runs.back()->machine_text,
                       {},
                       judged_series(),
                       {},
                       {}};
    std::vector<std::pair<std::size_t, bool>> changes;
    for (const SeriesHistory& s : out.series)
      for (const Alert& a : s.alerts) changes.emplace_back(a.first, a.worse());
    out.check = self_check(changes, nights_.size());
    out.spread = spread_of(out.series);
    for (NightOfRuns& night : nights_) out.nights.push_back(std::move(night.night));
    return out;
  }

 private:
  static std::vector<ValuesOfNight> values_of_nights(const std::vector<NightOfRuns>& nights) {
    std::vector<ValuesOfNight> out;
    for (const NightOfRuns& night : nights) out.push_back(values_of(night));
    return out;
  }

  static std::vector<Runs> runs_of_nights(const std::vector<NightOfRuns>& nights) {
    std::vector<Runs> out;
    for (const NightOfRuns& night : nights) out.push_back(night.runs);
    return out;
  }

  void judge_nights() {
    std::vector<Canaries> canaries;
    for (const auto& values : values_) {
      canaries.emplace_back();
      for (const auto& [series, value] : values)
        if (is_canary(kept_, series) && is_precise(*value))
          canaries.back().emplace(series, value->median);
    }
    const std::vector<CanaryNight> judged = judge_canaries(canaries);
    for (std::size_t i = 0; i < nights_.size(); ++i) nights_[i].night.canaries = judged[i];
  }

  SeriesNight look_at_night(std::size_t i, const KeptValue* value) const {
    const CanaryNight& canary = nights_[i].night.canaries;
    SeriesNight night{std::nullopt, canary.moved, canary.new_machine};
    if (value && is_a_rate(*value)) night.log = std::log(value->median), night.width = value->width;
    return night;
  }

  // Returns nullopt for a series that this machine never ran.
  std::optional<SeriesHistory> judged_one(const std::string& digest,
                                          const KeptSeries& series) const {
    SeriesHistory out;
    out.series = series;
    out.ended = ends_.find(digest);
    SeriesJudge judge;
    std::size_t ran = 0;  // nights
    for (std::size_t i = 0; i < nights_.size(); ++i) {
      const KeptValue* value = value_in(values_[i], digest);
      const SeriesNight night = look_at_night(i, value);
      judge.add(night);
      if (night.log && !night.machine_changed) out.judged_nights.push_back(i);
      ran += value && !is_skipped(*value);
      if (ran >= (value ? 1 : kFollowedNights)) add_reason(out, i, digest, value);
    }
    if (ran == 0) return std::nullopt;
    out.alerts = judge.alerts();
    out.judged = judge.judged();
    out.unjudged_at_end = count_at_end(out.not_judged, nights_.size());
    return out;
  }

  void add_reason(SeriesHistory& out, std::size_t night, const std::string& digest,
                  const KeptValue* value) const {
    const bool has_ended = out.ended && night >= out.ended->night;
    // A night in which it was measured with other settings is none of this series.
    if (has_ended || (!value && ends_.has_namesake(digest, night))) return;
    if (const std::string why = why_not_judged(night, value); !why.empty())
      out.not_judged.push_back({night, why});
    else if (value->is_wide())
      out.wide.push_back({night, value->reason});
  }

  // Returns nothing for a night that is judged.
  std::string why_not_judged(std::size_t night, const KeptValue* value) const {
    if (!value) return "was not measured";
    if (is_a_rate(*value)) return nights_[night].night.canaries.moved ? kMachineChanged : "";
    return value->reason.empty() ? "fewer than half of its rounds were VALID" : value->reason;
  }

  // Between the nights of one series that were judged, wide ones aside, where no change begins in
  // between.
  void add_differences(const std::string& digest, const SeriesHistory& s) {
    std::optional<double> before;
    std::size_t at = 0;
    for (std::size_t i = 0; i < nights_.size(); ++i) {
      const KeptValue* value = value_in(values_[i], digest);
      if (!value || !is_precise(*value) || nights_[i].night.canaries.moved) continue;
      const double now = std::log(value->median);
      const auto begins_here = [&](const Alert& a) { return a.first > at && a.first <= i; };
      if (before && std::ranges::none_of(s.alerts, begins_here))
        differences_.push_back(std::expm1(std::abs(now - *before)));
      before = now, at = i;
    }
  }

  std::optional<double> spread_of(const std::vector<SeriesHistory>& all) {
    const bool known = std::ranges::any_of(
        all, [](const SeriesHistory& s) { return s.judged_nights.size() >= kLearningNights; });
    if (!known || differences_.empty()) return std::nullopt;
    std::ranges::sort(differences_);
    const double place = std::ceil(0.999 * static_cast<double>(differences_.size()));
    return differences_[static_cast<std::size_t>(place) - 1];
  }

  std::vector<SeriesHistory> judged_series() {
    std::vector<SeriesHistory> out;
    for (const auto& [digest, series] : kept_.series) {
      if (series.canary) continue;
      auto one = judged_one(digest, series);
      if (!one) continue;
      add_differences(digest, *one);
      out.push_back(std::move(*one));
    }
    std::ranges::stable_sort(out, {}, [](const SeriesHistory& s) { return s.series.name(); });
    tell_namesakes_apart(out);
    return out;
  }

  const KeptHistory& kept_;
  std::vector<NightOfRuns> nights_;
  std::vector<ValuesOfNight> values_;
  std::vector<LeftOut> left_out_;
  SeriesEnds ends_{kept_.series, values_, left_out_};
  std::vector<double> differences_;  // shares
};

MachineHistory judge_machine(const KeptHistory& kept, Runs& runs) {
  std::ranges::sort(runs, {}, [](const KeptRun* r) { return std::tie(r->started_at, r->folder); });
  std::vector<NightOfRuns> nights = nights_of(runs);
  compare_surroundings(nights);
  return MachineJudge(kept, std::move(nights)).judged();
}

}  // namespace

History make_history(const KeptHistory& kept) {
  std::map<std::string, Runs> machines;
  for (const KeptRun& run : kept.runs) machines[run.machine].push_back(&run);
  History out;
  for (auto& [machine, runs] : machines) out.machines.push_back(judge_machine(kept, runs));
  std::ranges::stable_sort(out.machines, std::greater<>(),
                           [](const MachineHistory& m) { return m.nights.back().started_at; });
  return out;
}

}  // namespace benchbench
