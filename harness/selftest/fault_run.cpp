#include "harness/selftest/fault_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/components/recovered.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench::selftest {
namespace {

constexpr std::string_view kNoFault = "no fault";

std::size_t index_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// The column of what was named, of the case's own ground where it has one for that.
std::string_view column_of(const FaultCase& of) {
  const Fault& found = of.found;
  if (found.naming == Naming::none) return "none";
  if (found.naming == Naming::tie) return "tie";
  if (found.named.empty()) return "wrong";
  for (const bool own_ground : {true, false})
    for (const InjectedFault& f : injected_faults())
      if (f.component == found.named.front() && (!own_ground || f.ground == of.ground))
        return f.name;
  return "wrong";
}

void add_row(Confusion& c, std::string_view name) {
  c.rows.emplace_back(name);
  c.counts.emplace_back(c.columns.size(), 0);
}

}  // namespace

bool FaultCase::hit() const {
  if (!fault) return found.naming == Naming::none;
  return found.named.size() == 1 && found.named.front() == fault->component;
}

std::optional<Substitutions> taken_apart(const Experiment& experiment) {
  return substitutions_of(experiment.plan.points.front(),
                          JudgedTrials(experiment.plan, experiment.records));
}

std::size_t FaultRun::ground(Ground ground) {
  std::optional<std::size_t>& index = grounds_[static_cast<std::size_t>(ground)];
  if (!index) {
    const std::string name(name_of(ground));
    index =
        bench_.add(name, mock_scenario(name, ground_settings(ground, noise_), bench_.catalog()));
  }
  return *index;
}

void FaultRun::add(const InjectedFault* fault, Ground ground, double share, const Given& more) {
  const std::size_t base = this->ground(ground);
  const std::string name =
      fault ? std::string(fault->name) : fmt::format("{} {}", kNoFault, cases_.size() + 1);
  const std::size_t suspect = bench_.add(
      name, mock_scenario(name, with(ground_settings(ground, noise_), more), bench_.catalog()));
  cases_.push_back({{fault, ground, share, {}}, base, suspect});
}

void FaultRun::add_fault(const InjectedFault& fault, double share, double size) {
  add(&fault, fault.ground, share, fault_settings(fault, size));
}

void FaultRun::add_control(Ground ground, std::uint64_t seed) {
  add(nullptr, ground, 0,
      {{keys::loader.seed, fmt::format("{}", seed)},
       {keys::trainer.seed, fmt::format("{}", seed)}});
}

std::vector<FaultCase> FaultRun::results() const {
  std::vector<std::optional<Substitutions>> taken(bench_.size());
  for (std::size_t i = 0; i < bench_.size(); ++i) taken[i] = taken_apart(bench_.experiment(i));
  std::vector<FaultCase> results;
  for (const Pair& pair : cases_) {
    FaultCase& told = results.emplace_back(pair.told);
    if (taken[pair.base] && taken[pair.suspect])
      told.found = name_fault(*taken[pair.base], *taken[pair.suspect], Rounds::shared);
  }
  return results;
}

Confusion confusion_of(const std::vector<FaultCase>& cases) {
  Confusion c;
  for (const InjectedFault& fault : injected_faults()) c.columns.emplace_back(fault.name);
  for (const char* more : {"none", "tie", "wrong"}) c.columns.emplace_back(more);
  for (const InjectedFault& fault : injected_faults())
    if (contains(cases, &fault, &FaultCase::fault)) add_row(c, fault.name);
  if (contains(cases, nullptr, &FaultCase::fault)) add_row(c, kNoFault);
  for (const FaultCase& k : cases) {
    const std::size_t row = index_of(c.rows, k.fault ? k.fault->name : kNoFault);
    ++c.counts[row][index_of(c.columns, column_of(k))];
    ++c.cases;
    c.hits += k.hit();
  }
  return c;
}

}  // namespace benchbench::selftest
