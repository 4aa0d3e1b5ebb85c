// What settings say of a loader or step that runs in a process of its own
// (PartDescription::external).
#pragma once
#include <string>
#include <string_view>

#include "harness/part/external.h"
#include "harness/record/value.h"

namespace benchbench {

// The harness's keys, comma-separated and without "loader.", that such a loader keeps as the user's
// code has them: they cannot be given to it. The values that settings hold for them are the
// loader's own where known, else mean nothing.
inline constexpr std::string_view kUsersOwn = "users_own";

// trainer.intra_op_threads, where as many as the user's own code has are to stay.
inline constexpr std::int64_t kUsersOwnThreads = 0;

// What is to be given to such a loader; `section` is where its settings are: "loader.",
// kRepeated. Without workers there is no prefetch_factor.
ExternalLoaderKeys external_keys_of(const SettingsMap& settings,
                                    std::string_view section = "loader.");

// Whether such a loader keeps this key, "batch_size", as the user's code has it.
bool keeps_own(const SettingsMap& settings, std::string_view key,
               std::string_view section = "loader.");

// Without workers PyTorch takes no prefetch_factor, persistent_workers or multiprocessing_context:
// the first is set to its default then, the others are erased; as is multiprocessing_context: none,
// which says nothing.
void drop_what_needs_workers(SettingsMap& settings);
// Of a key such as "loader.prefetch_factor".
bool needs_workers(std::string_view key) noexcept;

// Which code a section ("loader.", "trainer.") names: equal texts are the same call but for its
// arguments; "" where it names none.
std::string code_of(const SettingsMap& settings, std::string_view section);

// A free key's value, so that values of different types differ: 1, 1.0, "1". Other keys' values as
// Value::text() has them.
std::string exact_text(std::string_view key, const Value& value);

// The type that an unquoted word has in YAML: true or false, a whole number, a number, else text.
// nullopt where it is a whole number that is too large.
std::optional<Value> yaml_scalar(std::string_view word);

}  // namespace benchbench
