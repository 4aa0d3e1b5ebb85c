// An archive of compressed samples that are read and not inflated: the loader without its decoding.
#pragma once
#include <memory>

#include "harness/part/sample_format.h"

namespace benchbench {

// Stored bytes are read as `archive` reads them; a sample's payload is then that of one of at most
// 64 that are held inflated in memory. What is handed to meter.payload() is therefore not what the
// manifest says. DeviceError where the archive's stored bytes cannot be had without inflating them.
std::unique_ptr<SampleArchive> hold_inflated(std::unique_ptr<SampleArchive> archive);

}  // namespace benchbench
