// Settings with their types, for programs: what `settings` has as text.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "harness/record/value.h"

namespace benchbench {

// {key: {"type": "boolean|integer|real|duration|bytes|rate|bandwidth|text|choice",
//        "value": bool, number, text or null for none,
//        "unit": "ns|bytes|1/s|bytes/s", where it has one}}
nlohmann::ordered_json setting_values(const SettingsMap& settings);

}  // namespace benchbench
