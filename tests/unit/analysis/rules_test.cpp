#include "harness/analysis/rules/rules.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace rules_test {

using test::good_facts;
using test::kSecond;

TrialRecord good_record() {
  TrialRecord r;
  r.trial.mode = Mode::pipeline;
  r.trial.settings.set("dataset.format", test::words("tar"));
  r.facts = good_facts(1000);
  return r;
}

StageTotal& stage(TrialRecord& r, Stage s) {
  return r.facts.window.stages[static_cast<std::size_t>(s)];
}

// What one rule needs to see: a change that must not fire it, and one that must.
struct RuleCase {
  std::string id;
  bool invalid;
  std::function<void(TrialRecord&)> passes;
  std::function<void(TrialRecord&)> fires;
};

void users_data(TrialRecord& r) { r.trial.settings.set("dataset.path", test::words("photos")); }
void cached(TrialRecord& r, const char* asked, const char* degree) {
  r.facts.cache.asked = asked;
  r.facts.cache.state = CacheState::parse(degree).value();
}
void proven(TrialRecord& r, double resident) {
  cached(r, "cold", "cold(data)");
  r.facts.cache.resident_before = resident;
}
// Cold was asked for beside data that the loader holds or not.
void held(TrialRecord& r, const char* residency) {
  r.trial.settings.set("dataset.cache", test::words("cold"));
  r.trial.settings.set("loader.residency", test::words(residency));
}
// Cold, not proven, on made data of that many GiB beside 1 GiB of memory.
void unproven(TrialRecord& r, std::int64_t gib) {
  cached(r, "cold", "as_is: eviction was refused");
  r.environment.memory_bytes = 1ull << 30;
  r.trial.settings.set("dataset.synthesize.samples", test::whole(gib * 1024));
  r.facts.bytes.payload = r.facts.window.samples << 20;
}
void probe(TrialRecord& r, const char* name, const char* unit, double mean,
           std::uint64_t lost = 0) {
  ProbeFacts p;
  p.name = name, p.unit = unit, p.state = ProbeState::measured;
  p.mean = p.min = p.max = mean;
  p.samples = 100 - lost, p.lost = lost;
  r.facts.probes.push_back(p);
}
void busy(TrialRecord& r, double our_cores) {
  r.facts.cpu.user_s = our_cores * static_cast<double>(r.facts.window.ns) * 1e-9;
  r.facts.cpu.system_s = 0;
}
void clocked(TrialRecord& r, double mhz, double our_cores = 2) {
  probe(r, "cpu_clock", "MHz", mhz);
  busy(r, our_cores);
  r.environment.ceilings = {{"cpu_clock", 3e9}};
}
void on_cuda(TrialRecord& r, const char* found) {
  r.trial.settings.set("trainer.device", test::words("cuda:0"));
  r.environment.cuda = found;
}
// So many MB/s read, where one thread can do 100.
void reads(TrialRecord& r, const char* ceiling, std::uint64_t megabytes) {
  r.environment.ceilings = {{ceiling, 100e6}};
  r.facts.bytes.read = r.facts.bytes.payload = megabytes * 1'000'000;
}
// Other programs kept `others` of 2 cores busy and the trial `ours`; the thread of it that waited
// longest did so for the share `waited` of the time.
void next_to_others(TrialRecord& r, double others, double ours, std::optional<double> waited) {
  const double window_s = static_cast<double>(r.facts.window.ns) * 1e-9;
  busy(r, ours);
  r.facts.cpu.others_s = others * window_s;
  if (waited) r.facts.cpu.run_delay_most_s = *waited * window_s;
}
void logged(TrialRecord& r, std::uint64_t ours, std::uint64_t all) {
  r.facts.bytes.logged = ours;
  r.facts.bytes.written_there = all;
}
// The trainer's thread in five terms, of which `lost` ns are told by none.
void looped(TrialRecord& r, std::int64_t lost) {
  r.facts.window.loop = {300'000'000, 50'000'000, r.facts.window.ns - 400'000'000 - lost,
                         40'000'000, 10'000'000};
}
void each_worker(TrialRecord& r, std::int64_t lost) {
  const std::int64_t window = r.facts.window.ns;
  r.facts.workers.each = {{window, 0, 0, 50}, {window / 2, window / 2 - lost, 0, 25}};
}
void drifts_over_there(TrialRecord& r, StepTimes times) {
  r.facts.external.emplace().step_times = times;
  r.facts.window.slope_share = 1.99;
}
void stalled(TrialRecord& r, std::int64_t ns) {
  r.facts.window.stalls.count = 1;
  r.facts.window.stalls.total_ns = ns;
}
void given(TrialRecord& r, std::uint64_t loaded, std::uint64_t expected) {
  r.facts.bytes.loaded = loaded;
  r.facts.bytes.expected = expected;
}

void queued(TrialRecord& r, std::int64_t depth, std::int64_t stay) {
  r.facts.queue = {100, depth, stay, 1'000'000'000, 4};
}
void without_core(TrialRecord& r, double share) {
  r.facts.cpu.run_delay_most_s = share * 1e-9 * static_cast<double>(r.facts.window.ns);
}
void class_of(TrialRecord& r, const char* name, std::int64_t window, std::uint64_t steps) {
  r.trial.settings.set("measure.class", test::words(name));
  r.facts.window.ns = window;
  r.facts.window.steps = steps;
  r.facts.workers.wall_ns = r.facts.workers.fill_ns = window;
}

// A trial that ran on a GPU, alone and at full speed.
DeviceFacts& on_gpu(TrialRecord& r) {
  r.trial.settings.set("trainer.device", test::words("cuda:1"));
  r.environment.cuda = "13.0, driver 580.65.06";
  r.environment.gpu_uuids = {"zero", "one"};
  r.facts.device = DeviceFacts{.name = "cuda:1", .model = "H100", .uuid = "one"};
  return *r.facts.device;
}
// Steps in a process of their own, which used this device.
void elsewhere(TrialRecord& r, const char* used, Mode mode = Mode::pipeline) {
  on_gpu(r);
  r.facts.device.reset();
  r.facts.external.emplace().device = used;
  r.trial.mode = mode;
}
GpuFacts& on_card(TrialRecord& r) {
  r.facts.gpu = GpuFacts{.name = "cuda:1", .model = "H100", .uuid = "one"};
  return *r.facts.gpu;
}
void gpu_clocked(TrialRecord& r, double megahertz, double busy) {
  on_gpu(r);
  r.environment.ceilings = {{"gpu_clock", 2e9}};
  r.environment.gpu_of_ceilings = "one";
  probe(r, "gpu_clock", "Hz", megahertz * 1e6);
  probe(r, "gpu_busy", "share", busy);
}
// Batches of 10^9 bytes a second, of a link that can do 10^9.
void copied(TrialRecord& r, double times, bool pinned, const char* ceiling) {
  DeviceFacts& device = on_gpu(r);
  r.trial.settings.set("loader.pin_memory", Value{ParameterType::boolean, pinned});
  r.environment.ceilings = {{ceiling, 1e9}};
  r.environment.gpu_of_ceilings = "one";
  device.copied_bytes = static_cast<std::uint64_t>(1e8 * times);
  device.copy_ns = 100'000'000;
}

// From pageable memory, where pinned memory is known to be copied ten times as fast.
void copied_staged(TrialRecord& r, double times) {
  copied(r, times, false, "link_pageable_to_device");
  r.environment.ceilings = {{"link_pageable_to_device", 1e9}, {"link_to_device", 1e10}};
}

std::vector<RuleCase> cases() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      {"R01", true, [](auto& r) { r.facts.accounting.issued += 5, r.facts.accounting.dropped = 5; },
       [](auto& r) { r.facts.accounting.issued += 1; }},
      {"R01", true, [](auto&) {}, [](auto& r) { r.facts.accounting.duplicated = 1; }},
      {"R01", true, [](auto&) {}, [](auto& r) { r.facts.accounting.missing = 1; }},
      {"R02", true, [](auto& r) { r.facts.content.checked = 10; },
       [](auto& r) { r.facts.content.checked = 10, r.facts.content.wrong = 1; }},
      {"R03", true, [](auto& r) { r.facts.content.decode_warnings = 7; },
       [](auto& r) { r.facts.content.decode_errors = 1; }},
      {"R03", false, [](auto& r) { users_data(r), r.facts.content.decode_errors = 1; },
       [](auto& r) { users_data(r), r.facts.content.decode_errors = 2; }},
      {"R03", true, [](auto& r) { users_data(r); },
       [](auto& r) {
         users_data(r), r.facts.content.decode_errors = r.facts.accounting.delivered / 90;
       }},
      {"R06", false, [](auto& r) { r.facts.window.slope_share = -0.09; },
       [](auto& r) { r.facts.window.slope_share = -0.11; }},
      {"R06", false,
       [](auto& r) { r.trial.mode = Mode::trainer, r.facts.window.slope_share = 0.04; },
       [](auto& r) { r.trial.mode = Mode::trainer, r.facts.window.slope_share = 0.06; }},
      {"R04", true, [](auto& r) { proven(r, 0.01); }, [](auto& r) { proven(r, 0.02); }},
      {"R04", true,
       [](auto& r) { proven(r, 0), r.facts.bytes.read = 1000, r.facts.bytes.device = 600; },
       [](auto& r) { proven(r, 0), r.facts.bytes.read = 1000, r.facts.bytes.device = 400; }},
      {"R04", true,
       [](auto& r) {
         cached(r, "warm", "warm"), r.facts.bytes.read = 1000, r.facts.bytes.device = 20;
       },
       [](auto& r) {
         cached(r, "warm", "warm"), r.facts.bytes.read = 1000, r.facts.bytes.device = 21;
       }},
      {"R04", true,
       [](auto& r) { cached(r, "warm", "warm"), r.facts.cache.resident_before = 0.99; },
       [](auto& r) { cached(r, "warm", "warm"), r.facts.cache.resident_before = 0.9; }},
      {"R04", false, [](auto& r) { cached(r, "as_is", "as_is"); },
       [](auto& r) { cached(r, "warm", "as_is: not known on this file system"); }},
      {"R05", true, [](auto& r) { unproven(r, 5); }, [](auto& r) { unproven(r, 4); }},
      {"R05", true,
       [](auto& r) {
         unproven(r, 4), r.facts.cache.state = CacheState::parse("cold(data+metadata)").value();
       },
       [](auto& r) { unproven(r, 1); }},
      {"R05", false,
       [](auto& r) {
         cached(r, "cold", ""), r.trial.settings.set("loader.io", test::words("direct"));
       },
       [](auto& r) { cached(r, "cold", "as_is: NFS"); }},
      {"R05", false, [](auto& r) { r.trial.settings.set("dataset.cache", test::words("as_is")); },
       [](auto& r) { r.trial.settings.set("dataset.cache", test::words("cold")); }},
      {"R05", false, [](auto& r) { held(r, "host"); }, [](auto& r) { held(r, "none"); }},
      {"R06", false, [](auto&) {}, [](auto& r) { r.facts.start.steady = false; }},
      {"R06", false, [](auto& r) { drifts_over_there(r, StepTimes::of_enqueue); },
       [](auto& r) { drifts_over_there(r, StepTimes::known); }},
      {"R06", false, [](auto& r) { r.facts.window.steadiness = SteadinessKind::periodic; },
       [](auto& r) { r.facts.window.steadiness = SteadinessKind::unsteady; }},
      {"R07", true, [](auto& r) { class_of(r, "normal", kSecond, 5); },
       [](auto& r) { class_of(r, "normal", kSecond - 1, 5); }},
      {"R07", true, [](auto&) {}, [](auto& r) { class_of(r, "normal", kSecond, 4); }},
      {"R07", true, [](auto& r) { class_of(r, "gate", 10 * kSecond, 100); },
       [](auto& r) { class_of(r, "gate", 10 * kSecond, 99); }},
      {"R07", true, [](auto& r) { class_of(r, "selftest", kSecond / 5, 100); },
       [](auto& r) { class_of(r, "selftest", kSecond / 6, 100); }},
      // Whole bursts, two or more.
      {"R07", true, [](auto& r) { class_of(r, "normal", kSecond, 12), r.facts.window.burst = 4; },
       [](auto& r) { class_of(r, "normal", kSecond, 10), r.facts.window.burst = 4; }},
      {"R07", true, [](auto& r) { class_of(r, "normal", kSecond, 16), r.facts.window.burst = 8; },
       [](auto& r) { class_of(r, "normal", kSecond, 8), r.facts.window.burst = 8; }},
      // A period of the trainer's.
      {"R07", false,
       [](auto& r) {
         class_of(r, "normal", kSecond, 100);
         r.trial.settings.set("trainer.postprocess.every", test::whole(100));
         r.trial.settings.set("trainer.log_every", test::whole(1000));  // costs next to nothing
       },
       [](auto& r) {
         class_of(r, "normal", kSecond, 99);
         r.trial.settings.set("trainer.postprocess.every", test::whole(100));
       }},
      {"R08", false, [](auto& r) { r.facts.cpu.throttled_s = 0; },
       [](auto& r) { r.facts.cpu.throttled_s = 0.01; }},
      {"R09", false, [](auto& r) { r.facts.cpu.steal_share = 0.01; },
       [](auto& r) { r.facts.cpu.steal_share = 0.011; }},
      // Others used the cores, and no thread waited for them; or one did.
      {"R09", false, [](auto& r) { next_to_others(r, 1.9, 0.1, 0.02); },
       [](auto& r) { next_to_others(r, 1.9, 0.1, 0.04); }},
      // Ours waited for each other, and others used next to nothing; or more than that.
      {"R09", false, [](auto& r) { next_to_others(r, 0.05, 1.95, 0.6); },
       [](auto& r) { next_to_others(r, 0.1, 1.9, 0.6); }},
      // Nobody knows who waited: a core was left, or none was.
      {"R09", false, [](auto& r) { next_to_others(r, 0.7, 1, {}); },
       [](auto& r) { next_to_others(r, 0.9, 1, {}); }},
      {"R10", false, [](auto& r) { clocked(r, 2920); }, [](auto& r) { clocked(r, 2900); }},
      {"R10", false, [](auto& r) { clocked(r, 2900, 1.75); },
       [](auto& r) { clocked(r, 2900, 1.85); }},
      {"R11", true, [](auto& r) { on_cuda(r, "driver 550, NVIDIA H100"); },
       [](auto& r) { on_cuda(r, "no CUDA device: no driver"); }},
      {"R11", true, [](auto& r) { on_gpu(r); }, [](auto& r) { on_gpu(r).uuid = "zero"; }},
      {"R11", true, [](auto& r) { on_gpu(r).name = ""; },
       [](auto& r) { on_gpu(r).name = "cuda:0"; }},
      {"R11", true, [](auto& r) { on_gpu(r), r.environment.gpu_uuids = {}; },
       [](auto& r) { on_gpu(r), r.environment.gpu_uuids = {"one"}; }},
      {"R11", true, [](auto& r) { on_gpu(r).uuid = "zero", r.trial.mode = Mode::loader; },
       [](auto& r) { on_gpu(r), r.environment.cuda = ""; }},
      {"R11", false, [](auto& r) { elsewhere(r, "cuda:1"); }, [](auto& r) { elsewhere(r, ""); }},
      {"R11", false, [](auto& r) { elsewhere(r, "", Mode::loader); },
       [](auto& r) { elsewhere(r, "cuda:0"); }},
      {"R11", false, [](auto& r) { on_card(r).uncorrected = 0; },
       [](auto& r) { on_card(r).uncorrected = 1; }},
      {"R09", false, [](auto& r) { on_card(r).foreign = 0; },
       [](auto& r) { on_card(r).foreign = 1; }},
      {"R10", false,
       [](auto& r) {  // a card at full load, by design
         gpu_clocked(r, 1400, 0.95);
         on_card(r).throttled = "none";
         r.facts.gpu->limited = "power cap, application clocks";
         r.facts.gpu->power_capped_share = 0.9;
       },
       [](auto& r) { on_card(r).throttled = "hot"; }},
      {"R12", true, [](auto& r) { copied(r, 1.09, true, "link_to_device"); },
       [](auto& r) { copied(r, 1.11, true, "link_to_device"); }},
      {"R12", true, [](auto& r) { copied(r, 9, true, "link_pageable_to_device"); },
       [](auto& r) { copied(r, 4.1, false, "link_pageable_to_device"); }},
      {"R12", false, [](auto& r) { copied(r, 1.09, false, "link_pageable_to_device"); },
       [](auto& r) { copied(r, 3.9, false, "link_pageable_to_device"); }},
      {"R12", false, [](auto& r) { copied(r, 1.09, false, "link_pageable_to_device"); },
       [](auto& r) { copied_staged(r, 10.9); }},
      {"R12", true, [](auto& r) { copied(r, 1.09, false, "link_pageable_to_device"); },
       [](auto& r) { copied_staged(r, 11.1); }},
      {"R12", true,
       [](auto& r) {
         copied(r, 9, true, "link_to_device"), r.environment.gpu_of_ceilings = "zero";
       },
       [](auto& r) { copied(r, 9, true, "link_to_device"); }},
      {"R12", true, [](auto& r) { proven(r, 0), reads(r, "disk_read_cold", 109); },
       [](auto& r) { proven(r, 0), reads(r, "disk_read_cold", 111); }},
      {"R12", true, [](auto& r) { reads(r, "disk_read_cold", 1000); },
       [](auto& r) { reads(r, "memory_copy", 401); }},
      {"R12", false,
       [](auto& r) {
         r.facts.workers.count = 2, r.facts.workers.wall_ns = 0, reads(r, "disk_read_warm", 210);
       },
       [](auto& r) { reads(r, "disk_read_warm", 120); }},
      {"R13", false, [](auto& r) { probe(r, "memory", "bytes", 1, 5); },
       [](auto& r) { probe(r, "memory", "bytes", 1, 6); }},
      {"R13", false,
       [](auto& r) {
         r.facts.probes.push_back({"pressure_cpu", "%", ProbeState::not_available, "no PSI"});
       },
       [](auto& r) {
         r.facts.probes.push_back({"pressure_cpu", "%", ProbeState::lost, "file went away"});
       }},
      {"R14", false, [](auto& r) { logged(r, 2 << 20, 400 << 20); },
       [](auto& r) { logged(r, 2 << 20, 100 << 20); }},
      {"R14", false, [](auto& r) { logged(r, 1 << 20, 2 << 20); },
       [](auto& r) { logged(r, 2 << 20, 0); }},
      {"R15", false,
       [](auto& r) {  // what images for GPUs set: it steers builds or names a version
         r.environment.variables = {"PYTORCH_VERSION=2.11.0", "TORCH_CUDA_ARCH_LIST=9.0+PTX",
                                    "TORCH_HOME=/opt/torch", "OMP_NUM_THREADS="};
       },
       [](auto& r) { r.environment.variables = {"OMP_NUM_THREADS=2"}; }},
      {"R15", false, [](auto&) {},
       [](auto& r) { r.environment.variables = {"CUDA_LAUNCH_BLOCKING=1"}; }},
      {"R15", false, [](auto&) {},
       [](auto& r) { r.environment.variables = {"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1"}; }},
      {"R15", false,
       [](auto& r) {
         r.environment.variables = {"OMP_NUM_THREADS=2", "MALLOC_ARENA_MAX=1"};
         r.trial.settings.set("measure.declare", test::words("MALLOC_ARENA_MAX, OMP_NUM_THREADS"));
       },
       [](auto& r) {
         r.environment.variables = {"OMP_NUM_THREADS=2", "MALLOC_ARENA_MAX=1"};
         r.trial.settings.set("measure.declare", test::words("OMP_NUM_THREADS,OMP"));
       }},
      {"R16", false, [](auto& r) { r.facts.instrument.overhead_share = 0.01; },
       [](auto& r) { r.facts.instrument.overhead_share = 0.02; }},
      {"R16", true, [](auto& r) { r.facts.instrument.overhead_share = 0.031; },
       [](auto& r) {
         r.facts.instrument.overhead_share = 0.031;
         r.trial.ablation = {AblationKind::free, Component::decode};
       }},
      {"R17", false, [](auto& r) { r.facts.instrument.clock_slew_ppm = -100; },
       [](auto& r) { r.facts.instrument.clock_slew_ppm = -101; }},
      {"R18", true, [](auto& r) { r.facts.bytes.device = 0; },
       [](auto& r) { r.facts.window.samples = 0; }},
      {"R18", true, [](auto&) {}, [nan](auto& r) { r.facts.parts.loss_last = nan; }},
      {"R18", true, [](auto&) {}, [](auto& r) { r.facts.start.first_batch_ns = -1; }},
      {"R18", true, [](auto&) {}, [](auto& r) { r.facts.peak_memory_bytes = 0; }},
      {"R18", true, [](auto&) {}, [nan](auto& r) { r.facts.window.slope_share = nan; }},
      {"R18", true, [](auto& r) { r.facts.window.pace_range_ns = 0; },
       [](auto& r) { r.facts.window.pace_range_ns = -1; }},
      {"R18", true, [](auto& r) { r.facts.window.pace_range_ns = r.facts.window.ns; },
       [](auto& r) { r.facts.window.pace_range_ns = 2 * r.facts.window.ns; }},
      {"R18", true, [](auto& r) { stalled(r, r.facts.window.ns); },
       [](auto& r) { stalled(r, r.facts.window.ns + r.facts.window.ns / 100); }},
      {"R18", true, [](auto& r) { stalled(r, 0); }, [](auto& r) { stalled(r, -1); }},
      {"R18", true, [](auto& r) { r.facts.cache.resident_before = 1.0; },
       [](auto& r) { r.facts.cache.resident_before = 1.01; }},
      {"R18", true, [](auto& r) { r.facts.shuffle.together = 0.0; },
       [](auto& r) { r.facts.shuffle.together = -0.01; }},
      {"R18", true, [](auto& r) { r.facts.shuffle.displacement = 0.0; },
       [](auto& r) { r.facts.shuffle.displacement = -0.1; }},
      {"R18", true, [](auto& r) { r.facts.background_rate = 0.0; },
       [nan](auto& r) { r.facts.background_rate = nan; }},
      {"R18", true, [](auto& r) { probe(r, "cpu_busy", "share", 0.5); },
       [nan](auto& r) { probe(r, "cpu_busy", "share", nan); }},
      {"R18", true, [](auto& r) { r.facts.window.loop.get_ns = -1'000'000; },
       [](auto& r) { r.facts.window.loop.get_ns = -10'000'000; }},
      {"R18", true, [](auto& r) { r.facts.window.loop.core_wait_ns = -1'000'000; },
       [](auto& r) { r.facts.window.loop.core_wait_ns = -10'000'000; }},
      {"R18", true, [](auto& r) { r.facts.window.loop.report_ns = r.facts.window.ns; },
       [](auto& r) {
         r.facts.window.loop.report_ns = r.facts.window.ns + r.facts.window.ns / 100;
       }},
      {"R18", true, [](auto& r) { r.facts.workers.slot_wait_ns = 0; },
       [](auto& r) { r.facts.workers.slot_wait_ns = -10'000'000; }},
      {"I01", true, [](auto& r) { r.facts.window.get_blocked = {100e6, 0, 0, 0, 0, 10}; },
       [](auto& r) { r.facts.window.get_blocked = {101e6, 0, 0, 0, 0, 10}; }},
      {"I01", true,
       [](auto& r) { stage(r, Stage::forward) = {r.facts.window.ns + 4'000'000, 100}; },
       [](auto& r) { stage(r, Stage::forward) = {r.facts.window.ns + 6'000'000, 100}; }},
      {"I02", false, [](auto& r) { r.facts.workers.queue_ns = 4'000'000; },
       [](auto& r) { r.facts.workers.queue_ns = 6'000'000; }},
      // A hundredth of the time lost, or told twice.
      {"I01", false, [](auto& r) { looped(r, 4'000'000); }, [](auto& r) { looped(r, 10'000'000); }},
      {"I01", false,
       [](auto& r) { looped(r, 104'000'000), r.facts.window.loop.core_wait_ns = 100'000'000; },
       [](auto& r) { looped(r, 110'000'000), r.facts.window.loop.core_wait_ns = 100'000'000; }},
      {"I01", true, [](auto& r) { looped(r, -4'000'000); },
       [](auto& r) { looped(r, -10'000'000); }},
      {"I02", false, [](auto& r) { each_worker(r, 4'000'000); },
       [](auto& r) { each_worker(r, 10'000'000); }},
      {"I02", false, [](auto& r) { each_worker(r, -4'000'000); },
       [](auto& r) { each_worker(r, -10'000'000); }},
      {"I03", false, [](auto& r) { queued(r, 2'000'000'000, 2'009'000'000); },
       [](auto& r) { queued(r, 2'000'000'000, 2'020'000'000); }},
      {"I03", false, [](auto& r) { queued(r, 10'000'000, 6'000'000); },
       [](auto& r) { queued(r, 10'000'000, 0); }},
      {"I03", false, [](auto& r) { queued(r, 2'000'000'000, 2'009'000'000), without_core(r, 0.5); },
       [](auto& r) { queued(r, 2'000'000'000, 2'011'000'000), without_core(r, 0.5); }},
      {"I04", true, [](auto& r) { given(r, 1000, 1000); }, [](auto& r) { given(r, 1000, 1001); }},
      {"I04", true,
       [](auto& r) { users_data(r), given(r, 1000, 990), r.facts.content.decode_errors = 1; },
       [](auto& r) { given(r, 990, 1000); }},
  };
}

// 16 batches at a time, 96 in a second, and `every` steps between two that have work behind them.
std::string lacking(std::int64_t every, std::int64_t log_every) {
  TrialRecord r = good_record();
  class_of(r, "normal", kSecond, 96), r.facts.window.burst = 16;
  r.trial.settings.set("trainer.postprocess.every", test::whole(every));
  r.trial.settings.set("trainer.log_every", test::whole(log_every));
  const auto fired = find_rule("R07")->check(r);
  return fired ? fired->text : "";
}

TEST_CASE("rules: R07 names the batches that hold whole bursts and periods, where a window may",
          "[unit][analysis]") {
  const std::string start = "96 batches in the window, and trainer.postprocess.every is ",
                    holds = ": it holds one such step or none";
  const std::string advice = "; set measure.window_batches to ";
  // Shorter periods are held first. 57,600 batches take the 10 min that a trial may.
  CHECK(lacking(150, 300) == start + "150" + holds + advice + "1200");
  CHECK(lacking(150, 7) == start + "150" + holds + advice + "8400");
  CHECK(lacking(57'584, 1) == start + "57584" + holds + advice + "57584");
  CHECK(lacking(57'616, 1) == start + "57616" + holds);
  CHECK(lacking(999'999'937, 1) == start + "999999937" + holds);
  CHECK(lacking(96, 97) == "");
}

TEST_CASE("rules: each passes what it must and fires at what it must", "[unit][analysis]") {
  for (const RuleCase& c : cases()) {
    INFO(c.id);
    REQUIRE(find_rule(c.id));
    TrialRecord good = good_record(), bad = good_record();
    c.passes(good);
    c.fires(bad);
    CHECK(judge(good).reasons.empty());
    CHECK(judge(good).status == Status::valid);
    const Judgement judgement = judge(bad);
    REQUIRE(judgement.reasons.size() == 1);
    CHECK(judgement.reasons[0].rule == c.id);
    CHECK(judgement.reasons[0].invalid == c.invalid);
    CHECK_FALSE(judgement.reasons[0].text.empty());
    CHECK(judgement.status == (c.invalid ? Status::invalid : Status::noisy));
  }
}

TEST_CASE("rules: times that do not fit 64 bits together are impossible", "[unit][analysis]") {
  constexpr std::int64_t huge = 9'000'000'000'000'000'000;
  const auto fired = [](const TrialRecord& r) {
    std::string ids;
    for (const Reason& reason : judge(r).reasons) ids += reason.rule + " ";
    return ids;
  };
  TrialRecord loop = good_record(), workers = good_record(), each = good_record();
  loop.facts.window.loop.get_ns = loop.facts.window.loop.step_ns = huge;
  CHECK(fired(loop) == "R18 ");
  workers.facts.workers.slot_wait_ns = workers.facts.workers.queue_ns = huge;
  CHECK(fired(workers) == "R18 ");
  constexpr std::int64_t wraps = 446'744'073'709'551'616;  // 2^64 - 2 huge
  each.facts.workers.each = {{huge, huge, wraps + each.facts.window.ns, 50}};
  CHECK(fired(each) == "I02 ");
}

TEST_CASE("rules: every rule of the table has its cases", "[unit][analysis]") {
  const auto all = cases();
  for (const Rule& rule : validity_rules()) {
    if (!rule.check) continue;  // of a point's trials together: window_rates_test.cpp
    INFO(rule.id);
    CHECK(std::any_of(all.begin(), all.end(), [&](const RuleCase& c) { return c.id == rule.id; }));
  }
}

TEST_CASE("rules: a record from before the new members were kept fires nothing",
          "[unit][analysis]") {
  const TrialRecord old = good_record();
  CHECK(old.facts.window.loop.step_ns == 0);
  CHECK(judge(old).status == Status::valid);
}

TEST_CASE(
    "rules: a loss of 1 % shows however short the steps are, since reading the clock takes none",
    "[unit][analysis]") {
  TrialRecord record = good_record();
  record.environment.clock_read_ns = 30;
  record.facts.window.steps = 200'000;  // of 5 us
  looped(record, 4'000'000);
  CHECK(judge(record).status == Status::valid);
  looped(record, 10'000'000);
  CHECK(judge(record).status == Status::noisy);
}

TEST_CASE("rules: threads that a quota stopped did not wait for other programs",
          "[unit][analysis]") {
  TrialRecord record = good_record();
  next_to_others(record, 1, 1, 0.5);
  CHECK(judge(record).reasons.at(0).rule == "R09");
  record.facts.cpu.throttled_s = 0.5;
  REQUIRE(judge(record).reasons.size() == 1);
  CHECK(judge(record).reasons[0].rule == "R08");
  // A quota that held them back for 1 us is not what they waited for.
  record.facts.cpu.throttled_s = 1e-6;
  REQUIRE(judge(record).reasons.size() == 2);
  CHECK(judge(record).reasons[1].rule == "R09");
}

TEST_CASE("rules: other programs are named with what they used and what it may have cost",
          "[unit][analysis]") {
  TrialRecord record = good_record();
  record.environment.cpus_usable = 2;
  // Five threads of ours and two loops have two sevenths of a core each.
  next_to_others(record, 4.0 / 7, 10.0 / 7, 5.0 / 7);
  // The ticks of a second leave 0.014 cores of theirs unsure: 0.557 of 1.986.
  CHECK(judge(record).reasons.at(0).text ==
        "other programs used 0.6 of 2 cores and a thread of the trial waited for one 71 % of the "
        "time: its rate may be 28.1 % too low (limit 3 %)");
  record.facts.cpu.run_delay_most_s.reset();
  CHECK(judge(record).reasons.at(0).text ==
        "other programs used 0.6 of 2 cores and next to none was left: its rate may be 28.1 % too "
        "low (limit 3 %)");
}

TEST_CASE("rules: virtual time passes no ceiling", "[unit][analysis]") {
  TrialRecord record = good_record();
  proven(record, 0), reads(record, "disk_read_cold", 1'000'000);
  CHECK(judge(record).status == Status::invalid);
  record.facts.simulated = true;
  CHECK(judge(record).status == Status::valid);
}

TEST_CASE("rules: a trend just beyond its limit does not read as the limit", "[unit][analysis]") {
  const auto text_of = [](double slope) {
    TrialRecord record = good_record();
    record.facts.window.slope_share = slope;
    return judge(record).reasons.at(0).text;
  };
  const std::string before = "step time has a trend of ",
                    after = " % of its mean across the window (limit 10 %)";
  CHECK(text_of(0.14) == before + "+14" + after);
  CHECK(text_of(-0.11) == before + "-11" + after);
  CHECK(text_of(0.103) == before + "+10.3" + after);
  CHECK(text_of(-0.1004) == before + "-10.04" + after);
}

TEST_CASE("rules: a judged record is judged the same again", "[unit][analysis]") {
  TrialRecord record = good_record();
  record.facts.window.slope_share = 0.5;
  record.reasons = {{"", false, "the executor's own doubt"}};
  const Judgement first = judge(record);
  record.reasons = first.reasons;
  record.status = first.status;
  const Judgement second = judge(record);
  CHECK(second.status == Status::noisy);
  CHECK(second.reasons.size() == 2);
}

TEST_CASE("rules: what did not run is not judged", "[unit][analysis]") {
  TrialRecord record = good_record();
  record.facts = {};
  record.status = Status::failed;
  record.reasons = {{"", true, "killed by signal 9"}};
  CHECK(judge(record).status == Status::failed);
  CHECK(judge(record).reasons.size() == 1);
}

TEST_CASE("rules: an error names the first file that could not be decoded", "[unit][analysis]") {
  TrialRecord record = good_record();
  record.facts.content.decode_errors = 1;
  record.facts.content.faults = {{7, FaultKind::warning, "odd.jpg", "extraneous bytes"},
                                 {9, FaultKind::decode_error, "bad.jpg", "not a JPEG file"}};
  CHECK(judge(record).reasons.at(0).text.find("bad.jpg: not a JPEG file") != std::string::npos);
}

}  // namespace rules_test
}  // namespace benchbench
