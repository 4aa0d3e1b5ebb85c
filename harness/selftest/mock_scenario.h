// Scenarios of mocks, made without a file.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/part/catalog.h"
#include "harness/record/scenario.h"

namespace benchbench::selftest {

// Keys with their prefix ("loader.read_time"), values as YAML text ("2ms"); later ones win.
using Given = std::vector<std::pair<std::string, std::string>>;

// Complete: the defaults of the harness's keys and of the parts that `loader.use` and `trainer.use`
// name, then what is given. On the CPU, one intra-op thread, windows of class selftest. PartError
// for an unknown part, key or value.
Scenario mock_scenario(std::string name, const Given& given, const Catalog& catalog);

// The same scenario with more given.
Given with(Given settings, const Given& more);

}  // namespace benchbench::selftest
