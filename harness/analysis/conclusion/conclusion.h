// What the last paragraph says, as values.
#pragma once
#include "harness/analysis/findings.h"
#include "harness/part/catalog.h"

namespace benchbench {

// From findings that are complete but for `conclusion`. Speaks of the base point where a side was
// looked for, else of the point to use, else of any. Nothing in it rests on a rate that is INVALID.
// `catalog` is what the next thing to try is checked against; nullptr: it is not checked.
Conclusion conclude(const Plan& plan, const Findings& findings, const Catalog* catalog);

// Of a lock that is free now and then a worker waits for a moment, and more workers help all the
// same; not from a tenth of the step on.
bool workers_wait_for_lock(const PointFindings& point);
// True if the trainer waits meanwhile, so that the lock is the pipeline's limit or a part of it.
bool is_held_back_by_lock(const PointFindings& point);
// Returns the limit of a wrapped script of which only F can be used, by its wait for batches: the
// loader where that is most of the step, the trainer where it is under kWorth of it. Unknown of
// any other point.
Side side_by_wait(const PointFindings& point);
// The rate of a point's mode; nullopt where nothing may use it.
Measured usable_rate(const PointFindings& point, Mode mode);

// Says how far ahead a ratio of L to T is.
Headroom headroom_word(const Measured& headroom);

// Whether nothing can be recommended since the fastest of the other settings ran in one round only.
bool is_of_one_round(const Recommended& recommended) noexcept;

// The point to use, where that is another than the base.
std::optional<std::uint32_t> other_point_to_use(const Findings& findings);

// Whether that one was compared with the base in as many rounds as a wrapped script's answer takes,
// whatever its sides' were.
bool is_choice_certain(const Findings& findings);

// Returns true if there is such a finding.
bool has_fault(const Findings& findings, ExternalFault fault);
// The point whose findings are to be known first: the one to use, else the base, else the first
// that has some; nullptr where none.
const ExternalPoint* external_subject(const Findings& findings);

// Returns the findings whose changes are advised, in the order in which they are, behind the point
// to use and before what is next.
std::vector<const ExternalFinding*> advised_findings(const Findings& findings);
// Returns the finding whose change is the first advice; nullptr where none is.
const ExternalFinding* first_advised(const Findings& findings);

// How many times as fast the base's data goes through the pipeline with the point to use: by the
// rounds of both, else by their rates. nullopt where that point is the base, has another data set,
// or was not found by the pipeline's rates.
std::optional<double> pipeline_gain(const Plan& plan, const Findings& findings);

// An epoch of the data set through the point's pipeline, with what a wrapped script does outside of
// its steps, else with the gap until the next epoch where one was measured.
std::optional<double> epoch_seconds(const Findings& findings, std::uint32_t point);
// What the time of the same work becomes with the point to use, as a share of the base's, gaps
// between epochs included; nullopt as for pipeline_gain().
std::optional<double> time_after(const Plan& plan, const Findings& findings);

}  // namespace benchbench
