#include "harness/report/history/silence_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/report/history/plain_text.h"

namespace benchbench {
namespace {

constexpr std::size_t kGroupsShown = 4;
constexpr std::size_t kSettingsShown = 3;

// Nights in a row in which series had one cause.
struct NightGroup {
  std::size_t first = 0, last = 0;
  std::set<std::string> series;
  std::string reason;  // of its last night
};

using ReasonsOf = std::vector<NightReason> SeriesHistory::*;

// "R09 neighbours" of "R09 neighbours in 3 of 3 rounds: ...": its numbers differ from night to
// night.
std::string cause_in(const std::string& reason) {
  return reason.substr(0, std::min(reason.find(" in "), reason.find(':')));
}

std::vector<NightGroup> groups_by_cause(const MachineHistory& m, ReasonsOf reasons) {
  // Groups of one night each, by cause, then by night.
  std::map<std::string, std::map<std::size_t, NightGroup>> nights;
  for (const SeriesHistory& s : m.series)
    for (const NightReason& r : s.*reasons) {
      NightGroup& group = nights[cause_in(r.reason)][r.night];
      group.first = group.last = r.night;
      group.series.insert(s.series.name());
      if (group.reason.empty()) group.reason = r.reason;
    }
  std::vector<NightGroup> out;
  for (auto& [cause, by_night] : nights)
    for (bool begins = true; auto& [night, group] : by_night) {
      if (begins || out.back().last + 1 != night) {
        out.push_back(std::move(group));
      } else {
        out.back().last = night;
        out.back().series.merge(group.series);
        out.back().reason = std::move(group.reason);
      }
      begins = false;
    }
  std::ranges::stable_sort(out, std::greater<>(), &NightGroup::last);
  return out;
}

std::size_t nights_in(const MachineHistory& m, ReasonsOf reasons) {
  std::set<std::size_t> nights;
  for (const SeriesHistory& s : m.series)
    for (const NightReason& r : s.*reasons) nights.insert(r.night);
  return nights.size();
}

std::string nights_text(const MachineHistory& m, const NightGroup& g) {
  const std::string last = plain(m.nights[g.last].name);
  return g.first == g.last ? last : fmt::format("{} to {}", plain(m.nights[g.first].name), last);
}

// Nights on which a canary moved have lines of their own.
void add_groups(std::string& out, const MachineHistory& m, ReasonsOf reasons) {
  std::vector<NightGroup> groups = groups_by_cause(m, reasons);
  std::erase_if(groups, [](const NightGroup& g) { return g.reason == kMachineChanged; });
  for (std::size_t i = 0; i < std::min(groups.size(), kGroupsShown); ++i)
    out += fmt::format("    {}, {}: {}\n", nights_text(m, groups[i]),
                       first_and_more({groups[i].series.begin(), groups[i].series.end()}),
                       plain(groups[i].reason));
  if (groups.size() > kGroupsShown)
    out += fmt::format("    and {}: --json names them\n",
                       counted(groups.size() - kGroupsShown, "earlier row"));
}

// Returns why a series ended, without its name.
std::string end_text(const MachineHistory& m, const SeriesEnd& end) {
  const std::string at = fmt::format("at night {}: ", plain(m.nights[end.night].name));
  if (!end.goes_on) return at + "it was not measured since";
  const std::string changed = end.changed.empty()
                                  ? "other settings, which an older version did not keep"
                                  : plain(listed(end.changed, kSettingsShown));
  return fmt::format("{}{}; a new series begins there", at, changed);
}

}  // namespace

std::string first_and_more(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  return names.size() == 1 ? plain(names.front())
                           : fmt::format("{} and {} more", plain(names.front()), names.size() - 1);
}

UnjudgedAtEnd unjudged_at_end(const MachineHistory& machine) {
  UnjudgedAtEnd out;
  for (const SeriesHistory& s : machine.series) {
    if (s.unjudged_at_end == 0 || s.unjudged_at_end < out.nights) continue;
    if (s.unjudged_at_end > out.nights) out = {s.unjudged_at_end, {}, s.not_judged.back().reason};
    out.series.push_back(s.series.name());
  }
  return out;
}

std::string not_judged_lines(const MachineHistory& machine) {
  const std::size_t nights = nights_in(machine, &SeriesHistory::not_judged);
  if (nights == 0) return {};
  const std::size_t in_a_row = unjudged_at_end(machine).nights;
  std::string out =
      fmt::format("  not judged {} of {}{}\n", nights, counted(machine.nights.size(), "night"),
                  in_a_row > 1 ? fmt::format(", the last {} in a row", in_a_row) : "");
  add_groups(out, machine, &SeriesHistory::not_judged);
  return out;
}

std::string wide_lines(const MachineHistory& machine) {
  const std::size_t nights = nights_in(machine, &SeriesHistory::wide);
  if (nights == 0) return {};
  std::string out = fmt::format("  wide       {} of {}: NOISY, and may have been faster\n", nights,
                                counted(machine.nights.size(), "night"));
  add_groups(out, machine, &SeriesHistory::wide);
  return out;
}

std::string ended_lines(const MachineHistory& machine) {
  // The newest night first; of one night by what it says.
  std::map<std::pair<std::size_t, std::string>, std::vector<std::string>, std::greater<>> ends;
  for (const SeriesHistory& s : machine.series)
    if (s.ended) ends[{s.ended->night, end_text(machine, *s.ended)}].push_back(s.series.name());
  std::string out;
  std::size_t shown = 0;
  for (const auto& [key, names] : ends)
    if (shown++ < kGroupsShown)
      out += fmt::format("  ended      {} {}\n", first_and_more(names), key.second);
  if (ends.size() > kGroupsShown)
    out += fmt::format("    and {}: --json names them\n",
                       counted(ends.size() - kGroupsShown, "earlier row"));
  return out;
}

}  // namespace benchbench
