#include "harness/analysis/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

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

// What a night's runs ran on, and their labels but those that name the night and its canaries.
std::map<std::string, std::string> surroundings_of(const Runs& runs) {
  std::map<std::string, std::string> out;
  for (const KeptRun* run : runs) {
    for (const auto& [key, value] : run->surroundings) out[key] = value;
    for (const auto& [key, value] : run->labels)
      if (key != "night" && key != "canary") out["label " + key] = value;
  }
  return out;
}

std::vector<std::string> changes_between(const std::map<std::string, std::string>& then,
                                         const std::map<std::string, std::string>& now) {
  std::vector<std::string> out;
  const auto told = [](const std::map<std::string, std::string>& m, const std::string& key) {
    const auto at = m.find(key);
    return at == m.end() || at->second.empty() ? std::string("none") : at->second;
  };
  std::map<std::string, std::string> all = then;
  all.insert(now.begin(), now.end());
  for (const auto& [key, value] : all)
    if (told(then, key) != told(now, key))
      out.push_back(fmt::format("{}: {} -> {}", key, told(then, key), told(now, key)));
  return out;
}

void compare_surroundings(std::vector<NightOfRuns>& nights) {
  for (std::size_t i = 1; i < nights.size(); ++i)
    nights[i].night.changed =
        changes_between(surroundings_of(nights[i - 1].runs), surroundings_of(nights[i].runs));
}

bool is_canary(const KeptHistory& kept, const std::string& digest) {
  const auto at = kept.series.find(digest);
  return at != kept.series.end() && at->second.canary;
}

using ValuesOfNight = std::map<std::string, const KeptValue*>;  // by series

// As the later ones of a night overwrite the earlier ones.
ValuesOfNight values_of(const NightOfRuns& night) {
  ValuesOfNight out;
  for (const KeptRun* run : night.runs)
    for (const KeptValue& v : run->values) out[v.series] = &v;
  return out;
}

bool is_a_rate(const KeptValue& value) { return std::isfinite(value.median) && value.median > 0; }
bool is_precise(const KeptValue& value) { return is_a_rate(value) && !value.is_wide(); }

class MachineJudge {
 public:
  MachineJudge(const KeptHistory& kept, std::vector<NightOfRuns> nights)
      : kept_(kept), nights_(std::move(nights)) {
    for (const NightOfRuns& night : nights_) values_.push_back(values_of(night));
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

  SeriesHistory judged_one(const std::string& digest, const KeptSeries& series) const {
    SeriesHistory out{series, {}, 0, 0, 0, {}, false};
    SeriesJudge judge;
    for (std::size_t i = 0; i < nights_.size(); ++i) {
      const auto value = values_[i].find(digest);
      const bool there = value != values_[i].end(), usable = there && is_a_rate(*value->second);
      out.unusable += there && !usable;
      if (there) out.last_night = i;
      const CanaryNight& canary = nights_[i].night.canaries;
      out.judged_last = usable && !canary.moved;
      judge.add({usable ? std::optional(std::log(value->second->median)) : std::nullopt,
                 canary.moved, canary.new_machine, usable ? value->second->width : 0});
    }
    out.alerts = judge.alerts();
    out.judged = judge.judged();
    out.judged_ever = judge.judged_ever();
    return out;
  }

  // Between the nights of one series that were judged, wide ones aside.
  void add_differences(const std::string& digest, const SeriesHistory& s) {
    std::optional<double> before;
    for (std::size_t i = 0; i < nights_.size(); ++i) {
      const auto value = values_[i].find(digest);
      if (value == values_[i].end() || !is_precise(*value->second) ||
          nights_[i].night.canaries.moved)
        continue;
      const double now = std::log(value->second->median);
      if (before && std::ranges::find(s.alerts, i, &Alert::first) == s.alerts.end())
        differences_.push_back(std::expm1(std::abs(now - *before)));
      before = now;
    }
  }

  std::optional<double> spread_of(const std::vector<SeriesHistory>& all) {
    const bool known = std::ranges::any_of(
        all, [](const SeriesHistory& s) { return s.judged_ever >= kLearningNights; });
    if (!known || differences_.empty()) return std::nullopt;
    std::ranges::sort(differences_);
    return differences_[static_cast<std::size_t>(
                            std::ceil(0.999 * static_cast<double>(differences_.size()))) -
                        1];
  }

  std::vector<SeriesHistory> judged_series() {
    std::vector<SeriesHistory> out;
    for (const auto& [digest, series] : kept_.series) {
      if (series.canary) continue;
      SeriesHistory one = judged_one(digest, series);
      if (!one.last_night) continue;
      add_differences(digest, one);
      out.push_back(std::move(one));
    }
    std::ranges::stable_sort(out, {}, [](const SeriesHistory& s) { return s.series.name(); });
    return out;
  }

  const KeptHistory& kept_;
  std::vector<NightOfRuns> nights_;
  std::vector<ValuesOfNight> values_;
  std::vector<double> differences_;  // shares
};

}  // namespace

History make_history(const KeptHistory& kept) {
  std::map<std::string, Runs> machines;
  for (const KeptRun& run : kept.runs) machines[run.machine].push_back(&run);
  History out;
  for (auto& [machine, runs] : machines) {
    std::ranges::sort(runs, {},
                      [](const KeptRun* r) { return std::tie(r->started_at, r->folder); });
    std::vector<NightOfRuns> nights = nights_of(runs);
    compare_surroundings(nights);
    out.machines.push_back(MachineJudge(kept, std::move(nights)).judged());
  }
  std::ranges::stable_sort(out.machines, std::greater<>(),
                           [](const MachineHistory& m) { return m.nights.back().started_at; });
  return out;
}

}  // namespace benchbench
