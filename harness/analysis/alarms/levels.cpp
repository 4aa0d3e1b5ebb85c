// Alarms that look at each trial by itself: means over a trial's rounds, of memory the most.
#include <algorithm>
#include <functional>

#include "harness/analysis/alarms/sights.h"
#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/rules/asked.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/record/setting_keys.h"

namespace benchbench::alarms {
namespace {

constexpr double kNegligibleBytes = 1 << 20;  // as in rule R14

// What one record shows: a figure, that there is no case to judge, or why it shows nothing.
struct Glance {
  std::optional<AlarmSeen> seen = {};
  std::string why = {};
};
constexpr const char* kCutEpoch =
    "an epoch ended early, and what the device did until then is not known";

Glance absent(std::string why) { return {{}, std::move(why)}; }
Glance share_of(double amount, double of, std::string_view whose = {}) {
  return {AlarmSeen{{}, amount / of, amount, of, whose}, {}};
}

// Readings of two clocks are not of the same instant, so that a share may come out a little over
// all of it.
Glance share_up_to_all(double amount, double of) {
  Glance glance = share_of(amount, of);
  glance.seen->value = std::clamp(glance.seen->value, 0.0, 1.0);
  return glance;
}

enum class Over { mean, most };

AlarmSeen over_rounds(const std::vector<AlarmSeen>& rounds, Over over) {
  if (over == Over::most) return *std::ranges::max_element(rounds, {}, &AlarmSeen::value);
  AlarmSeen out = rounds.front();
  out.value = out.amount = out.of = 0;
  for (const AlarmSeen& seen : rounds) {
    out.value += seen.value / static_cast<double>(rounds.size());
    out.amount += seen.amount / static_cast<double>(rounds.size());
    out.of += seen.of / static_cast<double>(rounds.size());
  }
  return out;
}

using GlanceAt = std::function<Glance(const TrialRecord&)>;

// Returns what the usable records of a trial show; notes whether that was measured, else why not.
std::vector<AlarmSeen> look_at_rounds(JudgedRecords records, const GlanceAt& look, Sight& out) {
  std::vector<AlarmSeen> rounds;
  for (const JudgedRecord& judged : records) {
    if (!judged.usable()) continue;
    const Glance glance = look(*judged.record);
    if (glance.why.empty())
      out.measured = true;
    else if (!out.measured)
      out.why = glance.why;
    if (glance.seen) rounds.push_back(*glance.seen);
  }
  return rounds;
}

// `look` at every usable record of the trials of `mode`, or of all modes. A trial that several
// points share is told of the first.
Sight look_at(const Scene& scene, std::optional<Mode> mode, Over over, const GlanceAt& look) {
  Sight out;
  out.why = mode ? std::string("no usable trial of mode ") + std::string(name_of(*mode))
                 : "no usable trial";
  std::vector<bool> told(scene.plan.trials.size());
  for (const Point& point : scene.plan.points)
    for (const auto& [of, trial] : point.trials) {
      if ((mode && of != *mode) || trial >= told.size() || told[trial]) continue;
      told[trial] = true;
      const auto rounds = look_at_rounds(scene.trials.of(trial), look, out);
      if (rounds.empty()) continue;
      out.seen.push_back(over_rounds(rounds, over));
      out.seen.back().point = point.index;
    }
  if (out.measured) out.why.clear();
  return out;
}

// The probe, or why there is none.
const ProbeFacts* probe_or_why(const Facts& facts, std::string_view name, std::string& why) {
  if (const ProbeFacts* probe = rules::measured_probe(facts, name)) return probe;
  const auto absent_one = std::ranges::find(facts.probes, name, &ProbeFacts::name);
  why = std::string("probe ") + std::string(name) +
        (absent_one == facts.probes.end() || absent_one->why.empty() ? " was not sampled"
                                                                     : ": " + absent_one->why);
  return nullptr;
}

Glance memory_in(const TrialRecord& record) {
  const Environment& e = record.environment;
  std::string why, group_why;
  const ProbeFacts* host = probe_or_why(record.facts, "host_memory", why);
  const ProbeFacts* group = probe_or_why(record.facts, "group_memory_used", group_why);
  const auto of_host = static_cast<double>(e.host_memory_bytes),
             of_group = static_cast<double>(e.memory_bytes);
  // Otherwise the group may have all of the host's memory.
  const bool limited = e.memory_bytes > 0 && e.memory_bytes < e.host_memory_bytes;
  const bool host_known = host && of_host > 0, group_known = group && limited;
  if (host_known && (!group_known || host->max / of_host >= group->max / of_group))
    return share_of(host->max, of_host, "host");
  if (group_known) return share_of(group->max, of_group, "cgroup");
  return absent(why.empty() ? "the memory of the host is not in the records" : why);
}

Glance cores_in(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.simulated) return absent("virtual time uses no cores");
  const auto used = rules::our_cores(f);
  if (!used || !(f.cpu.cores_available > 0))
    return absent("the CPU time of the process tree was not measured");
  const auto stalled = stalled_share(f);
  if (!stalled) return absent("the trainer's waits were not metered");
  if (*stalled < kNextToNothing) return {};
  return share_up_to_all(*used, f.cpu.cores_available);
}

Glance throttled_in(const TrialRecord& record) {
  std::string why;
  const ProbeFacts* probe = probe_or_why(record.facts, "throttled", why);
  return probe ? share_up_to_all(probe->mean, 1) : absent(why);
}

// A wait that a device works through costs nothing: of one that has a device, the time in which
// that had nothing to do for it.
Glance wait_in(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.device && !times_known(*f.device)) return absent(kCutEpoch);
  if (f.device && f.window.ns > 0)
    return share_of(static_cast<double>(f.device->idle_for_data_ns) / window_ns(f), 1, "device");
  const auto waited = waited_share(f);
  return waited ? share_of(*waited, 1) : absent("the trainer's waits were not metered");
}

// Returns the process's writes, checkpoints included, as a share of all bytes of the data's disk.
// bytes.logged leaves checkpoints out; it only says whether the process writes to that disk.
Glance writes_in(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (!record.trial.settings.text_or(keys::trainer.checkpoint.path).empty())
    return absent("checkpoints go to a folder of their own, which may be on another disk");
  if (!f.bytes.logged || !f.bytes.written_there)
    return absent("writes to the disk of the data were not counted");
  std::string why;
  const ProbeFacts* read = probe_or_why(f, "device_read", why);
  const ProbeFacts* written = probe_or_why(f, "bytes_written", why);
  if (!read || !written) return absent(why);
  const double seconds = window_seconds(f), ours = written->mean * seconds;
  if (ours <= kNegligibleBytes) return {};
  const double all =
      std::max(ours, static_cast<double>(*f.bytes.written_there)) + read->mean * seconds;
  return share_of(ours, all);
}

// Waits for data, copies that are not hidden, and what the host did meanwhile: between steps, and
// between the kernels of one where these are billed.
Glance device_idle_in(const TrialRecord& record) {
  const auto& device = record.facts.device;
  if (!device) return absent(std::string(kStepsOnCpu));
  if (!times_known(*device)) return absent(kCutEpoch);
  if (record.trial.settings.get_if(keys::trainer.use) == "discard")
    return absent("trainer discard has no work for it");
  double idle = 0, work = 0;
  for (const auto& [part, ns] : device_timeline(record.facts))
    (part == "copy_exposed" || part.starts_with("idle_") ? idle : work) += ns;
  return share_up_to_all(work > 0 ? idle : static_cast<double>(device->gaps_ns),
                         window_ns(record.facts));
}

Glance device_memory_in(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.device && !f.device->name.starts_with("cuda"))
    return absent("an emulated device's memory is what trainer.emulated.memory says");
  if (!f.gpu) return absent(std::string(kStepsOnCpu));
  std::string why;
  const ProbeFacts* probe = probe_or_why(f, "gpu_memory", why);
  if (!probe) return absent(why);
  if (!(f.gpu->memory_bytes.value_or(0) > 0))
    return absent("the size of the GPU's memory was not read");
  return share_up_to_all(probe->max, static_cast<double>(*f.gpu->memory_bytes));
}

// The mean of a probe in bytes a second, of a ceiling.
Glance rate_in(const TrialRecord& record, std::string_view probe_name,
               std::string_view ceiling_name, std::string_view how) {
  std::string why;
  const ProbeFacts* probe = probe_or_why(record.facts, probe_name, why);
  if (!probe) return absent(why);
  const auto ceiling = rules::ceiling(record.environment, ceiling_name);
  if (!ceiling)
    return absent(std::string("machine.yaml has no ") + std::string(ceiling_name) +
                  std::string(how));
  return share_of(probe->mean, *ceiling);
}

}  // namespace

Sight memory(const Scene& scene) { return look_at(scene, std::nullopt, Over::most, memory_in); }
Sight cores(const Scene& scene) { return look_at(scene, Mode::pipeline, Over::mean, cores_in); }
Sight throttled(const Scene& scene) {
  return look_at(scene, std::nullopt, Over::mean, throttled_in);
}
Sight exposed_wait(const Scene& scene) {
  return look_at(scene, Mode::pipeline, Over::mean, wait_in);
}
Sight other_writes(const Scene& scene) {
  return look_at(scene, Mode::pipeline, Over::mean, writes_in);
}
Sight disk(const Scene& scene) {
  return look_at(scene, std::nullopt, Over::mean, [](const TrialRecord& r) {
    return rate_in(r, "device_read", "disk_read_cold", ": `benchbench doctor --write` measures it");
  });
}
Sight device_idle(const Scene& scene) {
  return look_at(scene, Mode::pipeline, Over::mean, device_idle_in);
}
Sight device_memory(const Scene& scene) {
  return look_at(scene, std::nullopt, Over::most, device_memory_in);
}
Sight network(const Scene& scene) {
  return look_at(scene, std::nullopt, Over::mean, [](const TrialRecord& r) {
    return rate_in(r, "network_received", "network",
                   ": `benchbench doctor --data WHERE --write` measures it");
  });
}

}  // namespace benchbench::alarms
