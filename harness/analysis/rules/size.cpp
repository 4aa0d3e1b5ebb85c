#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

// Data that memory cannot hold is read from the device by whoever reads all of it in turn, whatever
// the cache held.
constexpr double kTimesMemory = 5;

// Bytes of the data set, from the samples it was made with and what those of the window weighed.
std::optional<double> data_bytes(const TrialRecord& record) {
  const Value* samples = record.trial.settings.find("dataset.synthesize.samples");
  const auto* count = samples ? std::get_if<std::int64_t>(&samples->held) : nullptr;
  const Facts& f = record.facts;
  if (!count || !f.bytes.payload || f.window.samples == 0) return std::nullopt;
  return static_cast<double>(*count) * static_cast<double>(*f.bytes.payload) / window_samples(f);
}

// Returns a firing unless memory cannot hold the data. `unverified`: the words before.
std::optional<Firing> too_small(const TrialRecord& record, const std::string& unverified) {
  const auto data = data_bytes(record);
  const auto memory = static_cast<double>(record.environment.memory_bytes);
  if (!data || memory <= 0)
    return doubt(unverified + ", and the size of the data relative to memory is not known");
  if (*data >= kTimesMemory * memory) return std::nullopt;
  return invalid(fmt::format("{}, and the data ({}) are smaller than {:g} times the memory ({})",
                             unverified, human_bytes(*data), kTimesMemory, human_bytes(memory)));
}

}  // namespace

std::optional<Firing> size(const TrialRecord& record) {
  if (cache_asked(record) != "cold" || record.facts.simulated) return std::nullopt;
  if (proven_cold(record) || reads_directly(record.trial)) return std::nullopt;
  const std::string degree = record.facts.cache.state.text();
  return too_small(record, "cold was requested but not verified" +
                               (degree.empty() ? "" : fmt::format(" ({})", degree)));
}

}  // namespace benchbench::rules
