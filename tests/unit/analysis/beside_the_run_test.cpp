// What the findings hold beside the rates.
#include <catch2/catch.hpp>
#include <cmath>

#include <fmt/format.h>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/findings.h"
#include "harness/analysis/statistics/severity.h"
#include "harness/analysis/summary/beside_the_run.h"
#include "harness/analysis/summary/timelines.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace beside_test {

using test::good_facts;
using test::MadeRun;

constexpr std::int64_t kMs = 1'000'000;

void stage(Facts& f, Stage s, std::int64_t ns) {
  f.window.stages[static_cast<std::size_t>(s)] = {ns, f.window.steps};
}

double part(const std::vector<std::pair<std::string, double>>& parts, std::string_view name) {
  for (const auto& [known, value] : parts)
    if (known == name) return value;
  return -1;
}

// A second of 100 steps: 300 ms of waits, 500 of forward, 100 of backward, 60 of books, 30 of
// reports, and 10 of nothing.
Facts metered() {
  Facts f = good_facts(1000);
  f.window.get_blocked = {3e6, 3e6, 3e6, 3e6, 3e6, 100};
  stage(f, Stage::get_blocked, 300 * kMs);
  stage(f, Stage::forward, 500 * kMs);
  stage(f, Stage::backward, 100 * kMs);
  f.window.loop = {300 * kMs, 60 * kMs, 609 * kMs, 0, 30 * kMs};
  return f;
}

MadeRun pipeline(std::vector<Facts> rounds) {
  MadeRun run;
  const auto trial = run.trial(run.point({}, run.settings(2)), Mode::pipeline);
  for (std::uint32_t r = 0; r < rounds.size(); ++r) run.record(trial, r, std::move(rounds[r]));
  return run;
}

TEST_CASE("timelines: the host's parts and what is left add up to the step", "[unit][analysis]") {
  const MadeRun run = pipeline({metered(), metered()});
  const Findings f = analyse(run.plan, run.records);
  REQUIRE(f.timelines.size() == 2);
  const Timeline& host = f.timelines[0];
  CHECK(host.name == "host");
  CHECK(host.measured);
  CHECK(host.step_ms == Approx(10));
  CHECK(part(host.parts, "get_blocked") == Approx(3));
  CHECK(part(host.parts, "forward") == Approx(5));
  CHECK(part(host.parts, "books") == Approx(0.6));
  CHECK(part(host.parts, "core_wait") == -1);
  CHECK(part(host.parts, "report") == Approx(0.3));
  CHECK(host.residual_ms == Approx(0.1));
  CHECK(host.residual_share == Approx(0.01));
  CHECK(f.timelines[1].name == "device");
  CHECK_FALSE(f.timelines[1].measured);
}

TEST_CASE("timelines: waiting for a core is a part of its own, behind the wait for data",
          "[unit][analysis]") {
  Facts f = metered();
  f.window.loop.core_wait_ns = 10 * kMs, f.window.loop.step_ns -= 10 * kMs;
  const MadeRun run = pipeline({f, f});
  const Findings found = analyse(run.plan, run.records);
  const Timeline& host = found.timelines[0];
  REQUIRE(host.parts.size() > 1);
  CHECK(host.parts[1].first == "core_wait");
  CHECK(part(host.parts, "get_blocked") == Approx(3));
  CHECK(part(host.parts, "core_wait") == Approx(0.1));
  CHECK(host.residual_ms == Approx(0).margin(1e-9));
  REQUIRE(found.identity);
  CHECK(part(found.identity->parts, "core_wait") == Approx(0.1));
}

// 620 ms from first to last kernels of steps, 600 of them work; of the 380 between steps 50 with a
// copy and 250 without data.
TEST_CASE("timelines: a device with memory of its own has one of its own", "[unit][analysis]") {
  Facts f = metered();
  stage(f, Stage::enqueue, 200 * kMs);
  stage(f, Stage::h2d, 40 * kMs);
  f.window.loop = {};
  f.device = DeviceFacts{.steps = 100,
                         .copies = 100,
                         .copy_ns = 90 * kMs,
                         .copy_exposed_ns = 50 * kMs,
                         .idle_for_data_ns = 250 * kMs,
                         .span_ns = 620 * kMs,
                         .gaps_ns = 380 * kMs};
  const MadeRun run = pipeline({f, f});
  const auto lines = timelines_of(run.plan.points[0], JudgedTrials(run.plan, run.records));
  REQUIRE(lines.size() == 2);
  CHECK(part(lines[0].parts, "forward") == -1);
  CHECK(part(lines[0].parts, "h2d") == Approx(0.4));
  CHECK(lines[0].residual_ms == Approx(4.6));
  CHECK(lines[1].measured);
  for (const auto& [name, ms] : {std::pair("forward", 5.0),
                                 {"backward", 1.0},
                                 {"copy_exposed", 0.5},
                                 {"idle_for_data", 2.5},
                                 {"idle_other", 1.0}}) {
    INFO(name);
    CHECK(part(lines[1].parts, name) == Approx(ms));
  }
  CHECK(lines[1].residual_ms == Approx(0).margin(1e-9));
  const Findings found = analyse(run.plan, run.records);
  REQUIRE(found.identity);
  CHECK(part(found.identity->device_parts, "idle_other") == Approx(1));
  REQUIRE(found.points[0].exposed_wait_ms);
  CHECK(found.points[0].exposed_wait_ms->value == Approx(3));
}

TEST_CASE("timelines: workers' stages are work of all of them, and what they waited",
          "[unit][analysis]") {
  Facts f = good_facts(1000);
  f.workers.count = 2;
  f.workers.wall_ns = 2000 * kMs;
  f.workers.fill_ns = 1500 * kMs, f.workers.slot_wait_ns = 490 * kMs, f.workers.queue_ns = 10 * kMs;
  stage(f, Stage::read, 400 * kMs);
  stage(f, Stage::decode, 1000 * kMs);
  const MadeRun run = pipeline({f});
  const auto work = analyse(run.plan, run.records).loader_work;
  REQUIRE(work);
  CHECK(work->workers == 2);
  CHECK(part(work->parts, "decode") == Approx(10));
  CHECK(part(work->parts, "slot_wait") == Approx(4.9));
  CHECK(work->residual_ms == Approx(1));
}

TEST_CASE("stalls: told with their share, cause and period, and warned of", "[unit][analysis]") {
  const auto stalled = [](double period) {
    Facts f = good_facts(1000);
    f.window.stalls = {
        2,
        100 * kMs,
        period,
        {{0, 70 * kMs, 25, StallCause::checkpoint}, {0, 30 * kMs, 50, StallCause::get_blocked}}};
    return f;
  };
  MadeRun run = pipeline({stalled(25), stalled(25), stalled(0)});
  const Findings f = analyse(run.plan, run.records);
  REQUIRE(f.points[0].stalls);
  CHECK(f.points[0].stalls->count == 6);
  CHECK(f.points[0].stalls->steps == 300);
  CHECK(f.points[0].stalls->share == Approx(0.1));
  CHECK(f.points[0].stalls->cause == StallCause::checkpoint);
  CHECK(f.points[0].stalls->period_steps == 25);
  REQUIRE(f.warnings.stalls);
  CHECK(f.warnings.stalls->point == 0);
  CHECK(f.warnings.stalls->points == 1);
  for (TrialRecord& r : run.records) r.facts.window.stalls.period_steps = 0;
  CHECK_FALSE(analyse(run.plan, run.records).warnings.stalls);
}

TEST_CASE("stalls: steps that nobody looked at have none", "[unit][analysis]") {
  const MadeRun run = pipeline({good_facts(1000)});
  CHECK_FALSE(analyse(run.plan, run.records).points[0].stalls);
  Facts looked = good_facts(1000);
  looked.window.step_bins = {{1000, 100}};
  const MadeRun quiet = pipeline({looked});
  CHECK(analyse(quiet.plan, quiet.records).points[0].stalls->count == 0);
}

TEST_CASE("probes: rounds together, by their samples", "[unit][analysis]") {
  Facts one = good_facts(1000), two = one;
  one.probes = {{"steal", "cores", ProbeState::measured, "", 1, 0.5, 2, 10, 0},
                {"throttled", "share", ProbeState::not_available, "no cgroup"}};
  two.probes = {{"steal", "cores", ProbeState::measured, "", 4, 3, 6, 30, 1},
                {"throttled", "share", ProbeState::not_available, "no cgroup"}};
  const MadeRun run = pipeline({one, two});
  const auto probes = analyse(run.plan, run.records).probes;
  REQUIRE(probes.size() == 2);
  CHECK(probes[0].mean == Approx(3.25));
  CHECK(probes[0].min == 0.5);
  CHECK(probes[0].max == 6);
  CHECK(probes[0].samples == 40);
  CHECK(probes[0].lost == 1);
  CHECK(probes[1].state == ProbeState::not_available);
  CHECK(probes[1].why == "no cgroup");
}

TEST_CASE("cores: rounds together, by their windows", "[unit][analysis]") {
  Facts one = good_facts(1000), two = good_facts(3000);
  two.window.ns = 3 * test::kSecond;
  two.workers.wall_ns = two.workers.fill_ns = two.window.ns;
  one.cpu.user_s = 0.5, one.cpu.system_s = 0.5, one.cpu.others_s = 1;
  two.cpu.user_s = 3, two.cpu.system_s = 2.4, two.cpu.others_s = 0.6;
  one.cpu.run_delay_most_s = 0, two.cpu.run_delay_most_s = 0.06;
  MadeRun run = pipeline({one, two});
  const auto cores = analyse(run.plan, run.records).cores;
  REQUIRE(cores);
  CHECK(cores->ours == Approx(1.6));    // 6.4 s in 4
  CHECK(cores->others == Approx(0.4));  // 1.6 s
  CHECK(cores->cpus == 2);
  CHECK(cores->most == Approx(1));
  CHECK(cores->no_core_share.value() == Approx(0.015));
  // The kernel did not say it of the first second.
  run.records[0].facts.cpu.run_delay_most_s.reset();
  CHECK(analyse(run.plan, run.records).cores->no_core_share.value() == Approx(0.02));
  const MadeRun unknown = pipeline({good_facts(1000)});
  CHECK_FALSE(analyse(unknown.plan, unknown.records).cores);
}

TEST_CASE("interference: the trainer beside a loader against itself alone, within rounds",
          "[unit][analysis]") {
  MadeRun run;
  const auto point = run.point({}, run.settings(2));
  const auto trainer = run.trial(point, Mode::trainer);
  const auto beside = run.trial(point, Mode::trainer);
  run.plan.points[point].trials.pop_back();
  run.plan.points[point].ablations.emplace_back(Ablation{AblationKind::interference, {}}, beside);
  run.plan.trials[beside].ablation = {AblationKind::interference, {}};
  run.rates(trainer, {1000, 2000});
  for (std::uint32_t r = 0; r < 2; ++r) {
    Facts f = good_facts(r == 0 ? 800 : 1600);  // four fifths in both, whatever the machine's speed
    f.background_rate = 3000;
    run.record(beside, r, f);
  }
  const auto found = analyse(run.plan, run.records).interference;
  REQUIRE(found);
  CHECK(found->ratio->value == Approx(0.8));
  CHECK(found->ratio->low == Approx(0.8));
  CHECK(found->loader_rate->value == Approx(3000));
  run.plan.points[point].ablations.clear();
  CHECK_FALSE(analyse(run.plan, run.records).interference);
}

TEST_CASE("batch on the device: the trainer without copies against itself with them, within rounds",
          "[unit][analysis]") {
  MadeRun run;
  const auto point = run.point({}, run.settings(2));
  const auto trainer = run.trial(point, Mode::trainer), resident = run.trial(point, Mode::trainer);
  run.plan.points[point].trials.pop_back();
  run.plan.points[point].ablations.emplace_back(Ablation{AblationKind::batch_on_device, {}},
                                                resident);
  run.plan.trials[resident].ablation = {AblationKind::batch_on_device, {}};
  run.rates(trainer, {1000, 2000});
  run.rates(resident, {1250, 2500});
  const auto found = analyse(run.plan, run.records).batch_on_device;
  REQUIRE(found);
  CHECK(found->ratio->value == Approx(1.25));
  CHECK(found->rate->value == Approx(std::sqrt(1250.0 * 2500)));
  CHECK_FALSE(analyse(run.plan, run.records).interference);
  // It takes nothing of the pipeline apart.
  CHECK_FALSE(analyse(run.plan, run.records).substitutions);
  run.plan.points[point].ablations.clear();
  CHECK_FALSE(analyse(run.plan, run.records).batch_on_device);
}

Facts on_gpu(const char* uuid = "a-b") {
  Facts f = good_facts(1000);
  f.gpu = GpuFacts{.name = "cuda:0", .model = "H100", .uuid = uuid};
  f.gpu->throttled = "none", f.gpu->foreign = 0, f.gpu->uncorrected = 0, f.gpu->divided = true;
  return f;
}

TEST_CASE("gpu: known is what each usable record says", "[unit][analysis]") {
  // Of two rounds, the second of which does not say one thing.
  const auto without = [](auto forget) {
    Facts second = on_gpu();
    forget(*second.gpu);
    const MadeRun run = pipeline({on_gpu(), second});
    return *analyse(run.plan, run.records).gpu;
  };
  const auto text = [](const GpuSeen& g) {
    return fmt::format("{}{}{}{}", g.users_known ? "users " : "", g.slowing_known ? "slowing " : "",
                       g.errors_known ? "errors " : "", g.divided ? "divided" : "");
  };
  const GpuSeen known = without([](GpuFacts&) {});
  CHECK(known.name + known.model + known.uuid == "cuda:0H100a-b");
  CHECK(known.divided == true);
  CHECK(text(known) == "users slowing errors divided");
  CHECK(text(without([](GpuFacts& g) { g.foreign.reset(); })) == "slowing errors divided");
  CHECK(text(without([](GpuFacts& g) { g.throttled.reset(); })) == "users errors divided");
  CHECK(text(without([](GpuFacts& g) { g.uncorrected.reset(); })) == "users slowing divided");
  CHECK(text(without([](GpuFacts& g) { g.divided.reset(); })) == "users slowing errors ");
  CHECK(without([](GpuFacts& g) { g.absent = "no NVML"; }).absent == "no NVML");
}

TEST_CASE("gpu: what the card did, the mean over the rounds of the pipeline", "[unit][analysis]") {
  const auto round = [](double capped, double hertz, double joules) {
    Facts f = on_gpu();
    f.gpu->power_capped_share = capped, f.gpu->power_limit_watts = 700;
    f.gpu->joules = joules * static_cast<double>(f.window.samples);
    f.gpu->pcie_generation = 5, f.gpu->pcie_width = 16;
    for (const auto& [name, mean] : {std::pair{"gpu_busy", 0.97}, std::pair{"gpu_clock", hertz}}) {
      ProbeFacts probe;
      probe.name = name, probe.mean = mean, probe.samples = 100;
      f.probes.push_back(probe);
    }
    return f;
  };
  MadeRun run = pipeline({round(0.2, 1.7e9, 0.1), round(0.4, 1.72e9, 0.2)});
  for (TrialRecord& record : run.records)
    record.environment.gpu_of_ceilings = "a-b",
    record.environment.ceilings = {{"gpu_clock", 1.8e9}};
  const GpuSeen seen = *analyse(run.plan, run.records).gpu;
  CHECK(*seen.power_capped_share == Approx(0.3));
  CHECK(*seen.clock_hertz == Approx(1.71e9));
  CHECK(*seen.clock_share == Approx(0.95));
  CHECK(*seen.joules_per_sample == Approx(0.15));
  CHECK(*seen.power_limit_watts == Approx(700));
  CHECK(seen.pcie_generation == 5u);
  CHECK(seen.pcie_width == 16u);
  for (TrialRecord& record : run.records) record.environment.gpu_of_ceilings = "c-d";
  CHECK_FALSE(analyse(run.plan, run.records).gpu->clock_share);
}

TEST_CASE("gpu: a clock more than 3 % below the trial's other rounds makes a round NOISY",
          "[unit][analysis]") {
  const auto noisy = [](const std::vector<double>& megahertz, double busy = 0.97) {
    std::vector<Facts> rounds;
    for (const double mhz : megahertz) {
      Facts f = on_gpu();
      for (const auto& [name, mean] :
           {std::pair{"gpu_busy", busy}, std::pair{"gpu_clock", mhz * 1e6}}) {
        ProbeFacts probe;
        probe.name = name, probe.mean = mean, probe.samples = 100;
        f.probes.push_back(probe);
      }
      rounds.push_back(std::move(f));
    }
    const MadeRun run = pipeline(rounds);
    const JudgedTrials trials(run.plan, run.records);
    std::string text;
    for (const JudgedRecord& judged : trials.all())
      text += std::ranges::find(judged.reasons, "R10", &Reason::rule) == judged.reasons.end() ? "-"
              : judged.status == Status::noisy                                                ? "N"
                                                                                              : "?";
    return text;
  };
  CHECK(noisy({1400, 1420, 1380}) == "---");  // held down alike, whatever machine.yaml has
  CHECK(noisy({1980, 1400, 1970}) == "-N-");
  CHECK(noisy({1400, 1980, 1410}) == "---");  // the fast one was not slowed down
  CHECK(noisy({1700, 1760}) == "N-");
  CHECK(noisy({1700, 1740}) == "--");
  CHECK(noisy({1700}) == "-");
  CHECK(noisy({1980, 1400, 1970}, 0.8) == "---");  // an idle one is slow
}

TEST_CASE("gpu: of steps, on a device with a UUID", "[unit][analysis]") {
  const auto seen = [](Facts facts, Mode mode = Mode::pipeline) {
    MadeRun run;
    run.record(run.trial(run.point({}, run.settings(2)), mode), 0, std::move(facts));
    return analyse(run.plan, run.records).gpu.has_value();
  };
  CHECK(seen(on_gpu()));
  CHECK(seen(on_gpu(), Mode::trainer));
  CHECK_FALSE(seen(on_gpu(), Mode::loader));
  CHECK_FALSE(seen(good_facts(1000)));
  CHECK_FALSE(seen(on_gpu("")));  // emulated
}

TEST_CASE("points: cache degree, class and observer cost of their pipeline", "[unit][analysis]") {
  Facts one = good_facts(1000), two = one;
  one.cache.state = CacheState::parse("cold(data)").value();
  one.window.steadiness = SteadinessKind::steady, two.window.steadiness = SteadinessKind::periodic;
  two.instrument.overhead_share = 0.004;
  const MadeRun run = pipeline({one, two});
  const PointFindings p = analyse(run.plan, run.records).points[0];
  CHECK(p.cache_state.text() == "cold(data)");
  CHECK(p.steadiness == SteadinessKind::periodic);
  CHECK(p.overhead_share == 0.004);
}

TEST_CASE("warnings: what a trial could not do as asked is told once", "[unit][analysis]") {
  MadeRun run = pipeline({good_facts(1000), good_facts(1000)});
  for (TrialRecord& r : run.records) r.facts.notices = {"eviction was refused: the file is mapped"};
  const auto notices = analyse(run.plan, run.records).warnings.notices;
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].text == "eviction was refused: the file is mapped");
  CHECK(notices[0].trials == std::vector{0u});
  CHECK_FALSE(notices[0].all);
}

TEST_CASE("severity: by the share of the step", "[unit][analysis]") {
  CHECK(severity_of(0.019) == Severity::none);
  CHECK(severity_of(0.02) == Severity::minor);
  CHECK(severity_of(0.05) == Severity::moderate);
  CHECK(severity_of(0.10) == Severity::high);
  CHECK(severity_of(0.20) == Severity::high);
  CHECK(severity_of(0.201) == Severity::critical);
}

}  // namespace beside_test
}  // namespace benchbench
