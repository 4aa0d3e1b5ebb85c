// Each alarm: a run that must raise it, one that must not, and one that did not measure it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "harness/analysis/alarms/alarm.h"
#include "harness/analysis/alarms/pooled_slope.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace alarms_test {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

ProbeFacts probe(std::string name, std::string unit, double mean, double most) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .state = ProbeState::measured,
          .why = "",
          .mean = mean,
          .min = 0,
          .max = most,
          .samples = 10,
          .lost = 0};
}

Alarm alarm_in(const test::MadeRun& run, AlarmKind kind) {
  const JudgedTrials trials(run.plan, run.records);
  const auto all = alarms_of(run.plan, trials);
  return *std::ranges::find(all, kind, &Alarm::kind);
}

// A run of one point whose pipeline has two rounds made by `change` from good facts.
test::MadeRun with(const std::function<void(TrialRecord&)>& change, Mode mode = Mode::pipeline) {
  test::MadeRun run;
  const auto trial = run.trial(run.point({}, run.settings(2)), mode);
  for (const std::uint32_t round : {0u, 1u}) {
    TrialRecord& record = run.record(trial, round, test::good_facts(1000));
    record.environment.memory_bytes = record.environment.host_memory_bytes = 10 * kGiB;
    change(record);
  }
  return run;
}

void check(const test::MadeRun& run, AlarmKind kind, AlarmState state,
           std::optional<double> value = {}) {
  const Alarm alarm = alarm_in(run, kind);
  CAPTURE(name_of(kind), alarm.why);
  CHECK(name_of(alarm.state) == name_of(state));
  CHECK(alarm.worst.has_value() == value.has_value());
  if (alarm.worst && value) CHECK(alarm.worst->value == Approx(*value));
  CHECK(alarm.why.empty() == (state != AlarmState::not_measured));
}

void waits(TrialRecord& r, double share) {
  auto& blocked = r.facts.window.stages[static_cast<std::size_t>(Stage::get_blocked)];
  blocked = {static_cast<std::int64_t>(share * static_cast<double>(r.facts.window.ns)),
             r.facts.window.steps};
  r.facts.window.get_blocked.n = r.facts.window.steps;
  r.facts.window.loop.get_ns = blocked.ns;
}

TEST_CASE("alarms: of a run that measured nothing beside its rates none is called not raised",
          "[unit][analysis]") {
  const test::MadeRun run = with([](TrialRecord&) {});
  for (const AlarmRow& row : alarm_rows()) check(run, row.kind, AlarmState::not_measured);
  for (const AlarmRow& row : alarm_rows())
    check(test::MadeRun{}, row.kind, AlarmState::not_measured);
}

TEST_CASE("alarms: memory of the host, and of the cgroup where that has a limit",
          "[unit][analysis]") {
  const auto host = [](double gib) {
    return with([=](TrialRecord& r) {
      r.facts.probes = {probe("host_memory", "bytes", kGiB, gib * kGiB)};
    });
  };
  check(host(9.5), AlarmKind::memory, AlarmState::raised, 0.95);
  check(host(8.5), AlarmKind::memory, AlarmState::not_raised, 0.85);
  const auto group = [](double gib, std::uint64_t limit) {
    return with([=](TrialRecord& r) {
      r.environment.memory_bytes = limit;
      r.facts.probes = {probe("host_memory", "bytes", kGiB, 5 * kGiB),
                        probe("group_memory_used", "bytes", kGiB, gib * kGiB)};
    });
  };
  check(group(1.9, 2 * kGiB), AlarmKind::memory, AlarmState::raised, 0.95);
  CHECK(alarm_in(group(1.9, 2 * kGiB), AlarmKind::memory).worst->whose == "cgroup");
  // The group has no limit of its own, so what it uses is no share of one.
  check(group(9.5, 10 * kGiB), AlarmKind::memory, AlarmState::not_raised, 0.5);
}

TEST_CASE("alarms: cores count only while the trainer waits, and never in virtual time",
          "[unit][analysis]") {
  const auto busy = [](double cores, double waited, bool simulated = false) {
    return with([=](TrialRecord& r) {
      r.facts.cpu.user_s = cores * static_cast<double>(r.facts.window.ns) * 1e-9;
      r.facts.cpu.system_s = 0;
      r.facts.simulated = simulated;
      waits(r, waited);
    });
  };
  check(busy(1.96, 0.3), AlarmKind::cores, AlarmState::raised, 0.98);
  check(busy(1.5, 0.3), AlarmKind::cores, AlarmState::not_raised, 0.75);
  check(busy(1.96, 0.001), AlarmKind::cores, AlarmState::not_raised);
  check(busy(1.96, 0.3, true), AlarmKind::cores, AlarmState::not_measured);
  check(with([](TrialRecord& r) {
          r.facts.cpu.user_s = 1.96 * static_cast<double>(r.facts.window.ns) * 1e-9;
          r.facts.cpu.system_s = 0;
          waits(r, 0.001);
          r.facts.window.loop.core_wait_ns = r.facts.window.ns / 5;
        }),
        AlarmKind::cores, AlarmState::raised, 0.98);
}

TEST_CASE("alarms: throttled, exposed wait", "[unit][analysis]") {
  const auto throttled = [](double share) {
    return with(
        [=](TrialRecord& r) { r.facts.probes = {probe("throttled", "share", share, share)}; });
  };
  check(throttled(0.02), AlarmKind::throttled, AlarmState::raised, 0.02);
  check(throttled(0.005), AlarmKind::throttled, AlarmState::not_raised, 0.005);
  const auto waiting = [](double share) { return with([=](TrialRecord& r) { waits(r, share); }); };
  check(waiting(0.2), AlarmKind::exposed_wait, AlarmState::raised, 0.2);
  check(waiting(0.05), AlarmKind::exposed_wait, AlarmState::not_raised, 0.05);
  // Its batches were there.
  check(with([](TrialRecord& r) {
          waits(r, 0);
          r.facts.window.loop.core_wait_ns = r.facts.window.ns * 27 / 100;
        }),
        AlarmKind::exposed_wait, AlarmState::not_raised, 0);
}

TEST_CASE("alarms: a device that is idle, and its memory that is full", "[unit][analysis]") {
  const auto idle = [](double share, const char* name) {
    return with([=](TrialRecord& r) {
      r.facts.device = DeviceFacts{.name = name};
      r.facts.device->gaps_ns =
          static_cast<std::int64_t>(share * static_cast<double>(r.facts.window.ns));
    });
  };
  check(idle(0.2, "cuda:0"), AlarmKind::device_idle, AlarmState::raised, 0.2);
  check(idle(0.2, "emulated"), AlarmKind::device_idle, AlarmState::raised, 0.2);
  check(idle(0.05, "cuda:0"), AlarmKind::device_idle, AlarmState::not_raised, 0.05);
  check(with([](TrialRecord&) {}), AlarmKind::device_idle, AlarmState::not_measured);
  const auto of_trainer = [](const char* use) {
    return with([=](TrialRecord& r) {
      r.facts.device = DeviceFacts{.name = "emulated"};
      r.facts.device->gaps_ns = r.facts.window.ns;
      r.trial.settings.set("trainer.use", test::words(use));
    });
  };
  check(of_trainer("timed"), AlarmKind::device_idle, AlarmState::raised, 1);
  check(of_trainer("discard"), AlarmKind::device_idle, AlarmState::not_measured);
  // Kernels of 70 % of the window: what is between those of a step is idle too.
  const auto launching = [](double work) {
    return with([=](TrialRecord& r) {
      const auto of = [&](double share) {
        return static_cast<std::int64_t>(share * static_cast<double>(r.facts.window.ns));
      };
      r.facts.device = DeviceFacts{.name = "emulated"};
      r.facts.device->span_ns = of(0.97), r.facts.device->gaps_ns = of(0.03);
      r.facts.window.stages[static_cast<std::size_t>(Stage::forward)] = {of(work), 100};
    });
  };
  check(launching(0.7), AlarmKind::device_idle, AlarmState::raised, 0.3);
  check(launching(0.95), AlarmKind::device_idle, AlarmState::not_raised, 0.05);
  const auto full = [](double used, double total, const char* name, bool probed = true) {
    return with([=](TrialRecord& r) {
      r.facts.device = DeviceFacts{.name = name};
      r.facts.gpu.emplace();
      if (total > 0) r.facts.gpu->memory_bytes = static_cast<std::uint64_t>(total);
      if (probed) r.facts.probes = {probe("gpu_memory", "bytes", used / 2, used)};
    });
  };
  check(full(97, 100, "cuda:0"), AlarmKind::device_memory, AlarmState::raised, 0.97);
  check(full(90, 100, "cuda:0"), AlarmKind::device_memory, AlarmState::not_raised, 0.9);
  check(full(97, 0, "cuda:0"), AlarmKind::device_memory, AlarmState::not_measured);
  check(full(97, 100, "emulated"), AlarmKind::device_memory, AlarmState::not_measured);
  check(full(97, 100, "cuda:0", false), AlarmKind::device_memory, AlarmState::not_measured);
}

TEST_CASE("alarms: what the trial writes to the disk of the data, of all its bytes",
          "[unit][analysis]") {
  const auto writing = [](double ours, std::uint64_t checkpoints = 0) {
    return with([=](TrialRecord& r) {
      r.facts.bytes.logged = static_cast<std::uint64_t>(ours) - checkpoints;
      r.facts.bytes.written_there = 10'000'000;
      // For a window of 1 s.
      r.facts.probes = {probe("device_read", "bytes/s", 90'000'000, 90'000'000),
                        probe("bytes_written", "bytes/s", ours, ours)};
    });
  };
  check(writing(8'000'000), AlarmKind::other_writes, AlarmState::raised, 0.08);
  check(writing(3'000'000), AlarmKind::other_writes, AlarmState::not_raised, 0.03);
  check(writing(1000), AlarmKind::other_writes, AlarmState::not_raised);
  check(writing(8'000'000, 8'000'000), AlarmKind::other_writes, AlarmState::raised, 0.08);
  test::MadeRun unseen = writing(8'000'000);
  for (TrialRecord& r : unseen.records) r.facts.probes.pop_back();
  check(unseen, AlarmKind::other_writes, AlarmState::not_measured);
  test::MadeRun elsewhere = writing(8'000'000);
  for (TrialRecord& r : elsewhere.records)
    r.trial.settings.set("trainer.checkpoint.path", test::words("/mnt/other"));
  check(elsewhere, AlarmKind::other_writes, AlarmState::not_measured);
}

TEST_CASE("alarms: a link over its measured ceiling", "[unit][analysis]") {
  struct Link {
    AlarmKind kind;
    const char *probe, *ceiling;
  };
  for (const Link link : {Link{AlarmKind::disk, "device_read", "disk_read_cold"},
                          Link{AlarmKind::network, "network_received", "network"}}) {
    const auto at = [&](double rate, double ceiling) {
      return with([=](TrialRecord& r) {
        r.facts.probes = {probe(link.probe, "bytes/s", rate, rate)};
        if (ceiling > 0) r.environment.ceilings = {{link.ceiling, ceiling}};
      });
    };
    check(at(95e6, 100e6), link.kind, AlarmState::raised, 0.95);
    check(at(80e6, 100e6), link.kind, AlarmState::not_raised, 0.8);
    check(at(95e6, 0), link.kind, AlarmState::not_measured);
  }
}

// Four rounds a minute apart of two trials: a figure that grows by `growth` a round, and differs
// between the trials.
test::MadeRun growing(double growth, double seconds_apart, double noise = 0) {
  test::MadeRun run;
  for (const int workers : {2, 4}) {
    const auto trial = run.trial(
        run.point({{"loader.num_workers", std::to_string(workers)}}, run.settings(workers)),
        Mode::loader);
    for (std::uint32_t round = 0; round < 4; ++round) {
      const double factor =
          workers * std::pow(1 + growth, round) * (1 + (round % 2 ? noise : -noise));
      TrialRecord& r = run.record(trial, round, test::good_facts(1e6 / factor));
      r.facts.probes = {probe("memory", "bytes", 1e9 * factor, 1e9 * factor)};
      const auto second = static_cast<int>(round * seconds_apart);
      r.started_at = "2026-11-21T10:" + std::to_string(10 + second / 60) + ":" +
                     std::to_string(10 + second % 60) + "Z";
    }
  }
  return run;
}

TEST_CASE("alarms: memory that grows from round to round", "[unit][analysis]") {
  check(growing(0.02, 60), AlarmKind::memory_growth, AlarmState::raised, 0.02);
  check(growing(0.02, 40), AlarmKind::memory_growth, AlarmState::raised, std::pow(1.02, 1.5) - 1);
  check(growing(0.005, 60), AlarmKind::memory_growth, AlarmState::not_raised, 0.005);
  // The growth is not clear of 0.
  check(growing(0.02, 60, 0.2), AlarmKind::memory_growth, AlarmState::not_raised);
  check(growing(-0.02, 60), AlarmKind::memory_growth, AlarmState::not_raised);
  // Half a minute in all is too short.
  check(growing(0.02, 10), AlarmKind::memory_growth, AlarmState::not_measured);
}

TEST_CASE("alarms: memory of the machine grows by what others take too, and raises nothing",
          "[unit][analysis]") {
  test::MadeRun run = growing(0.02, 60);
  for (TrialRecord& r : run.records) r.facts.probes.front().name = "host_memory";
  check(run, AlarmKind::memory_growth, AlarmState::not_measured);
  CHECK(alarm_in(run, AlarmKind::memory_growth).why == "the probes of memory were not sampled");
  for (TrialRecord& r : run.records)
    r.facts.probes.push_back(
        {"group_memory_used", "bytes", ProbeState::not_available, "it is the root cgroup"});
  check(run, AlarmKind::memory_growth, AlarmState::not_measured);
  CHECK(alarm_in(run, AlarmKind::memory_growth).why ==
        "probe group_memory_used: it is the root cgroup");
  // The cgroup's memory is of this run.
  run = growing(0.02, 60);
  for (TrialRecord& r : run.records) r.facts.probes.front().name = "group_memory_used";
  check(run, AlarmKind::memory_growth, AlarmState::raised, 0.02);
}

TEST_CASE("alarms: a loader that slows down from the first round to the last", "[unit][analysis]") {
  check(growing(0.03, 60), AlarmKind::loader_growth, AlarmState::raised, std::pow(1.03, 3) - 1);
  check(growing(0.01, 60), AlarmKind::loader_growth, AlarmState::not_raised, std::pow(1.01, 3) - 1);
  check(growing(0.03, 60, 0.3), AlarmKind::loader_growth, AlarmState::not_raised);
  test::MadeRun one_round = growing(0.03, 60);
  std::erase_if(one_round.records, [](const TrialRecord& r) { return r.planned.round > 0; });
  check(one_round, AlarmKind::loader_growth, AlarmState::not_measured);
}

TEST_CASE("alarms: a growth whose interval holds the limit raises nothing", "[unit][analysis]") {
  // By the slope 8.7 % from the first round to the last, by its interval 2.9 % at least.
  const test::MadeRun run = growing(0.02, 60, 0.02);
  const Alarm loader = alarm_in(run, AlarmKind::loader_growth);
  CHECK(loader.state == AlarmState::not_raised);
  REQUIRE(loader.worst);
  CHECK(loader.worst->value > loader.limit);
  CHECK(alarm_in(run, AlarmKind::memory_growth).state == AlarmState::not_raised);
}

// Both trials of rounds from `first` on ran while other programs kept `cores` busy.
test::MadeRun loaded(double growth, std::uint32_t first, double cores) {
  test::MadeRun run = growing(growth, 60);
  for (TrialRecord& r : run.records)
    if (r.planned.round >= first)
      r.facts.cpu.others_s = cores * static_cast<double>(r.facts.window.ns) * 1e-9;
  return run;
}

TEST_CASE("alarms: a loader that is slower while other programs run has not grown slower",
          "[unit][analysis]") {
  check(loaded(0.08, 2, 0.1), AlarmKind::loader_growth, AlarmState::raised, std::pow(1.08, 3) - 1);
  // Two rounds of each trial are left.
  CHECK(alarm_in(loaded(0.08, 2, 1.5), AlarmKind::loader_growth).worst->value ==
        Approx(0.08).epsilon(1e-3));
  check(loaded(0.08, 1, 1.5), AlarmKind::loader_growth, AlarmState::not_measured);
  CHECK(
      alarm_in(loaded(0.08, 1, 1.5), AlarmKind::loader_growth).why ==
      "too few rounds to tell a trend without those that are NOISY or in which other programs ran");
  test::MadeRun noisy = growing(0.08, 60);
  for (TrialRecord& r : noisy.records)
    if (r.planned.round > 0) r.facts.cpu.steal_share = 0.2;
  check(noisy, AlarmKind::loader_growth, AlarmState::not_measured);
}

TEST_CASE("alarms: the worst point is told, and all where it is raised", "[unit][analysis]") {
  test::MadeRun run;
  for (const double share : {0.2, 0.05, 0.3}) {
    const auto p = run.point({{"loader.num_workers", std::to_string(share)}}, run.settings(2));
    waits(run.record(run.trial(p, Mode::pipeline), 0, test::good_facts(1000)), share);
  }
  const Alarm alarm = alarm_in(run, AlarmKind::exposed_wait);
  CHECK(alarm.points == std::vector<std::uint32_t>{0, 2});
  CHECK(alarm.worst->point == 2u);
}

TEST_CASE("alarms: measure.alarms changes a limit, a record that is INVALID raises nothing",
          "[unit][analysis]") {
  test::MadeRun run = with([](TrialRecord& r) { waits(r, 0.2); });
  run.plan.scenario.base.set("measure.alarms.exposed_wait", {ParameterType::real, 0.5});
  check(run, AlarmKind::exposed_wait, AlarmState::not_raised, 0.2);
  CHECK(alarm_in(run, AlarmKind::exposed_wait).limit == 0.5);
  for (TrialRecord& r : run.records) r.facts.accounting.missing = 3;
  check(run, AlarmKind::exposed_wait, AlarmState::not_measured);
}

TEST_CASE("pooled slope: through groups of their own levels, with a t interval",
          "[unit][analysis]") {
  const std::vector<PointsOfGroup> exact{{{0, 1}, {1, 3}}, {{0, 100}, {2, 104}}};
  REQUIRE(pooled_slope(exact));
  CHECK(pooled_slope(exact)->value == Approx(2));
  CHECK(pooled_slope(exact)->low == Approx(2));
  // By hand: sxx 2, sxy 2, residuals 1, -2, 1 halved; s^2 = 1.5, se = sqrt(0.75), t(1) = 12.706.
  const std::vector<PointsOfGroup> noisy{{{0, 0.5}, {1, 0}, {2, 2.5}}};
  CHECK(pooled_slope(noisy)->value == Approx(1));
  CHECK(pooled_slope(noisy)->low == Approx(1 - 12.7062 * std::sqrt(0.75)).epsilon(1e-4));
  // Nothing is left for an interval.
  CHECK_FALSE(pooled_slope(std::vector<PointsOfGroup>{{{0, 1}, {1, 2}}}));
  CHECK_FALSE(pooled_slope(std::vector<PointsOfGroup>{{{1, 1}, {1, 2}, {1, 3}}}));  // one x
  CHECK_FALSE(pooled_slope({}));
}

}  // namespace alarms_test
}  // namespace benchbench
