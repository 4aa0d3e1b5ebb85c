// What a child that verified a data set tells, as text.
#pragma once
#include <string>
#include <string_view>

#include "harness/trial/data_pass.h"

namespace benchbench {

std::string data_pass_payload(const DataPass& pass);
// The inverse; PartError where it is none. Counts and faults come back, times of stages do not.
DataPass data_pass_from(std::string_view payload);

}  // namespace benchbench
