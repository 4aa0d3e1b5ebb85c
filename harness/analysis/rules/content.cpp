#include <fmt/format.h>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {

std::optional<Firing> content(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.content.wrong == 0) return std::nullopt;
  return invalid(fmt::format("{} of {} samples checked do not match the manifest", f.content.wrong,
                             f.content.checked));
}

}  // namespace benchbench::rules
