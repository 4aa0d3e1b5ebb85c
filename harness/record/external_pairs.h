// Which loaders and trainers run in a process of their own (PartDescription::external).
#pragma once
#include <string>
#include <string_view>

#include "harness/part/catalog.h"
#include "harness/record/value.h"

namespace benchbench {

// Null where the catalogue has no such part, or the harness schedules it.
const PartDescription* external_part(PartKind kind, std::string_view name, const Catalog& catalog);
bool is_external(PartKind kind, std::string_view name, const Catalog& catalog);
// True if the part that <section>use names is one of these; `section` is "loader." or kRepeated.
bool external_loader(const SettingsMap& settings, const Catalog& catalog,
                     std::string_view section = "loader.");
// True if trainer.use names such a part.
bool external_trainer(const SettingsMap& settings, const Catalog& catalog);

// Whether the loader repeats batches that another made: where the scenario has a loader of the
// user's code, those are its.
bool repeats_batches(std::string_view loader) noexcept;

}  // namespace benchbench
