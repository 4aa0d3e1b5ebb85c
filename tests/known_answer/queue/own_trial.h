// A whole trial of a loader of a test's own, "own" in the catalogue.
#pragma once
#include <string>
#include <vector>

#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {

inline TrialRecord run_with_own(const PartDescription& description, LoaderFactory make,
                                Trial trial) {
  const auto built_in = built_in_catalog().rows();
  std::vector<PartRow> rows(built_in.begin(), built_in.end());
  PartMaker maker;
  maker.loader = make;
  rows.push_back({&description, maker, ""});
  const Catalog catalog(rows);
  const ExecutorContext context{
      .catalog = catalog, .environment = {}, .dataset = {}, .expected_digest = {}, .progress = {}};
  return run_trial(trial, {}, context);
}

inline TrialOfMocks short_trial(std::string_view loader, std::string_view trainer,
                                TrialOfMocks::Changes changes) {
  TrialOfMocks mocks(loader, trainer, {});
  mocks.change(
      {{"measure.window", "30ms"}, {"measure.warmup", "5ms"}, {"measure.window_batches", "5"}});
  mocks.change(changes);
  return mocks;
}

inline TrialRecord run_own(LoaderFactory make, std::string_view loader,
                           TrialOfMocks::Changes changes, std::string_view prototype = {}) {
  static const PartDescription description{
      .kind = PartKind::loader, .name = "own", .summary = "own workers"};
  Trial trial = short_trial(loader, "discard", changes).trial();
  if (!prototype.empty())
    trial.settings.set("loader.of.use",
                       {.type = ParameterType::text, .held = std::string(prototype)});
  return run_with_own(description, make, trial);
}

// As one whose workers are in a process of their own, which hands its batches over.
inline TrialRecord run_own_outside(LoaderFactory make, TrialOfMocks::Changes changes) {
  static const PartDescription description{
      .kind = PartKind::loader, .name = "own", .summary = "own workers", .external = true};
  return run_with_own(description, make, short_trial("own", "timed", changes).trial());
}

// Its reasons and notices, a line each.
inline std::string words_of(const TrialRecord& record) {
  std::string text = reasons_of(record);
  for (const std::string& notice : record.facts.notices) text += notice + "\n";
  return text;
}

}  // namespace benchbench::test
