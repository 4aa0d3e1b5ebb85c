// Several scenarios run side by side, round by round, so that what the machine does falls on all of
// them alike.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/random.h"
#include "harness/record/trial_record.h"
#include "harness/trial/executor.h"

namespace benchbench::selftest {

struct Experiment {
  std::string name;
  Plan plan;
  std::vector<TrialRecord> records;
};

struct BenchOptions {
  const Catalog& catalog;
  Environment environment;  // calibrated where the clock is real
  bool simulated = false;
  std::uint64_t seed = 0;  // of all that is drawn
  const std::atomic<bool>* stop = nullptr;
  // In virtual time: sigma of the logarithm of a factor that all times of a round are longer by,
  // everybody's the same.
  double round_noise = 0;
};

// Plans scenarios as `run --substitute` does and runs their trials in this process. A trial that
// several need is run once a round. Not thread-safe.
class Bench {
 public:
  explicit Bench(BenchOptions options);

  // The index of the experiment. With `substitute` its plan holds the trials that take the step
  // apart.
  std::size_t add(std::string name, Scenario scenario, bool substitute = true);
  std::size_t trials() const noexcept { return trials_.size(); }  // of a round
  double seconds() const noexcept;                                // of a round, as priced

  // Every trial once: experiments in random order, the trials of each side by side in random order.
  // What is drawn in it is drawn from options.seed and the round. `after` is told how many of the
  // round are done. InterruptedError on a stop.
  void run_round(std::uint32_t round, const std::function<void(std::size_t)>& after = {});

  const Catalog& catalog() const noexcept { return options_.catalog; }
  const Experiment& experiment(std::size_t index) const { return experiments_.at(index); }
  std::size_t size() const noexcept { return experiments_.size(); }

 private:
  // One trial of the round, with its places: (experiment, index in its plan).
  struct Shared {
    Trial trial;
    double seconds = 0;
    std::vector<std::pair<std::size_t, std::uint32_t>> places;
  };
  void keep(const Shared& shared, const TrialRecord& record, std::uint32_t round);
  std::vector<std::size_t> order_of(std::uint32_t round) const;
  Trial of_round(const Trial& trial, std::uint32_t round) const;

  BenchOptions options_;
  std::vector<Experiment> experiments_;
  std::vector<Shared> trials_;
};

// One pipeline trial of a scenario in virtual time: ms per step. PartError where it does not run.
double virtual_step_ms(const Scenario& scenario, const Catalog& catalog);

}  // namespace benchbench::selftest
