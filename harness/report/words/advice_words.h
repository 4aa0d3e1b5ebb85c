// What to change next, in words.
#pragma once
#include <string>
#include <string_view>

#include "harness/analysis/components/advice.h"

namespace benchbench {

// "set loader.io to auto (now library), which reads without the library's lock": one clause,
// without a full stop.
std::string advice_words(const Advice& advice);
// What helps against a component wherever it is: names no setting.
std::string_view next_change(Component component);

}  // namespace benchbench
