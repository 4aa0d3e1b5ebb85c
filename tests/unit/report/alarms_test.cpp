// What is said of alarms, in each format and by describe.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/record/keys.h"
#include "harness/report/describe/describe.h"
#include "harness/report/text/formats.h"
#include "harness/report/words/alarm_words.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace alarms_report_test {

using Catch::Contains;

// Two points; the trainer of the second waits 34 % of the time.
test::MadeRun waiting_run() {
  test::MadeRun run;
  for (const double share : {0.02, 0.34}) {
    const auto p = run.point(
        share > 0.1 ? std::vector<std::pair<std::string, std::string>>{{"loader.num_workers", "0"}}
                    : std::vector<std::pair<std::string, std::string>>{},
        run.settings(2));
    Facts f = test::good_facts(1000);
    f.window.stages[static_cast<std::size_t>(Stage::get_blocked)] = {
        static_cast<std::int64_t>(share * static_cast<double>(f.window.ns)), f.window.steps};
    f.window.loop.get_ns = f.window.stages[static_cast<std::size_t>(Stage::get_blocked)].ns;
    f.window.get_blocked.n = f.window.steps;
    run.record(run.trial(p, Mode::pipeline), 0, f);
  }
  return run;
}

std::string in_format(const test::MadeRun& run, std::string_view format,
                      TerminalStyle style = {false, 200}) {
  const Findings findings = analyse(run.plan, run.records);
  std::ostringstream out;
  find_report_format(format)->write(out, {findings, run.plan, run.records, "", style});
  return out.str();
}

constexpr const char* kRaised =
    "exposed_wait: the trainer waited for batches "
    "34 % of the time (limit 10 %), with num_workers=0";

TEST_CASE("alarms: each format tells one that is raised, with its figures", "[unit][report]") {
  const test::MadeRun run = waiting_run();
  CHECK_THAT(in_format(run, "terminal"), Contains(std::string("alarm: ") + kRaised + "\n"));
  CHECK_THAT(in_format(run, "markdown"), Contains(std::string("- alarm: ") + kRaised + "\n"));
  CHECK_THAT(in_format(run, "junit"),
             Contains(std::string("<property name=\"alarm.exposed_wait\" value=\"raised: ") +
                      kRaised + "\"/>"));
  CHECK_THAT(in_format(run, "prometheus"),
             Contains("benchbench_alarm{scenario=\"made\",alarm=\"exposed_wait\"} 1\n"));
  CHECK_THAT(in_format(run, "prometheus"),
             Contains("benchbench_alarm_value{scenario=\"made\",alarm=\"exposed_wait\"} 0.34\n"));
  const auto alarms = nlohmann::json::parse(in_format(run, "json"))["alarms"];
  REQUIRE(alarms.size() == alarm_rows().size());
  const auto& wait = alarms[static_cast<std::size_t>(AlarmKind::exposed_wait)];
  CHECK(wait["state"] == "raised");
  CHECK(wait["value"].get<double>() == Approx(0.34));
  CHECK(wait["points"] == nlohmann::json::parse(R"(["num_workers=0"])"));
  CHECK(wait["text"] == kRaised);
}

TEST_CASE("alarms: what is not measured is told as that, and is no sample", "[unit][report]") {
  const test::MadeRun run = waiting_run();
  // Steps are on the CPU.
  CHECK_THAT(in_format(run, "terminal", {false, 1000, true}), !Contains("device_idle"));
  CHECK_THAT(in_format(run, "terminal", {false, 1000, true}),
             Contains("raised: exposed_wait (34 %); not measured: memory (probe host_memory was "
                      "not sampled), cores ("));
  CHECK_THAT(in_format(run, "prometheus"), !Contains("alarm=\"network\""));
  CHECK_THAT(in_format(run, "junit"),
             Contains("<property name=\"alarm.network\" value=\"network: not measured: probe "
                      "network_received was not sampled\"/>"));
}

TEST_CASE("alarms: a value just above its limit does not read as the limit", "[unit][report]") {
  Alarm alarm{.kind = AlarmKind::throttled,
              .state = AlarmState::raised,
              .limit = 0.01,
              .worst = AlarmSeen{{}, 0.010001}};
  CHECK(alarm_words(alarm, {}) ==
        "throttled: the CPU quota stopped the cgroup for over 1 % of the time (limit 1 %)");
  alarm.worst->value = 0.02;
  CHECK(alarm_words(alarm, {}) ==
        "throttled: the CPU quota stopped the cgroup for 2 % of the time (limit 1 %)");
}

TEST_CASE("alarms: words of every kind with figures", "[unit][report]") {
  const auto words = [](AlarmKind kind, AlarmSeen seen) {
    return alarm_words({.kind = kind, .state = AlarmState::raised, .limit = 0.001, .worst = seen},
                       {});
  };
  CHECK(words(AlarmKind::memory, {{}, 0.95, 9.5e9, 1e10, "cgroup"}) ==
        "memory: 8.85 GiB of 9.31 GiB were in use, the cgroup's limit, 95 % (limit 0.1 %)");
  CHECK(words(AlarmKind::cores, {{}, 0.98, 1.96, 2}) ==
        "cores: the process tree used 1.96 of 2 cores, 98 %, "
        "while the trainer waited (limit 0.1 %)");
  CHECK(words(AlarmKind::memory_growth, {{}, 0.02, 0, 0, "cgroup"}) ==
        "memory_growth: memory of the cgroup grew by 2 % a "
        "minute from round to round (limit 0.1 % a minute)");
  CHECK(words(AlarmKind::loader_growth, {{}, 0.08}) ==
        "loader_growth: the loader's time per sample grew by "
        "8 % from the first round to the last (limit 0.1 %)");
  CHECK_THAT(words(AlarmKind::loader_growth, {{}, 1.7}), Contains("per sample grew to 2.70x from"));
  CHECK_THAT(words(AlarmKind::disk, {{}, 1.7, 170e6, 100e6}), Contains(", 1.70x of the "));
  CHECK_THAT(words(AlarmKind::other_writes, {{}, 0.08, 8e6, 1e8}),
             Contains("wrote 7.63 MiB, 8 % of the 95.4 MiB that the data's disk read and wrote"));
  CHECK_THAT(words(AlarmKind::disk, {{}, 0.95, 95e6, 100e6}), Contains("95 % of the"));
  CHECK(words(AlarmKind::device_idle, {{}, 0.3, 3, 10}) ==
        "device_idle: the device had no step's work 30 % of the time (limit 0.1 %)");
  CHECK(words(AlarmKind::device_memory, {{}, 0.96, 9.6e9, 1e10}) ==
        "device_memory: 8.94 GiB of the GPU's 9.31 GiB of memory were in use, 96 % (limit 0.1 %)");
  CHECK_THAT(words(AlarmKind::network, {{}, 0.95, 95e6, 100e6}), Contains("95 % of its ceiling"));
}

TEST_CASE("alarms: describe prints the table, and every key's help names its row's limit",
          "[unit][report]") {
  const std::string table = describe("alarms", Catalog{std::span<const PartRow>{}}, 200);
  for (const AlarmRow& row : alarm_rows()) {
    const std::string name(name_of(row.kind));
    CHECK_THAT(table, Contains("  " + name));
    const std::string key = "alarms." + name;
    const auto at = std::ranges::find(measure_keys(), key, &Parameter::key);
    REQUIRE(at != measure_keys().end());
    std::ostringstream limit;
    limit << "Default: " << row.limit << ".";
    CHECK_THAT(std::string(at->help), Contains(limit.str()));
  }
  CHECK_THAT(table, Contains("exposed_wait   over 10 %: "));
  CHECK_THAT(table, Contains("memory_growth  over 1 % a minute: "));
}

}  // namespace alarms_report_test
}  // namespace benchbench
