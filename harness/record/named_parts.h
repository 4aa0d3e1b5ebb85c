// The loaders and trainers that settings name, and what their descriptions say of them.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"
#include "harness/record/value.h"

namespace benchbench {

struct NamedPart {
  PartKind kind;
  std::string_view use;     // the key that names it
  std::string_view prefix;  // of its own keys
};
inline constexpr std::array<NamedPart, 4> kNamedParts{
    {{PartKind::loader, keys::loader.use, "loader."},
     {PartKind::trainer, keys::trainer.use, "trainer."},
     {PartKind::loader, kRepeatedUse, kRepeated},
     {PartKind::loader, "beside.loader.use", "beside.loader."}}};

// Returns the part's row, nullptr where the settings name none or the catalogue lacks it.
const PartRow* find_part(const NamedPart& part, const SettingsMap& settings,
                         const Catalog& catalog);
// Return the row of the loader, and of the trainer, that the settings name; nullptr likewise.
const PartRow* find_loader(const SettingsMap& settings, const Catalog& catalog);
const PartRow* find_trainer(const SettingsMap& settings, const Catalog& catalog);

// Returns what contradicts itself in the part's settings (PartDescription::check), or what of
// the loader's batches a trainer does not take: their channels, their tokens.
std::optional<ScenarioError> find_contradiction(const NamedPart& part, const SettingsMap& settings,
                                                const Catalog& catalog);

// The rest is about parts that run in a process of their own (PartDescription::external).
// Null where the catalogue has no such part, or the harness schedules it.
const PartDescription* external_part(PartKind kind, std::string_view name, const Catalog& catalog);
bool is_external(PartKind kind, std::string_view name, const Catalog& catalog);
// True if the part that <section>use names is one of these; `section` is "loader." or kRepeated.
bool external_loader(const SettingsMap& settings, const Catalog& catalog,
                     std::string_view section = "loader.");
// True if trainer.use names such a part.
bool external_trainer(const SettingsMap& settings, const Catalog& catalog);

// True if the loader repeats batches that another made: where the scenario has a loader of the
// user's code, those are its.
bool repeats_batches(std::string_view loader) noexcept;

}  // namespace benchbench
