// How well the orders that a run compares are shuffled.
#pragma once
#include <string>

#include "harness/analysis/findings.h"

namespace benchbench {

// "random 1.00 (under 0.1 % of neighbours together), sequential 0.00 (100 %)": each order once, in
// the order of the points; "" where orders do not differ.
std::string orders_line(const Findings& findings, const Plan& plan);

}  // namespace benchbench
