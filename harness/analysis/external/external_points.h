// What was seen of one point's loader, whatever is wrong with it.
#pragma once
#include "harness/analysis/external/external_windows.h"

namespace benchbench {

ExternalPoint external_point(const LoaderTrials& trial);

}  // namespace benchbench
