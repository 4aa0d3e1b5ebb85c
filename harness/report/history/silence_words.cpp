#include "harness/report/history/silence_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/core/visible_text.h"

namespace benchbench {
namespace {

constexpr std::size_t kEndsShown = 4;
constexpr std::size_t kSettingsShown = 3;

// Nights and series that one cause took.
struct LostNights {
  std::string cause;
  std::set<std::size_t> nights;
  std::set<std::string> series;
  std::string last;  // of its last night: a series, with the reason
};

using ReasonsOf = std::vector<NightReason> SeriesHistory::*;

// "R09 neighbours" of "R09 neighbours in 3 of 3 rounds: ...": its numbers differ from night to
// night.
std::string cause_in(const std::string& reason) {
  return reason.substr(0, std::min(reason.find(" in "), reason.find(':')));
}

// The cause that a newer night has comes first.
std::vector<LostNights> lost_by_cause(const MachineHistory& m, ReasonsOf reasons) {
  std::map<std::string, LostNights> causes;
  for (const SeriesHistory& s : m.series)
    for (const NightReason& r : s.*reasons) {
      LostNights& lost = causes[cause_in(r.reason)];
      if (lost.nights.empty() || r.night > *lost.nights.rbegin())
        lost.last = fmt::format("{}: {}", series_text(s), r.reason);
      lost.nights.insert(r.night);
      lost.series.insert(series_text(s));
    }
  std::vector<LostNights> out;
  for (auto& [cause, lost] : causes) {
    out.push_back(std::move(lost));
    out.back().cause = cause;
  }
  std::ranges::stable_sort(out, std::greater<>(),
                           [](const LostNights& lost) { return *lost.nights.rbegin(); });
  return out;
}

// Returns "3 of 9 nights, 1 of 2 series"; nothing where there are no reasons.
std::string nights_and_series(const MachineHistory& m, ReasonsOf reasons) {
  std::set<std::size_t> nights;
  std::size_t series = 0;
  for (const SeriesHistory& s : m.series) {
    series += !(s.*reasons).empty();
    for (const NightReason& r : s.*reasons) nights.insert(r.night);
  }
  if (series == 0) return {};
  return fmt::format("{} of {}, {} of {} series", nights.size(), counted(m.nights.size(), "night"),
                     series, m.series.size());
}

std::string nights_text(const MachineHistory& m, const std::set<std::size_t>& nights) {
  const std::string& last = m.nights[*nights.rbegin()].name;
  if (nights.size() == 1) return "night " + last;
  return fmt::format("{} from {} to {}", counted(nights.size(), "night"),
                     m.nights[*nights.begin()].name, last);
}

// Nights on which a canary moved have lines of their own.
std::string cause_lines(const MachineHistory& m, ReasonsOf reasons) {
  std::string out;
  for (const LostNights& lost : lost_by_cause(m, reasons))
    if (lost.cause != kMachineChanged)
      out +=
          fmt::format("    {}: {}, {} series\n      the last: {}\n", visible(lost.cause),
                      visible(nights_text(m, lost.nights)), lost.series.size(), visible(lost.last));
  return out;
}

// Returns why a series ended, without its name.
std::string end_text(const MachineHistory& m, const SeriesEnd& end) {
  const std::string at = fmt::format("at night {}: ", m.nights[end.night].name);
  if (end.out_of_set) return at + "the nights' set does not hold it any more";
  if (!end.goes_on) return at + "it was not measured since";
  return at + (end.changed.empty() ? "other settings, which an older version did not keep"
                                   : listed(end.changed, kSettingsShown));
}

// Returns "night/base/loader_rate and 2 more".
std::string first_and_more(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front()
                           : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

}  // namespace

std::string series_text(const SeriesHistory& series) {
  const std::string name = series.series.name();
  return series.apart.empty() ? name
                              : fmt::format("{} ({})", name, listed(series.apart, kSettingsShown));
}

std::string not_judged_lines(const MachineHistory& machine) {
  const std::string counts = nights_and_series(machine, &SeriesHistory::not_judged);
  if (counts.empty()) return {};
  return fmt::format("  not judged in {}\n", counts) +
         cause_lines(machine, &SeriesHistory::not_judged);
}

std::string wide_lines(const MachineHistory& machine) {
  const std::string counts = nights_and_series(machine, &SeriesHistory::wide);
  if (counts.empty()) return {};
  return fmt::format("  wide in {}: NOISY, and may have been faster\n", counts) +
         cause_lines(machine, &SeriesHistory::wide);
}

std::string ended_lines(const MachineHistory& machine) {
  // The newest night first; of one night by what it says.
  std::map<std::pair<std::size_t, std::string>, std::vector<std::string>, std::greater<>> ends;
  for (const SeriesHistory& s : machine.series)
    if (s.ended) ends[{s.ended->night, end_text(machine, *s.ended)}].push_back(s.series.name());
  std::string out;
  std::size_t shown = 0;
  for (const auto& [key, names] : ends)
    if (shown++ < kEndsShown)
      out += fmt::format("  ended: {} {}\n", visible(first_and_more(names)), visible(key.second));
  if (ends.size() > kEndsShown)
    out += fmt::format("    and {}: --json names them\n",
                       counted(ends.size() - kEndsShown, "earlier row"));
  return out;
}

}  // namespace benchbench
