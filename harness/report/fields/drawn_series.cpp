#include "harness/report/fields/drawn_series.h"

#include <algorithm>
#include <array>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/series/extremes.h"

namespace benchbench {
namespace {

// CPU by role, memory, disk: of the others what they came to is in the tables.
constexpr auto kDrawnProbes = std::to_array<std::string_view>(
    {"cpu_loader", "cpu_trainer", "cpu_other", "cpu_busy", "steal", "memory", "group_memory_used",
     "bytes_read", "bytes_written", "device_read", "device_written"});

constexpr std::string_view kProbeSeries = "probe_", kProbeTimes = "probe_time";

const SeriesFile* series_called(const TrialRecord& record, std::string_view name) {
  return find_element(record.series, name, &SeriesFile::name);
}

DrawnSeries drawn_steps(const SeriesFile& file, const std::vector<std::int64_t>& ns) {
  DrawnSeries out{file.name, "ms", ns.size(), file.kept_every, {}};
  for (const auto& [place, value] : thinned(ns, kDrawnValues))
    out.values.emplace_back(static_cast<double>(place * file.kept_every),
                            static_cast<double>(value) * 1e-6);
  return out;
}

// Of a level the readings; of a counter what it grew by in a second, or ns in a ns: ProbeReadings'
// series.
DrawnSeries drawn_probe(const ProbeFacts& facts, const SeriesFile& file,
                        const std::vector<std::int64_t>& at,
                        const std::vector<std::int64_t>& values) {
  const bool level = facts.unit == "bytes" || facts.unit == "count" || facts.unit == "Hz";
  const bool of_time = facts.unit == "cores" || facts.unit == "share";
  DrawnSeries out{facts.name, facts.unit, values.size(), file.kept_every, {}};
  std::vector<std::int64_t> micro(values.size());  // thinned() is of whole numbers: millionths
  std::vector<double> told(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double ns = static_cast<double>(at[i] - (i > 0 ? at[i - 1] : 0));
    const double grown = ns > 0 ? static_cast<double>(values[i]) / (of_time ? ns : ns * 1e-9) : 0;
    told[i] = level ? static_cast<double>(values[i]) : grown;
    micro[i] = static_cast<std::int64_t>(std::min(told[i] * 1e6, 9e18));
  }
  for (const auto& [place, value] : thinned(micro, kDrawnValues))
    out.values.emplace_back(static_cast<double>(at[place]) * 1e-9, told[place]);
  return out;
}

void add_probes(const SeriesReader& read, const TrialRecord& record,
                std::vector<DrawnSeries>& out) {
  const SeriesFile* times = series_called(record, kProbeTimes);
  if (!times || times->kept_every > 1) return;  // what a counter grew by between is gone
  const auto at = read(*times);
  for (const ProbeFacts& facts : record.facts.probes) {
    if (!contains(kDrawnProbes, facts.name)) continue;
    const SeriesFile* file = series_called(record, std::string(kProbeSeries) + facts.name);
    if (!file || facts.state != ProbeState::measured || file->length != at.size()) continue;
    out.push_back(drawn_probe(facts, *file, at, read(*file)));
  }
}

}  // namespace

const TrialRecord* shown_trial(const ReportInput& in, std::uint32_t point) {
  const TrialRecord* noisy = nullptr;
  for (const TrialRecord& r : in.records) {
    if (r.trial.mode != Mode::pipeline || r.trial.ablation || !contains(r.trial.points, point))
      continue;
    const Status status = in.findings.judged->judgement_of(r).status;
    if (status == Status::valid) return &r;
    if (status == Status::noisy && !noisy) noisy = &r;
  }
  return noisy;
}

std::vector<std::uint32_t> shown_points(const Findings& findings) {
  if (findings.points.empty()) return {};
  std::vector<std::uint32_t> out{0};
  if (const auto other = other_point_to_use(findings)) out.push_back(*other);
  return out;
}

std::vector<DrawnTrial> drawn_trials(const ReportInput& in) {
  std::vector<DrawnTrial> out;
  for (const std::uint32_t point : shown_points(in.findings)) {
    DrawnTrial drawn{point, shown_trial(in, point), {}, {}, ""};
    if (!drawn.record) continue;
    try {
      for (const std::string_view name : {"step", "get_blocked"})
        if (const SeriesFile* file = series_called(*drawn.record, name); file && in.read_series)
          drawn.steps.push_back(drawn_steps(*file, in.read_series(*file)));
      if (in.read_series) add_probes(in.read_series, *drawn.record, drawn.probes);
    } catch (const StoreError& error) {
      drawn.why = error.what();
    }
    out.push_back(std::move(drawn));
  }
  return out;
}

}  // namespace benchbench
