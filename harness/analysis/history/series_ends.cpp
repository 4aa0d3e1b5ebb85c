#include "harness/analysis/history/series_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>

#include "harness/core/contains.h"
#include "harness/record/trial_record.h"

namespace benchbench {
namespace {

std::vector<std::string> changed_settings(const KeptSeries& then, const KeptSeries& now) {
  if (then.settings.empty() || now.settings.empty()) return {};
  return changed_values(named_settings(then), named_settings(now));
}

bool has_run(const ValuesOfNight& night, const std::string& digest) {
  const auto* value = find_value(night, digest);
  return value && !is_skipped(**value);
}

}  // namespace

std::vector<std::string> changed_values(const NamedValues& then, const NamedValues& now) {
  std::vector<std::string> out;
  const auto shown = [](const NamedValues& m, const std::string& key) {
    const std::string* value = find_value(m, key);
    return value && !value->empty() ? *value : "none";
  };
  NamedValues all = then;
  all.insert(now.begin(), now.end());
  for (const auto& [key, value] : all)
    if (shown(then, key) != shown(now, key))
      out.push_back(fmt::format("{}: {} -> {}", key, shown(then, key), shown(now, key)));
  return out;
}

NamedValues named_settings(const KeptSeries& series) {
  NamedValues out;
  for (const auto part : std::views::split(series.settings, '\n')) {
    const std::string_view line(part.begin(), part.end());
    const std::size_t equals = std::min(line.find('='), line.size());
    if (!line.empty())
      out.emplace(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return out;
}

bool is_skipped(const KeptValue& value) {
  return value.reason.starts_with(name_of(Status::skipped));
}

SeriesEnds::SeriesEnds(const std::map<std::string, KeptSeries>& series,
                       const std::vector<ValuesOfNight>& nights,
                       const std::vector<LeftOut>& left_out)
    : series_(series), nights_(nights), left_out_(left_out) {
  for (std::size_t i = 0; i < nights.size(); ++i)
    for (const auto& [digest, value] : nights[i])
      if (!is_skipped(*value)) last_[digest] = i;
  for (const auto& [digest, last] : last_)
    if (const KeptSeries* known = find_value(series, digest); known && !known->canary)
      by_name_.emplace(known->name(), digest);
}

std::vector<std::string> SeriesEnds::namesakes(const std::string& digest) const {
  std::vector<std::string> out;
  const KeptSeries* known = find_value(series_, digest);
  if (!known || known->canary) return out;
  for (auto [at, end] = by_name_.equal_range(known->name()); at != end; ++at)
    if (at->second != digest) out.push_back(at->second);
  return out;
}

bool SeriesEnds::has_namesake(const std::string& digest, std::size_t night) const {
  return std::ranges::any_of(
      namesakes(digest), [&](const std::string& other) { return has_run(nights_[night], other); });
}

std::optional<std::size_t> SeriesEnds::first_night_after(const std::string& digest,
                                                         std::size_t night) const {
  for (std::size_t i = night + 1; i < nights_.size(); ++i)
    if (has_run(nights_[i], digest)) return i;
  return std::nullopt;
}

// Returns the first night behind the last one that ran it, from which on no set holds it. A night
// that names no set says nothing.
std::optional<std::size_t> SeriesEnds::left_out_from(const std::string& digest,
                                                     std::size_t last) const {
  std::optional<std::size_t> from;
  for (std::size_t i = nights_.size(); i-- > last + 1;) {
    if (!left_out_[i]) continue;
    if (!left_out_[i]->contains(digest)) break;
    from = i;
  }
  return from;
}

// Returns the end of a series of whose name another one goes on: the first that does.
std::optional<SeriesEnd> SeriesEnds::find_successor(const std::string& digest,
                                                    std::size_t last) const {
  std::optional<SeriesEnd> end;
  for (const std::string& other : namesakes(digest))
    if (const auto from = first_night_after(other, last); from && (!end || *from < end->night))
      end = SeriesEnd{*from, true, changed_settings(series_.at(digest), series_.at(other))};
  return end;
}

std::optional<SeriesEnd> SeriesEnds::find(const std::string& digest) const {
  const std::size_t* last = find_value(last_, digest);
  if (!last || series_.at(digest).canary) return std::nullopt;
  if (auto end = find_successor(digest, *last)) return end;
  if (const auto from = left_out_from(digest, *last)) return SeriesEnd{*from, false, {}, true};
  return nights_.size() > *last + kNightsWithout ? std::optional(SeriesEnd{*last + 1})
                                                 : std::nullopt;
}

}  // namespace benchbench
