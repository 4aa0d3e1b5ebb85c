// One value as written -> a typed Value in range, or a diagnostic under it.
#pragma once
#include <optional>

#include "harness/config/key_table.h"
#include "harness/config/layer.h"
#include "harness/record/value.h"

namespace benchbench::config {

// `auto` comes back as text "auto" where the key takes it; what it means is decided later
// (automatic.h).
std::optional<Value> check_value(const Entry& entry, const KnownKey& known, const Catalog& catalog,
                                 Diagnostics& diagnostics);

// The value held is the word `auto`, still to be decided.
bool is_auto(const Value& value);

}  // namespace benchbench::config
