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

// True if another round of a wrapped script could change what is said first, its side being
// settled: its first advice is open, or all stretches of a kind are INVALID.
bool needs_another_round(const Findings& findings);

OpenPart open_part(const Findings& findings);

// Returns open_part() where stretches are NOISY, else none: noise may be why it is open.
OpenPart part_open_by_noise(const Findings& findings);

// True if something is known of a script without a stretch that can be used: where it hung, its
// steps' rate, or how its time divides.
bool is_known_without_stretch(const ExternalPoint& seen);
// True if the base was measured, and no mode of it was skipped that was to run; of a wrapped script
// also if anything else is known of it. False of a plan without points.
bool has_answer(const Findings& findings, const Plan& plan);
// True if what to change is certain: nothing is doubted, or the finding has no cost, so that it was
// seen, however few rounds there are.
bool is_change_certain(const ExternalFinding& finding, const Findings& findings);
// Returns true if the least difference that would have been seen is over 50 %: rounds that would
// not have shown a gain of half the rate say nothing of use.
bool is_blind(const std::optional<double>& detectable);
// True of a wrapped script that ended before a stretch was over.
bool is_without_stretch(const Findings& findings, const Plan& plan);

// True if NOISY is for --detail alone: it says nothing of a wrapped script's answer.
bool hides_noise(const Findings& findings, const Plan& plan);
// True if the point is NOISY, and that is said.
bool is_said_noisy(const Findings& findings, const Plan& plan, const PointFindings& at);

// Returns the findings with VALID for NOISY where that is for --detail alone.
Findings hide_noise(const Findings& findings, const Plan& plan);

}  // namespace benchbench
