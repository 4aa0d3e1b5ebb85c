// An archive whose stored bytes lie in memory: the loader without its storage.
#pragma once
#include <memory>

#include "harness/part/sample_format.h"

namespace benchbench {

// Reads every sample once, now. A sample that cannot be read is kept as its error and thrown when it is asked
// for. ScenarioError where memory does not hold them all.
std::unique_ptr<SampleArchive> make_resident(std::unique_ptr<SampleArchive> archive);

}  // namespace benchbench
