// Inside harness/record only: the type that a setting's JSON value alone would be read as.
#pragma once
#include <string_view>

#include "harness/record/value.h"

namespace benchbench {

// "12ms" is a duration, "shared" a text: see "Settings" in results/README.md.
ParameterType type_of_text(std::string_view text);
ParameterType type_without_tag(const Value& value);

}  // namespace benchbench
