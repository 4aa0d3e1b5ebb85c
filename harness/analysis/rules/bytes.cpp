#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {

// Samples that could not be read gave no bytes, and are R03's; a loader that is given ready-made
// payloads in place of stored ones counts those few that it was given.
std::optional<Firing> bytes(const TrialRecord& record) {
  const Facts& f = record.facts;
  const std::string payload = record.trial.settings.text_or("loader.payload");
  const bool substituted = !payload.empty() && payload != "stored";
  if (!f.bytes.loaded || !f.bytes.expected || f.content.decode_errors > 0 || substituted)
    return std::nullopt;
  if (*f.bytes.loaded == *f.bytes.expected) return std::nullopt;
  return invalid(fmt::format(
      "the workers were given {} bytes; according to the manifest their samples have {}",
      *f.bytes.loaded, *f.bytes.expected));
}

}  // namespace benchbench::rules
