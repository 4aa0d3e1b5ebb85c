// What a look at the user's own code adds to a scenario: settings that it brings, and what cannot
// be asked of it.
#pragma once
#include <vector>

#include "harness/config/layer.h"
#include "harness/config/scenario_file.h"
#include "harness/config/sweep.h"

namespace benchbench::config {

struct CodeContext {
  const Given& given;  // to the base point
  const std::vector<WrittenAxis>& written;
  const ScenarioRequest& request;
  const Catalog& catalog;
};

// Keys that were given by no layer take the value that the user's DataLoader has; those that cannot
// be given are dropped in words, or refused where they are swept. What is wrong with the code is
// told at the line that names it.
void look_at_users_code(Scenario& scenario, const CodeContext& context, Diagnostics& diagnostics);

}  // namespace benchbench::config
