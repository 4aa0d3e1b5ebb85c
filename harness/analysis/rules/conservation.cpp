#include <fmt/format.h>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {

// A loader with workers of its own has no ids and counts nothing: "not measured", which is not a
// firing.
std::optional<Firing> conservation(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.accounting.issued != f.accounting.delivered + f.accounting.dropped + f.accounting.in_flight)
    return invalid(fmt::format("{} issued, but {} delivered, {} dropped and {} in flight",
                               counted(f.accounting.issued, "sample"), f.accounting.delivered,
                               f.accounting.dropped, f.accounting.in_flight));
  if (f.accounting.duplicated > 0)
    return invalid(
        fmt::format("{} delivered twice in an epoch", counted(f.accounting.duplicated, "sample")));
  if (f.accounting.missing > 0)
    return invalid(
        fmt::format("{} missing from a completed epoch", counted(f.accounting.missing, "sample")));
  return std::nullopt;
}

}  // namespace benchbench::rules
