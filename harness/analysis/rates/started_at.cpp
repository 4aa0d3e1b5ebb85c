#include "harness/analysis/rates/started_at.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace benchbench {
namespace {

template <class Number>
bool take(std::string_view text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::optional<double> seconds_of(std::string_view time) {
  constexpr std::string_view form = "0000-00-00T00:00:00";
  if (time.size() <= form.size() || !time.ends_with('Z')) return std::nullopt;
  for (const std::size_t at : {4u, 7u, 10u, 13u, 16u})
    if (time[at] != form[at]) return std::nullopt;
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  if (!take(time.substr(0, 4), year) || !take(time.substr(5, 2), month) ||
      !take(time.substr(8, 2), day) || !take(time.substr(11, 2), hour) ||
      !take(time.substr(14, 2), minute) || !take(time.substr(17, time.size() - 18), second))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{day}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date}.time_since_epoch().count() * 86400.0 + hour * 3600.0 +
         minute * 60.0 + second;
}

std::string first_start_text(std::span<const TrialRecord> records) {
  return records.empty()
             ? ""
             : std::ranges::min_element(records, {}, &TrialRecord::started_at)->started_at;
}

std::optional<double> first_start(std::span<const TrialRecord> records) {
  return seconds_of(first_start_text(records));
}

}  // namespace benchbench
