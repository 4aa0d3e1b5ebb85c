// Runs of a loader in the user's Python made by hand: steps of 20 ms, what workers and memory did
// as a test says.
#pragma once
#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/findings.h"
#include "harness/core/random.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::test {

struct PythonRun : MadeRun {
  static constexpr std::uint64_t kSteps = 100, kBatch = 16, kEpoch = 3200;  // 200 batches an epoch
  Random random{11};
  double noise = 0.01;
  std::uint32_t rounds = 5;

  PythonRun() {
    plan.scenario.name = "python";
    plan.scenario.source = "python.yaml";
  }

  SettingsMap python_settings(std::int64_t workers) const {
    SettingsMap s = settings(workers, kBatch);
    for (const auto& [key, text] : {std::pair("loader.use", "python"),
                                    {"loader.script", "configs/train.py"},
                                    {"loader.call", "make_data"}})
      s.set(key, words(text));
    return s;
  }

  // A window whose steps take `step_ms`; of them it waits `wait_ms` for a batch.
  Facts facts(ExternalWay way, double step_ms, double wait_ms, std::uint32_t workers) {
    const double around = 1 + noise * random.normal();
    Facts f = good_facts(1000 * kBatch / step_ms, kBatch);
    f.window.steps = kSteps, f.window.samples = kSteps * kBatch;
    f.window.ns = static_cast<std::int64_t>(step_ms * around * 1e6 * kSteps);
    f.window.loop.get_ns = static_cast<std::int64_t>(wait_ms * around * 1e6 * kSteps);
    f.window.loop.step_ns = f.window.ns - f.window.loop.get_ns;
    f.accounting = {f.window.samples, f.window.samples, 0, 0, 0, 0};
    f.workers = {};
    f.cpu.cores_available = 4;
    f.external.emplace();
    ExternalFacts& e = *f.external;
    e.way = way, e.kind = "DataLoader", e.loader_call = "train.py:make_data";
    e.versions = "Python 3.11.2, torch 1.13.1", e.interpreter = "/usr/bin/python3";
    e.where = "train.py:44", e.getitem_where = "train.py:31";
    e.epoch_samples = kEpoch, e.epoch_batches = kEpoch / kBatch;
    e.start_method = workers > 0 ? "fork" : "";
    e.persistent_workers = false;
    e.cpu_count = 4;
    for (std::uint32_t w = 0; w < workers; ++w)
      e.workers.push_back({kSteps * kBatch / workers, kSteps / workers, {}});
    return f;
  }
  Facts self_timed(double step_ms, std::uint32_t workers) {
    return facts(ExternalWay::self_timed, step_ms, step_ms, workers);
  }

  using Change = std::function<void(Facts&)>;
  // The loader alone, in every round as `change` makes it.
  void loader_alone(std::uint32_t workers, double step_ms, const Change& change = {}) {
    fill(
        trial(point({}, python_settings(workers)), Mode::loader),
        [&] { return self_timed(step_ms, workers); }, change);
  }
  // Loader and trainer, both over there: `wait_ms` of each step is for a batch.
  void pipeline(std::uint32_t workers, double step_ms, double wait_ms, const Change& change = {}) {
    fill(
        trial(point({}, python_settings(workers)), Mode::pipeline),
        [&] { return facts(ExternalWay::all_there, step_ms, wait_ms, workers); }, change);
  }
  void fill(std::uint32_t t, const std::function<Facts()>& make, const Change& change) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      Facts f = make();
      if (change) change(f);
      record(t, round, std::move(f)).environment.memory_bytes = 16ull << 30;
    }
  }

  Findings findings() const { return analyse(plan, records); }
};

inline std::int64_t ms(double milliseconds) {
  return static_cast<std::int64_t>(milliseconds * 1e6);
}

// Of the workers the last ones deliver nothing.
inline void leave_idle(Facts& f, std::size_t idle) {
  auto& workers = f.external->workers;
  const std::size_t active = workers.size() - idle;
  for (std::size_t w = 0; w < workers.size(); ++w)
    workers[w] = w < active ? ExternalWorker{f.window.samples / active, f.window.steps / active, {}}
                            : ExternalWorker{};
}

using Kinds = std::vector<std::string>;
inline Kinds kinds(const Findings& f) {
  Kinds all;
  for (const ExternalFinding& found : f.external.findings) all.emplace_back(name_of(found.fault));
  return all;
}

// Returns the only finding there is.
inline ExternalFinding only(const PythonRun& run) {
  const Findings f = run.findings();
  CAPTURE(kinds(f));
  REQUIRE(f.external.findings.size() == 1);
  return f.external.findings.front();
}

// True if it is as close as is promised.
inline bool near(double value, double of) { return std::abs(value - of) <= 0.2 * of; }

}  // namespace benchbench::test
