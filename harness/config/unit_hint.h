// A value with a unit, or a word for yes or no, that is written as elsewhere: how it is written
// here.
#pragma once
#include <string>
#include <string_view>

#include "harness/part/description.h"

namespace benchbench::config {

// "3min" for the duration "3m", "true" for "yes"; "" where nothing that a parameter of this type
// takes is near.
std::string in_our_units(ParameterType type, std::string_view text);

// in_our_units as the end of a message: "; did you mean 3min?", or "".
std::string unit_hint(ParameterType type, std::string_view text);

}  // namespace benchbench::config
