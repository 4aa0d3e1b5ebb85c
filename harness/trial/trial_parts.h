// Makes the parts that a trial's settings name.
#pragma once
#include <memory>

#include "harness/part/catalog.h"
#include "harness/record/value.h"

namespace benchbench {

// A part's row. Throws PartError where the catalogue has none of that name or, with `simulated`, where its
// time does not go through the runtime: in virtual time it would seem to take none.
const PartRow& row_of(const Catalog& catalog, PartKind kind, std::string_view name, bool simulated);

// Throws DeviceError where this build or machine has no such device.
std::unique_ptr<Device> device_named(std::string_view name);

}  // namespace benchbench
