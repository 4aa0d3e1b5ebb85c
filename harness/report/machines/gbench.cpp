// Google Benchmark's JSON, for its compare.py and what else reads it: a benchmark a point and mode,
// "scenario/point/mode", whose repetitions are its rounds, and within them the repeats of the trial
// that is repeated. real_time is the mean step, cpu_time the CPU time of the process tree per step;
// where that was not measured it is 0, which that format needs, and the label says so. Only trials
// that are VALID or NOISY: how many others there are is in "context", since compare.py stops at an
// entry without times.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "harness/analysis/rates/started_at.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/report/machines/metric_cases.h"

namespace benchbench {
namespace {

using Object = nlohmann::ordered_json;

Object context_of(const ReportInput& in, std::size_t left_out) {
  const Environment& e = in.findings.environment;
  Object context{{"date", first_start_text(in.records)},
                 {"host_name", e.machine},
                 {"executable", "benchbench"},
                 {"num_cpus", e.cpus_online},
                 {"cpu_scaling_enabled", e.governor == "powersave" || e.governor == "ondemand" ||
                                             e.governor == "schedutil"},
                 {"caches", Object::array()},
                 {"library_build_type", "release"}};
  for (const auto& [name, value] : environment_labels(e)) context[name] = value;
  context["clock"] = in.findings.simulated ? "simulated" : "real";
  context["trials_left_out"] = left_out;
  return context;
}

double per_step_us(double ns, const WindowFacts& window) {
  return ns * 1e-3 / static_cast<double>(window.steps);
}

// `repetition` of `repetitions` usable rounds.
Object entry_of(const std::string& name, const TrialRecord& record, std::size_t repetition,
                std::size_t repetitions) {
  const WindowFacts& window = record.facts.window;
  const CpuFacts& cpu = record.facts.cpu;
  const bool has_cpu = cpu.user_s && cpu.system_s && !record.facts.simulated;
  Object out{{"name", name},
             {"run_name", name},
             {"run_type", "iteration"},
             {"repetitions", repetitions},
             {"repetition_index", repetition},
             {"threads", 1},
             {"iterations", window.steps}};
  out["real_time"] = per_step_us(static_cast<double>(window.ns), window);
  out["cpu_time"] = has_cpu ? per_step_us((*cpu.user_s + *cpu.system_s) * 1e9, window) : 0;
  out["time_unit"] = "us";
  out["items_per_second"] = rate_of(record);
  if (!has_cpu) out["label"] = "cpu_time not measured";
  return out;
}

bool has_times(const JudgedRecord& judged) {
  const WindowFacts& window = judged.record->facts.window;
  return judged.usable() && window.steps > 0 && window.ns > 0;
}

// Of one trial of a point.
void add_rounds(Object& all, const std::string& name, std::span<const JudgedRecord> records,
                std::size_t family) {
  const auto repetitions = static_cast<std::size_t>(std::ranges::count_if(records, has_times));
  std::size_t repetition = 0;
  for (const JudgedRecord& judged : records) {
    if (!has_times(judged)) continue;
    all.push_back(entry_of(name, *judged.record, repetition++, repetitions));
    all.back()["family_index"] = family;
    all.back()["per_family_instance_index"] = 0;
  }
}

void write_gbench(std::ostream& out, const ReportInput& in) {
  const JudgedTrials& trials = *in.findings.judged;
  const std::vector<std::string> names = unique_point_names(in.findings);
  Object all = Object::array();
  std::size_t family = 0;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline})
      if (const auto trial = trial_of(in.plan.points[in.findings.points[i].point], mode))
        add_rounds(all, fmt::format("{}/{}/{}", in.findings.scenario, names[i], name_of(mode)),
                   trials.of(*trial), family++);
  const auto left_out = static_cast<std::size_t>(
      std::ranges::count_if(trials.all(), [](const JudgedRecord& j) { return !has_times(j); }));
  const Object document{{"context", context_of(in, left_out)}, {"benchmarks", std::move(all)}};
  out << document.dump(2, ' ', false, Object::error_handler_t::replace) << '\n';
}

}  // namespace

extern constinit const ReportFormat gbench_format{
    "--gbench", "write Google Benchmark's JSON, for its compare.py", write_gbench};

}  // namespace benchbench
