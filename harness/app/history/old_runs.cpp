#include "harness/app/history/old_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/analysis/rates/started_at.h"
#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::int64_t kDay = 86400;

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

std::string why_kept(const KeptRun& run, const PruneRule& rule, const HistoryNotes& written) {
  const auto seconds = seconds_of(run.started_at);
  if (!seconds) return fmt::format("its start is not a time: '{}'", run.started_at);
  const auto started = static_cast<std::int64_t>(*seconds);
  if (rule.now - started <= rule.days * kDay) return "young";
  const bool accepted = std::ranges::any_of(
      written.accepted, [&](const AcceptedChange& a) { return a.night == run.night(); });
  return rule.keep_accepted && accepted ? "accepted" : "";
}

}  // namespace benchbench
