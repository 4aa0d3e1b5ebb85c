// `--try num_workers=4,prefetch_factor=8`: other settings of the loader, beside the script's own.
#pragma once
#include <map>
#include <string>

#include "harness/part/wrapped.h"

namespace benchbench {

using TriedSettings = std::map<std::string, ExternalValue>;

// UsageError for what cannot be tried in a script that runs, or is no such value.
TriedSettings settings_to_try(const std::string& text);

// Of those that were asked for what the copy has, and the script's own loader has not.
TriedSettings applied(const TriedSettings& asked, const WrapSteady& steady);

// As Python has it: "num_workers=4, pin_memory=True"; those without a value are left out.
std::string settings_words(const TriedSettings& settings);

}  // namespace benchbench
