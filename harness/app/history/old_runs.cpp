#include "harness/app/history/old_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::int64_t kDay = 86400;

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t n) {
  int value = 0;
  if (at + n > text.size()) return std::nullopt;
  const auto [end, failed] = std::from_chars(text.data() + at, text.data() + at + n, value);
  return failed == std::errc() && end == text.data() + at + n && value >= 0 ? std::optional(value)
                                                                            : std::nullopt;
}

bool has_separators(std::string_view text) {
  return text.size() >= 20 && text[4] == '-' && text[7] == '-' && text[10] == 'T' &&
         text[13] == ':' && text[16] == ':' && text.back() == 'Z';
}

}  // namespace

std::int64_t days_asked(const std::string& text) {
  std::int64_t n = 0;
  const char* end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, n);
  const bool in_weeks = at != end && *at == 'w';
  if (failed != std::errc() || at + 1 != end || (*at != 'd' && !in_weeks) || n < 0 || n > 100000)
    throw UsageError(fmt::format("--prune {}: expected days or weeks", text),
                     "such as --prune 90d or --prune 12w");
  return in_weeks ? 7 * n : n;
}

std::optional<std::int64_t> epoch_seconds_of(std::string_view text) {
  using namespace std::chrono;
  if (!has_separators(text)) return std::nullopt;
  const auto y = digits(text, 0, 4), mo = digits(text, 5, 2), d = digits(text, 8, 2);
  const auto h = digits(text, 11, 2), mi = digits(text, 14, 2), s = digits(text, 17, 2);
  if (!y || !mo || !d || !h || !mi || !s) return std::nullopt;
  const year_month_day date{year(*y), month(static_cast<unsigned>(*mo)),
                            day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date).time_since_epoch().count() * kDay + *h * 3600 + *mi * 60 + *s;
}

std::string why_kept(const KeptRun& run, const PruneRule& rule, const HistoryNotes& written) {
  const auto started = epoch_seconds_of(run.started_at);
  if (!started) return fmt::format("its start is not a time: '{}'", run.started_at);
  if (rule.now - *started <= rule.days * kDay) return "young";
  const bool accepted = std::ranges::any_of(
      written.accepted, [&](const AcceptedChange& a) { return a.night == run.night(); });
  return rule.keep_accepted && accepted ? "accepted" : "";
}

}  // namespace benchbench
