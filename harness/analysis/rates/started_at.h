// When records were begun, from the text that they keep of it.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/record/trial_record.h"

namespace benchbench {

// "2026-11-21T10:00:00Z" and the same with fractions of a second, as seconds since 1970; nullopt of
// anything else.
std::optional<double> seconds_of(std::string_view time);
// started_at of the record that began first; empty, nullopt: there is none.
std::string first_start_text(std::span<const TrialRecord> records);
std::optional<double> first_start(std::span<const TrialRecord> records);

}  // namespace benchbench
