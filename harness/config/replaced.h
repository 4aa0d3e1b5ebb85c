// What a scenario is, told in its title: settings that differ from the file's own, and parts that
// are mocks.
#pragma once
#include <string>
#include <vector>

#include "harness/config/layer.h"
#include "harness/part/catalog.h"
#include "harness/record/scenario.h"

namespace benchbench::config {

// Of every key of dataset, loader and trainer that a layer above the first gives: its value in
// `before` (the first layer alone) and in `after`, where they differ; `by` is the last layer that
// gives it, without the word "variant".
std::vector<Replaced> replaced_by(const std::vector<const Layer*>& layers,
                                  const SettingsMap& before, const SettingsMap& after);

// Loaders and trainers of the base and of its axes that are mocks, each once: "loader=synthetic".
std::vector<std::string> mocks_of(const Scenario& scenario, const Catalog& catalog);

}  // namespace benchbench::config
