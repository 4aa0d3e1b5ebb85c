// What holds an accelerator back is named: its own work, the copies, launches, waiting for it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/selftest/fault_run.h"
#include "harness/selftest/fault_size.h"
#include "tests/sweep.h"

namespace benchbench::test::device_patterns {
namespace {

using namespace selftest;

FaultRun exact_run() {
  return FaultRun({.catalog = built_in_catalog(), .environment = {}, .simulated = true}, 0);
}

std::string told(const FaultCase& k) {
  std::string text = (k.fault ? std::string(k.fault->name) : "control") + " at " +
                     std::to_string(100 * k.share) + " %:";
  for (const Component c : k.found.named) text += " " + std::string(name_of(c));
  for (const Growth& g : k.found.growths)
    text += "; " + std::string(name_of(g.component)) + " " + std::to_string(g.ms.value);
  return text;
}

}  // namespace

TEST_CASE("device: each pattern is named at any severity, from 5 % of the step on",
          "[known_answer][device]") {
  const int severities = static_cast<int>(test::sweep_size(6, 20));
  Random random(18);
  FaultRun faults = exact_run();
  for (const InjectedFault& fault : injected_faults()) {
    if (fault.ground != Ground::device) continue;
    for (int i = 0; i < severities; ++i) {
      const double share = std::exp(random.uniform(std::log(0.05), std::log(0.8)));
      faults.add_fault(fault, share, size_for_share(fault, share, built_in_catalog()));
    }
  }
  for (int seed = 1; seed <= severities; ++seed)
    faults.add_control(Ground::device, static_cast<std::uint64_t>(seed));
  for (std::uint32_t round = 0; round < 5; ++round) faults.bench().run_round(round);
  std::map<std::string, int> hits;
  for (const FaultCase& k : faults.results()) {
    INFO(told(k));
    CHECK(k.hit());
    hits[k.fault ? std::string(k.fault->name) : "control"] += k.hit();
  }
  CHECK(hits.size() == 5);
  for (const auto& [name, count] : hits)
    std::printf("%-15s %d of %d\n", name.c_str(), count, severities);
}

}  // namespace benchbench::test::device_patterns
