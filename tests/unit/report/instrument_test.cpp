// What the report says of substitution, of what went on beside the steps, and of what was not
// measured.
#include <catch2/catch.hpp>

#include "harness/report/tables/substitution_table.h"
#include "harness/report/words/advice_words.h"
#include "harness/report/words/beside_lines.h"

namespace benchbench::instrument_report_tests {

Estimate around(double value, double half, std::uint32_t n = 3) {
  return {value, value - half, value + half, n};
}

Recovered measured(Component component, Estimate ms, double share, Severity severity) {
  Recovered r;
  r.component = component;
  r.ms = ms;
  r.share = share;
  r.severity = severity;
  r.bounded = true;
  return r;
}

Findings with_substitutions() {
  Findings f;
  f.points.emplace_back().name = "base";
  Substitutions s;
  s.rounds = 3;
  s.step_ms = around(10, 0.1);
  s.components = {measured(Component::decode, around(6, 0.5), 0.6, Severity::critical),
                  measured(Component::compute, around(-0.2, 0.4), -0.02, Severity::none),
                  Recovered{}};
  s.components[1].derived = true;
  s.loader_ms = around(7, 0.5);
  s.binding = Naming::one;
  s.bound_by = {Component::decode};
  f.substitutions = s;
  return f;
}

std::string line_named(const Findings& f, std::string_view name) {
  for (const auto& [title, text] : beside_lines(f))
    if (title == name) return text;
  return {};
}

TEST_CASE("substitution table: measured rows with interval, unmeasured components named apart",
          "[unit][report]") {
  const Findings f = with_substitutions();
  const auto rows = substitution_rows(*f.substitutions);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].component == "decode");
  CHECK(rows[0].recovers == "6 ms");
  CHECK(rows[0].interval == "5.5 ms to 6.5 ms");
  CHECK(rows[0].remark == "critical, at least");
  CHECK(rows[1].recovers == "-200 us");
  // Nothing is said of the other side where nothing is recovered.
  CHECK(rows[1].remark == "from rates");
  CHECK(rows[2].component == "the whole loader");
  CHECK(rows[2].share == "70 %");
  CHECK(substitution_title(*f.substitutions, f) ==
        "One step of base, 10 ms, with one component removed at a time (3 rounds):");
  const std::string words = substitution_words(*f.substitutions);
  CHECK(words ==
        "the binding component is decode; store the samples smaller or already decoded: "
        "a step takes 10 ms now and could take 4 ms without any decode; at least: without it, the "
        "other side limits the rate; not measured: storage");
}

TEST_CASE("substitution table: a tie names both, balance names none", "[unit][report]") {
  Substitutions s = *with_substitutions().substitutions;
  s.binding = Naming::tie;
  s.bound_by = {Component::decode, Component::transform};
  CHECK(substitution_words(s).starts_with(
      "tie: decode and transform cannot be distinguished in 3 rounds; store the samples"));
  s.binding = Naming::none;
  s.bound_by.clear();
  CHECK(substitution_words(s).starts_with("no single component can be named: none recovers 10 %"));
  s.step_ms->n = 5;  // what one of them rests on counts, too
  CHECK(substitution_words(s).starts_with("no single component can be named: none recovers 10 %"));
  for (Recovered& r : s.components)
    if (r.ms) r.ms->n = 5;
  CHECK(substitution_words(s).starts_with("no single component can be named: none recovers 2 %"));
}

TEST_CASE("substitution table: what was named has its stored word, and something to try",
          "[unit][report]") {
  CHECK(naming_word(Naming::one, {Component::compute}, "none") == "compute_bound");
  CHECK(naming_word(Naming::tie, {Component::compute, Component::decode}, "none") == "tie");
  CHECK(naming_word(Naming::none, {}, "balanced") == "balanced");
  CHECK(naming_word(Naming::not_measured, {}, "none") == "not measured");
  const auto next = [](Component c) {
    Substitutions s;
    s.step_ms = around(10, 0);
    s.bound_by = {c};
    s.components = {measured(c, around(4, 0), 0.4, Severity::critical)};
    return next_step(s);
  };
  CHECK(next(Component::storage) ==
        "keep the data on faster or closer storage: "
        "a step takes 10 ms now and could take 6 ms without any storage");
  CHECK(next(Component::sync).ends_with("could take 6 ms without any sync"));
  for (std::size_t c = 0; c < kComponents; ++c) {  // of any part: no setting is named
    CHECK_FALSE(next_change(static_cast<Component>(c)).empty());
    CHECK(next_change(static_cast<Component>(c)).find_first_of("._:") == std::string_view::npos);
  }
  CHECK(next_step({}).empty());
}

TEST_CASE("substitution table: advice names its key, what it is and what it is to be",
          "[unit][report]") {
  Substitutions s;
  s.step_ms = around(10, 0);
  s.binding = Naming::one;
  s.bound_by = {Component::lock};
  s.components = {measured(Component::lock, around(5, 0), 0.5, Severity::critical)};
  s.components[0].bounded = false;
  s.lock_wait_ms = 4.9;
  s.advice = Advice{Component::lock, Remedy::past_the_lock, "loader.io", "library", "auto"};
  CHECK(substitution_words(s) ==
        "the binding component is lock (a worker waits 4.9 ms of each 10 ms step for it); set "
        "loader.io to auto (now library), which reads "
        "without the library and its lock; more workers do not help before that: "
        "a step takes 10 ms now and would take, at best, 5 ms without any lock");
  s.lock_wait_ms.reset();
  CHECK(substitution_words(s).starts_with("the binding component is lock; set"));
  CHECK(advice_words(
            {Component::copy, Remedy::mock_setting, "trainer.copy_bandwidth", "8MB/s", "none"}) ==
        "leave out trainer.copy_bandwidth (now 8MB/s), which is the configured cost of the mock");
  CHECK(advice_words(
            {Component::decode, Remedy::smaller_pictures, "dataset.prepare", "none", "jpeg"}) ==
        "set dataset.prepare to jpeg (not set now), "
        "which makes the images smaller once, before training");
}

TEST_CASE(
    "substitution table: the component's whole time is promised of no setting that leaves some",
    "[unit][report]") {
  const auto next = [](Component c, Remedy remedy, std::string key) {
    Substitutions s;
    s.step_ms = around(10, 0);
    s.bound_by = {c};
    s.components = {measured(c, around(5, 0), 0.5, Severity::critical)};
    s.advice = Advice{c, remedy, std::move(key), "2", "4"};
    return next_step(s);
  };
  const std::string at_best = "a step takes 10 ms now and would take, at best, 5 ms without any ";
  CHECK(next(Component::decode, Remedy::more_workers, "loader.num_workers") ==
        "set loader.num_workers to 4 (now 2): cores are free: " + at_best + "decode");
  CHECK(next(Component::copy, Remedy::pinned, "loader.pin_memory").ends_with(at_best + "copy"));
  // The measurement itself set these.
  const std::string seen = "a step takes 10 ms now and could take 5 ms without any ";
  CHECK(next(Component::decode, Remedy::mock_setting, "loader.sample_time")
            .ends_with(seen + "decode"));
  CHECK(next(Component::storage, Remedy::keep_in_memory, "loader.residency")
            .ends_with(seen + "storage"));
  CHECK(next(Component::lock, Remedy::by_hand, "").ends_with(seen + "lock"));
}

TEST_CASE(
    "substitution table: what no component recovers is said of the one with the fewest rounds",
    "[unit][report]") {
  Substitutions s;
  s.step_ms = around(10, 0, 5);
  s.binding = Naming::none;
  s.components = {measured(Component::decode, around(0.5, 0.1, 4), 0.05, Severity::moderate)};
  CHECK(substitution_words(s).starts_with("no single component can be named: none recovers 10 %"));
  s.components[0].ms->n = 5;
  CHECK(substitution_words(s).starts_with("no single component can be named: none recovers 2 %"));
}

TEST_CASE("beside lines: not available and lost are two things", "[unit][report]") {
  Findings f;
  f.points.emplace_back();
  f.probes = {{"steal", "cores", ProbeState::measured, "", 0.25, 0, 0.9, 10, 0},
              {"pressure_cpu", "share", ProbeState::not_available, "no such file", 0, 0, 0, 0, 0},
              {"memory", "bytes", ProbeState::lost, "it went away", 0, 0, 0, 4, 6}};
  CHECK(line_named(f, "probes") ==
        "steal 0.25 cores (up to 0.90 cores), memory lost (6 of 10: it went away); not available: "
        "pressure_cpu (no such file)");
}

TEST_CASE("beside lines: who had the cores, and how long ours waited for one", "[unit][report]") {
  Findings f;
  f.points.emplace_back();
  CHECK(line_named(f, "cores").empty());
  f.cores = CoresUsed{.ours = 1.43, .others = 0.571, .cpus = 2, .no_core_share = 0.71};
  CHECK(line_named(f, "cores") ==
        "ours 1.43 and other programs 0.57 of 2; a thread of ours waited for one 71 % of the time");
  f.cores->no_core_share.reset();
  CHECK(line_named(f, "cores") == "ours 1.43 and other programs 0.57 of 2");
}

TEST_CASE("beside lines: a loader that slows the trainer is told with its share",
          "[unit][report]") {
  Findings f;
  f.points.emplace_back();
  f.interference = {around(0.8, 0.05), around(80, 4), around(500, 10)};
  CHECK(line_named(f, "beside").ends_with("the loader slows it by 20 %"));
  f.interference = {around(0.98, 0.05), around(98, 4), around(500, 10)};
  CHECK(line_named(f, "beside").ends_with("no clear difference"));
}

TEST_CASE("beside lines: what copies take of the trainer's step", "[unit][report]") {
  Findings f;
  f.points.emplace_back();
  const auto told = [&](double ratio, double half, std::uint32_t rounds = 5) {
    f.batch_on_device = BatchOnDevice{around(100 * ratio, 1), around(ratio, half)};
    f.batch_on_device->ratio->n = rounds;
    return line_named(f, "copies");
  };
  CHECK(told(1.25, 0.01)
            .ends_with("of its rate with a copy for each: the copies take 20 % of its step"));
  CHECK(told(1.25, 0.5).ends_with("no clear difference"));
  CHECK(told(0.8, 0.01).ends_with("slower by 20 %"));
  CHECK(told(1.25, 0, 1).ends_with("one round"));
  f.batch_on_device.reset();
  CHECK(line_named(f, "copies").empty());
}

TEST_CASE("beside lines: the GPU, and what is not known of it", "[unit][report]") {
  Findings f;
  f.points.emplace_back();
  f.gpu = GpuSeen{"cuda:0", "H100", "a-b", false, "", true, true, true};
  CHECK(line_named(f, "gpu") == "cuda:0: H100, UUID a-b");
  f.gpu->divided = true, f.gpu->errors_known = false;
  CHECK(line_named(f, "gpu") ==
        "cuda:0: H100, UUID a-b, a part of a divided GPU (MIG); not known: whether its memory had "
        "errors that could not be corrected (NVML does not say)");
  f.gpu = GpuSeen{"cuda:0", "H100", "a-b", false, "libnvidia-ml.so.1 was not found",
                  false,    false,  true};
  CHECK(line_named(f, "gpu") ==
        "cuda:0: H100, UUID a-b; not known: whether other processes used it, whether it was slowed "
        "down (libnvidia-ml.so.1 was not found)");
  f.gpu->divided.reset();
  CHECK_THAT(
      line_named(f, "gpu"),
      Catch::Contains("slowed down, whether it is a part of a divided GPU (MIG) (libnvidia"));
  f.gpu = GpuSeen{"", "H200", "a-b", false, "", true, true, true};
  f.gpu->pcie_generation = 5, f.gpu->pcie_width = 16, f.gpu->clock_hertz = 1.755e9;
  f.gpu->clock_share = 0.89, f.gpu->power_capped_share = 0.34, f.gpu->power_limit_watts = 700;
  f.gpu->joules_per_sample = 0.1312;
  CHECK(line_named(f, "gpu") ==
        "GPU: H200, UUID a-b, PCIe 5 x16, 1755 MHz at work (89 % of machine.yaml's), at its power "
        "limit of 700 W 34 % of the time, 0.131 J a sample");
  f.gpu.reset();
  CHECK(line_named(f, "gpu").empty());
}

TEST_CASE("ceiling lines: a rate stands with the ceiling that it comes nearest to",
          "[unit][report]") {
  Findings f;
  f.points.emplace_back();
  CHECK(line_named(f, "ceilings").empty());
  f.ceilings = {{Mode::loader, "disk_read_cold", 1000.0 * (1 << 20), 2000.0 * (1 << 20)},
                {Mode::pipeline, "network", 62.0 * (1 << 20), 100.0 * (1 << 20)}};
  CHECK(line_named(f, "ceilings") ==
        "loader 1,000 MiB/s, 50 % of what this disk reads (1.95 GiB/s); pipeline 62 MiB/s, 62 % "
        "of what the network delivers (100 MiB/s)");
}

TEST_CASE("beside lines: work of workers leaves out what took no time", "[unit][report]") {
  Findings f;
  f.points.emplace_back();
  f.loader_work = {2, {{"read", 1.5}, {"parse", 0}, {"decode", 4}}, 0.5};
  CHECK(line_named(f, "workers") ==
        "2 workers together, per step: read 1.5 ms, decode 4 ms, other 500 us");
  f.points.emplace_back().name = "num_workers=4";  // of several points it is the base's
  CHECK(line_named(f, "workers") ==
        "base: 2 workers together, per step: read 1.5 ms, decode 4 ms, other 500 us");
}

}  // namespace benchbench::instrument_report_tests
