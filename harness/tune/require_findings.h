// The answer of `require`, from which its report is written, and what is measured for it next.
// Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/tune/required_rate.h"

namespace benchbench {

enum class RequireStop : std::uint8_t {
  found,
  never_enough,
  budget,
  interrupted,
  no_trainer,
  no_supply
};

// The scenario's loader alone.
struct LoaderAlone {
  std::uint32_t workers = 0;
  double rate = 0;  // samples/s
};
struct StoreAlone {
  std::string preset;
  std::optional<double> rate;  // samples/s of the loader above it; nullopt: no usable trial
};

struct RequireFindings {
  std::string scenario, loader;
  RequireProblem problem;
  std::vector<SupplyLook> looks;
  RequiredRate found;
  RequireStop stop = RequireStop::found;
  double trainer_rate = 0;  // samples/s of the cached-batch step, the mean of its trials
  std::uint32_t batch_size = 1;
  std::optional<double> batch_bytes;   // a sample, as the trainer gets it
  std::optional<double> stored_bytes;  // a sample, as the loader is given it
  std::optional<double> reads;         // of the storage, a sample
  std::optional<std::uint64_t> dataset_samples;
  std::vector<LoaderAlone> loaders;  // the scenario's own first, then with other numbers of workers
  std::vector<StoreAlone> stores;
  // The stores that were not measured, since the budget ended or the user interrupted it.
  std::vector<std::string> stores_left;
  std::uint32_t store_workers = 0;       // that they were measured with
  std::optional<double> cpu_per_sample;  // seconds, of the loader alone
  double cores = 0;
  std::size_t trials = 0;
  bool simulated = false;
};

// Returns samples/s; nullopt if no rate of supply is known to be enough.
std::optional<double> required_of(const RequireFindings& r);
// Returns the workers that a rate takes, if each gives what one of the scenario's own gives: at
// least 1. nullopt: the loader was not measured.
std::optional<std::uint32_t> workers_for(const RequireFindings& r, double rate);
// True if the rates that are surely too little and surely enough are more than a tenth apart.
bool is_too_noisy(const RequireFindings& r);
// True if the scenario's own loader gives less than the step needs.
bool gives_too_little(const RequireFindings& r);

// Returns RequireProblem::noise from the rates of the first trials of the trainer. In virtual time
// steps may be constant: then looks are exact.
double expected_noise(std::span<const double> trainer_rates, bool simulated);
// Returns the number of workers that the loader is measured with next: as many as the rate takes if
// each gives the same, and more if these gave less. nullopt: the last number was enough, or the
// next one was tried or is too large for the machine.
std::optional<std::uint32_t> next_workers(const RequireFindings& r);
// True if a store's rate is so close to the required one that more trials have to decide.
bool is_close(const RequireFindings& r, double rate);

}  // namespace benchbench
