// Whole trials on the emulated accelerator: what a step takes is what the closed forms say.
#include <catch2/catch.hpp>
#include <cstdio>

#include "harness/config/scenario_file.h"
#include "harness/selftest/fault_run.h"
#include "tests/places.h"

namespace benchbench::test::device {
namespace {

constexpr double kBatchBytes = 64 * (224.0 * 224 * 3 + 8);

struct Setting {
  bool pinned, non_blocking, own;
  int in_flight;
};

// In ms, for kernels whose launches keep ahead of the device.
struct Costs {
  double copy_pinned, copy_pageable, copy_call = 0.003, launch_call = 0.003, step = 2.5;
};
constexpr Costs kPcie3{kBatchBytes / 12.3e6, kBatchBytes / 5e6};

// The equations' closed forms for constant times and a loader that is never late, with m = 1.
double known_ms(const Setting& s, const Costs& t) {
  const double c = s.pinned ? t.copy_pinned : t.copy_pageable, o = t.copy_call, l = t.launch_call,
               d = t.step;
  const bool held = !(s.pinned && s.non_blocking);
  if (s.in_flight == 1) return held ? o + c + l + d : o + std::max({c + d, l + d});
  if (held) return s.own ? std::max(d, o + c + l) : c + l + d;
  return s.own ? std::max({c, d, o + l, (o + std::max(c, l) + d) / 2}) : std::max(c + d, l + o);
}

Scenario scenario_of(const Setting& s, std::vector<std::pair<std::string, std::string>> more = {}) {
  ScenarioRequest request;
  request.path = source_path("configs/device.yaml");
  const auto flag = [](bool on) { return std::string(on ? "true" : "false"); };
  request.sets.push_back({"loader.pin_memory", flag(s.pinned)});
  request.sets.push_back({"trainer.non_blocking", flag(s.non_blocking)});
  request.sets.push_back({"trainer.copy_stream", s.own ? "own" : "current"});
  request.sets.push_back({"trainer.in_flight", std::to_string(s.in_flight)});
  // A window begins with nothing under way: one copy more than steps.
  request.sets.push_back({"measure.window_batches", "20000"});
  for (auto& [key, value] : more) request.sets.push_back({key, value});
  Scenario scenario = load_scenario(request, built_in_catalog());
  scenario.axes.clear();
  return scenario;
}

double virtual_ms(const Setting& s, std::vector<std::pair<std::string, std::string>> more = {}) {
  return selftest::virtual_step_ms(scenario_of(s, std::move(more)), built_in_catalog());
}

}  // namespace

TEST_CASE("device: configs/device.yaml has the answers that its comments give",
          "[known_answer][device]") {
  for (const bool pinned : {false, true})
    for (const bool non_blocking : {false, true})
      for (const bool own : {false, true})
        for (const int in_flight : {1, 2}) {
          const Setting s{pinned, non_blocking, own, in_flight};
          const double ms = virtual_ms(s), known = known_ms(s, kPcie3);
          std::printf("pin_memory %-5s non_blocking %-5s %-7s in_flight %d: %.4f ms, known %.4f\n",
                      pinned ? "true" : "false", non_blocking ? "true" : "false",
                      own ? "own" : "current", in_flight, ms, known);
          CHECK(ms == Approx(known).epsilon(5e-5));
        }
}

TEST_CASE("device: a loader that is late is waited for where nothing hides it",
          "[known_answer][device]") {
  const std::string kFree = "0s";
  const auto late = [&](bool own, const char* period) {
    return virtual_ms({true, true, own, 2}, {{"trainer.emulated.copy_call", kFree},
                                             {"trainer.emulated.launch_call", kFree},
                                             {"loader.num_workers", "1"},
                                             {"loader.batch_time", period}});
  };
  const double c = kPcie3.copy_pinned;
  for (const bool own : {false, true}) {
    CHECK(late(own, "1ms") == Approx(own ? 2.5 : 2.5 + c).epsilon(1e-4));
    CHECK(late(own, "4ms") == Approx(4).epsilon(1e-4));  // over c + D: the loader alone
  }
  // Between D and c + D: hidden from the device, and binding all the same.
  CHECK(late(true, "3ms") == Approx(3).epsilon(1e-4));
  CHECK(late(false, "3ms") == Approx(2.5 + c).epsilon(1e-4));
}

TEST_CASE("device: many short kernels are as slow as their launches", "[known_answer][device]") {
  const Setting s{true, true, true, 2};
  // 500 launches of 3 us and one copy call against 1 ms of work.
  CHECK(virtual_ms(s, {{"trainer.kernels", "500"}, {"trainer.step_time", "1ms"}}) ==
        Approx(1.503).epsilon(1e-4));
  CHECK(virtual_ms(s, {{"trainer.kernels", "500"}, {"trainer.step_time", "2ms"}}) ==
        Approx(2).epsilon(1e-4));
}

TEST_CASE("device: copies can be left out, and memory can run out", "[known_answer][device]") {
  CHECK(virtual_ms({false, false, false, 2}, {{"trainer.copy", "once"}}) ==
        Approx(2.5).epsilon(1e-4));
  CHECK(virtual_ms({false, false, false, 2}, {{"trainer.emulated.memory", "20MB"}}) ==
        Approx(4.430).epsilon(1e-3));
  CHECK_THROWS_WITH(virtual_ms({false, false, false, 2}, {{"trainer.emulated.memory", "19MB"}}),
                    Catch::Contains("out of device memory"));
}

}  // namespace benchbench::test::device
