// Scenario -> Plan: points, modes by substitution, sharing by digest, the order of rounds, the
// price.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/part/catalog.h"
#include "harness/record/environment.h"
#include "harness/record/trial.h"

namespace benchbench {

// What earlier trials or probe steps on this machine taught, by `price_key(trial)`; of making data
// by making_key(), of a run's own work by run_key(), of a trial in virtual time by simulated_key(),
// of a start of the user's Python by start_key().
struct PriceEntry {
  double startup_seconds = 0;  // of a trial, all of its wall time but warm-up and window
  double step_seconds = 0;     // of making data: a byte's
  std::uint64_t memory_bytes = 0;
  double warm_up_factor = 1;  // what the warm-up took, as a multiple of the shortest there is
};

// The CUDA devices of this machine.
struct CudaThere {
  std::uint32_t devices = 0;               // cuda:0 to cuda:N
  bool kernels = false;                    // this build has those of mock steps
  std::vector<std::uint64_t> memory = {};  // bytes of each
  // Where there are no devices: "no CUDA device: ..."; pin_memory: true is SKIPPED with it too.
  std::string why = {};
};

struct PlanContext {
  const Catalog& catalog;
  Environment environment = {};
  std::string cache_folder = {};
  std::uint64_t free_disk_bytes = 0;
  std::map<std::string, PriceEntry> prices = {};
  // module -> reason; parts in it are SKIPPED
  std::map<std::string, std::string> missing_modules = {};
  // code_of() -> "needs torch: ..."; trials that call it are SKIPPED.
  std::map<std::string, std::string> missing_packages = {};
  CudaThere cuda = {};
  bool simulated = false;    // --clock simulated: parts that cannot are refused
  double spent_seconds = 0;  // of the budget already, before the trials
  // A start of the user's Python, as known before the run began; nullopt: nothing is known.
  std::optional<double> start_seconds = {};
  // Adds to a point's settings what they depend on beyond themselves: digests of files that they
  // name. May be empty.
  std::function<void(SettingsMap&)> seal = nullptr;
};

// All that a scenario asks for, without what prices decide: its window, cuts and order.
struct Draft {
  Plan whole;
  std::string digest;  // of the plan, whatever its cuts
};
// Throws ScenarioError where there are over 10,000 points.
Draft draft_plan(const Scenario& scenario, const PlanContext& context);
// Returns the draft with its price, cut where measure.budget is less, and in its order. More prices
// may be known each time; the rest of `context` is that of the draft. Throws ScenarioError where
// the plan cannot fit (memory, disk; with numbers).
Plan fit_plan(const Draft& draft, const PlanContext& context);
// Returns what fit_plan() makes of draft_plan(), and throws as they do.
Plan make_plan(const Scenario& scenario, const PlanContext& context);

// What a trial's price depends on: its settings without what does not change a step's cost.
std::string price_key(const Trial& trial);

// Replaces one side by its mock, which gives the three modes. `base` is the base point's settings,
// for what the cached batch does not depend on.
SettingsMap substitute(Mode mode, const SettingsMap& point, const SettingsMap& base,
                       const Catalog& catalog);

}  // namespace benchbench
