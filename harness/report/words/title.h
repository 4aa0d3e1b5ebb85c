// What was measured, under the title.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

// "resnet18 (11.2 M parameters) on cpu, 64 px, batch 16; loader native; 2,048 samples of 109 KB in
// image_folder"; where a variant or --set changed that, "cpu: resnet18, batch 16 in place of
// resnet50, batch 32"; and the base's values where its name has not all of them; how trials used
// the user's Python, "measured L self-timed, F all in Python", with `detail` also what that is.
// From the plan and the records alone: a stored run has the same.
std::vector<std::string> title_lines(const Findings& findings, const Plan& plan,
                                     bool detail = false);

}  // namespace benchbench
