// The certainty of the answer on a wrapped script: its side, the settings to use and its first
// advice. The one place that decides it for all reports, for exit codes and for rounds that go on.
// Pure. All are of findings that have their conclusion.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "harness/analysis/findings.h"

namespace benchbench {

// The part of the answer that could be another one, the first of those that could.
enum class OpenPart : std::uint8_t { none, side, settings, advice };
template <>
inline constexpr auto kWordsOf<OpenPart> =
    std::to_array<std::string_view>({"none", "side", "settings", "first advice"});

// True if the doubt is of the side, not only of which settings to use.
bool is_side_doubted(const Findings& findings);

// True if more rounds could show that another advice comes first: the finding that is advised
// first was seen in fewer rounds than settle a side on this machine, or its share of the step may
// be below that of the next finding, or below what makes it a finding. False of what rounds do not
// measure, such as a lock that was held, and where no finding is advised.
bool is_first_advice_open(const Findings& findings);

OpenPart open_part(const Findings& findings);

// Returns open_part() where stretches are NOISY, else none: noise may be why it is open.
OpenPart part_open_by_noise(const Findings& findings);

// True if NOISY is for --detail alone: it says nothing of a wrapped script's answer.
bool hides_noise(const Findings& findings, const Plan& plan);

// Returns the findings with VALID for NOISY where that is for --detail alone.
Findings hide_noise(const Findings& findings, const Plan& plan);

}  // namespace benchbench
