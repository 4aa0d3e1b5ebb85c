#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/rules/checks.h"
#include "harness/record/setting_keys.h"

namespace benchbench::rules {
namespace {

// A bad file costs less to decode than a good one, so a share of them moves the rate by at most
// that share: one in a thousand is life, one in a hundred a doubt within the noise, more and the
// rate is of something else.
constexpr double kUserLimit = 0.001;
constexpr double kUserInvalid = 0.01;

std::string first_fault(const Facts& facts) {
  const auto bad = std::ranges::find_if(
      facts.content.faults, [](const FaultySample& s) { return s.kind != FaultKind::warning; });
  return bad == facts.content.faults.end() ? std::string()
                                           : fmt::format(", first {}: {}", bad->where, bad->what);
}

// One in a thousand of the user's own is nothing.
std::optional<Firing> of_users(const Facts& f, double all) {
  const double share = static_cast<double>(f.content.decode_errors) / all;
  if (share <= kUserLimit) return std::nullopt;
  const bool is_invalid = share > kUserInvalid;
  return Firing{
      is_invalid,
      fmt::format("{} of {:.0f} samples ({:.2g} %) could not be decoded, more than {} %{}",
                  f.content.decode_errors, all, 100 * share, is_invalid ? "1" : "0.1",
                  first_fault(f))};
}

}  // namespace

std::optional<Firing> errors(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.content.decode_errors == 0) return std::nullopt;
  const double all = static_cast<double>(
      std::max({f.accounting.delivered, f.window.samples, f.content.decode_errors}));
  if (!record.trial.settings.given(keys::dataset.path))
    return invalid(fmt::format("{} of {:.0f} synthesised samples could not be decoded (limit 0){}",
                               f.content.decode_errors, all, first_fault(f)));
  return of_users(f, all);
}

}  // namespace benchbench::rules
