// Faults in virtual time: put in at a known share of the step, named by what substitution recovers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <string>

#include "harness/part/catalog.h"
#include "harness/selftest/fault_run.h"
#include "harness/selftest/fault_size.h"
#include "tests/sweep.h"

namespace benchbench::named_test {
namespace {

using namespace selftest;

constexpr std::uint32_t kRounds = 5;
constexpr double kNoise = 0.05;       // sigma of the logarithm of every single time
constexpr double kRoundNoise = 0.05;  // and of what a whole round is slower by, everybody alike

FaultRun fault_run(std::uint64_t seed) {
  return FaultRun({.catalog = built_in_catalog(),
                   .environment = {},
                   .simulated = true,
                   .seed = seed,
                   .stop = nullptr,
                   .round_noise = kRoundNoise},
                  kNoise);
}

void run(FaultRun& faults) {
  for (std::uint32_t round = 0; round < kRounds; ++round) faults.bench().run_round(round);
}

std::string told(const FaultCase& k) {
  std::string text = (k.fault ? std::string(k.fault->name) : "control") + " at " +
                     std::to_string(100 * k.share) + " %:";
  for (const Component c : k.found.named) text += " " + std::string(name_of(c));
  for (const Growth& g : k.found.growths)
    text += "\n    " + std::string(name_of(g.component)) + " " + std::to_string(g.ms.value) + " [" +
            std::to_string(g.ms.low) + ", " + std::to_string(g.ms.high) + "]" +
            (g.bounded ? " bounded" : "") + (g.general ? " general" : "");
  return text;
}

}  // namespace

TEST_CASE("faults: several of each, costing 3 to 50 % of the step, are named",
          "[known_answer][faults]") {
  const int draws = static_cast<int>(test::sweep_size(3, 20));
  Random random(4);
  FaultRun faults = fault_run(1);
  for (const InjectedFault& fault : injected_faults())
    for (int i = 0; i < draws; ++i) {
      const double share = std::exp(random.uniform(std::log(0.03), std::log(0.5)));
      faults.add_fault(fault, share, size_for_share(fault, share, built_in_catalog()));
    }
  run(faults);
  const auto results = faults.results();
  const Confusion confusion = confusion_of(results);
  for (const FaultCase& k : results)
    if (!k.hit()) WARN(told(k));
  REQUIRE(confusion.cases == 13 * static_cast<std::uint32_t>(draws));
  std::printf("of %u faults %u named, rounds differing by 5 %%\n", confusion.cases, confusion.hits);
  CHECK(20 * confusion.hits >= 19 * confusion.cases);
}

TEST_CASE("faults: of runs without a fault at most 1 % are named", "[known_answer][faults]") {
  FaultRun faults = fault_run(2);
  const std::uint64_t controls = test::sweep_size(100, 200);
  for (std::uint64_t i = 0; i < controls; ++i)
    faults.add_control(static_cast<Ground>(i % kGrounds), i + 1);
  run(faults);
  const auto results = faults.results();
  for (const FaultCase& k : results)
    if (!k.hit()) WARN(told(k));
  const std::uint32_t unnamed = confusion_of(results).hits;
  const std::uint64_t named = controls - unnamed;
  std::printf("of %lu controls %lu named, rounds differing by 5 %%\n", controls, named);
  CHECK(100 * named <= controls);
}

TEST_CASE("faults: one that costs less than 2 % of the step stays unnamed",
          "[known_answer][faults]") {
  const std::uint64_t draws = test::sweep_size(2, 5);
  Random random(7);
  FaultRun faults = fault_run(3);
  // `sync` is left out: reading back costs 2 % of this step at the least.
  for (const InjectedFault& fault : injected_faults())
    for (std::uint64_t i = 0; i < draws && fault.name != "sync"; ++i) {
      const double share = random.uniform(0.004, 0.015);
      faults.add_fault(fault, share, size_for_share(fault, share, built_in_catalog()));
    }
  run(faults);
  for (const FaultCase& k : faults.results()) {
    INFO(told(k));
    CHECK(k.found.naming == Naming::none);
  }
}

TEST_CASE("faults: of two, the larger is named or it is a tie", "[known_answer][faults]") {
  Random random(9);
  FaultRun faults = fault_run(4);
  const auto all = injected_faults();
  for (const InjectedFault& larger : all)
    for (const InjectedFault& smaller : all) {
      if (&larger == &smaller || larger.ground != smaller.ground) continue;
      // Host and device work at once: only the larger one of two costs shows.
      if (larger.ground == Ground::device) continue;
      const double share = std::exp(random.uniform(std::log(0.08), std::log(0.4)));
      const double less = share / random.uniform(1.5, 5);
      const Catalog& catalog = built_in_catalog();
      faults.add(&larger, larger.ground, share,
                 with(fault_settings(larger, size_for_share(larger, share, catalog)),
                      fault_settings(smaller, size_for_share(smaller, less, catalog))));
    }
  run(faults);
  const auto results = faults.results();
  REQUIRE(results.size() == 36);
  int right = 0;
  for (const FaultCase& k : results) {
    const auto& named = k.found.named;
    const bool hit = std::find(named.begin(), named.end(), k.fault->component) != named.end();
    right += hit;
    if (!hit) WARN(told(k));
  }
  CHECK(right == 36);
}

// Of the loader's stages those that have one kind of time each, and the trainer's step.
TEST_CASE(
    "faults: of a stage that costs 2 % more, 1 % noise and 15 rounds, "
    "the growth is first and clear of 0",
    "[known_answer][faults]") {
  static constexpr InjectedFault kTransform{"transform",
                                            "transforming a sample takes longer",
                                            Component::transform,
                                            Ground::loader,
                                            "loader.transform_time",
                                            0.075};
  const InjectedFault* const stages[] = {find_fault("storage"), find_fault("preprocessing"),
                                         &kTransform, find_fault("compute")};
  const std::uint64_t runs = test::sweep_size(4, 25);  // of each stage
  constexpr double kShare = 0.02;
  std::size_t all = 0, first = 0, named = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    FaultRun faults({.catalog = built_in_catalog(),
                     .environment = {},
                     .simulated = true,
                     .seed = 100 + seed,
                     .stop = nullptr,
                     .round_noise = 0.01},
                    0.01);
    for (const InjectedFault* stage : stages)
      faults.add_fault(*stage, kShare, size_for_share(*stage, kShare, built_in_catalog()));
    for (std::uint32_t round = 0; round < 15; ++round) faults.bench().run_round(round);
    for (const FaultCase& k : faults.results()) {
      REQUIRE_FALSE(k.found.growths.empty());
      const Growth& max = k.found.growths.front();
      const bool right = max.component == k.fault->component && max.ms.low > 0;
      ++all;
      first += right;
      named += k.hit();
      if (!right) WARN(told(k));
    }
  }
  std::printf(
      "one stage 2 %% of the step slower, "
      "15 rounds, %zu runs: %zu first and clear of 0, %zu named (at 2 %% and up)\n",
      all, first, named);
  REQUIRE(all == 4 * runs);
  CHECK(10 * first >= 9 * all);
}

}  // namespace benchbench::named_test
