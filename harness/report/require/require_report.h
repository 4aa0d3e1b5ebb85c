// The report of `require`: which supply a step needs, and what gives it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/notes.h"
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

struct RequireReport {
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
  std::vector<Note> problems = {};
};

// samples/s; nullopt where no rate of supply is known to be enough.
std::optional<double> required_of(const RequireReport& report);
// Workers that a rate takes, if each gives what one of the scenario's own gives: at least 1.
// nullopt: the loader was not measured.
std::optional<std::uint32_t> workers_for(const RequireReport& report, double rate);
// What lies between the rates that are surely too little and surely enough is more than a tenth.
bool is_too_noisy(const RequireReport& report);

std::string require_summary(const RequireReport& report);
std::string require_text(const RequireReport& report);
std::string require_json(const RequireReport& report);

}  // namespace benchbench
