// Every number and judgement of a report, with interval and status: values, which conclusion/ makes
// of records, and of which report/ makes the words.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/alarms/alarm.h"
#include "harness/analysis/choice/axis_effects.h"
#include "harness/analysis/choice/recommended.h"
#include "harness/analysis/components/recovered.h"
#include "harness/analysis/depth/foretold.h"
#include "harness/analysis/external/external.h"
#include "harness/analysis/summary/anchor_runs.h"
#include "harness/analysis/summary/gpu_seen.h"
#include "harness/analysis/summary/nearest_ceiling.h"
#include "harness/analysis/summary/page_faults.h"
#include "harness/analysis/summary/problems.h"
#include "harness/analysis/summary/timelines.h"
#include "harness/analysis/summary/warnings.h"

namespace benchbench {

// How far the loader alone is ahead of the trainer alone: L/T under 1, under kAmpleHeadroom, or
// from there on.
enum class Headroom : std::uint8_t { not_measured, too_little, narrow, ample };
template <>
inline constexpr auto kWordsOf<Headroom> =
    std::to_array<std::string_view>({"not measured", "too little", "narrow", "ample"});

// The next single thing to try.
enum class NextKind : std::uint8_t {
  none,
  more_workers,  // `advice`: of the point `at`
  change,        // `advice`: against what binds, perhaps by hand
  both_sides,    // loader and trainer are balanced: one alone gives nothing
  more_rounds,   // these rounds show too little
  substitute,    // measure what each component costs
  other_modes,   // measure what was left out: without it no side can be named
  valid_trials,  // see why none is
  // Change what takes most of the loading in the user's own code: Findings::external, of the point
  // `at`.
  own_code,
  own_batches,  // the user's loader makes its batches in a way of its own, which no setting changes
  mend_code,    // the user's own code raised: failed_code()
};
template <>
inline constexpr auto kWordsOf<NextKind> = std::to_array<std::string_view>(
    {"none", "more_workers", "change", "both_sides", "more_rounds", "substitute", "other_modes",
     "valid_trials", "own_code", "own_batches", "mend_code"});
struct Next {
  NextKind kind = NextKind::none;
  std::optional<Advice> advice;
  std::uint32_t at = 0;    // the point it starts from
  bool by_search = false;  // a search says it: the last paragraph does not
  // The effect of more workers, if the limit is a loader of the user's own.
  std::optional<WorkersForetold> workers = {};
};

// A job as long as a user says, to be told in hours.
enum class JobUnit : std::uint8_t { samples, epochs, hours };
template <>
inline constexpr auto kWordsOf<JobUnit> =
    std::to_array<std::string_view>({"samples", "epochs", "hours"});
struct JobAsked {
  JobUnit unit = JobUnit::samples;
  double amount = 0;            // hours: with the base's settings
  std::optional<double> price;  // an hour, in the user's own currency
};
struct TrainingJob : JobAsked {
  std::optional<double> samples;  // of the whole job
  // Hours with the base's settings; nullopt where its pipeline has no usable rate, or an epoch is
  // unknown.
  std::optional<double> hours;
  std::optional<double> hours_after;  // with the point to use, where that is another
};

// Why what a wrapped script was seen to do is not told as certain.
enum class Doubt : std::uint8_t {
  none,
  few_rounds,  // fewer than kCertainRounds, which settle no side, or not which settings to use
  // F is faster than L or T alone, which it cannot be: those were not measured as F was.
  above_a_side,
  sides_alike,  // more rounds settle none either, though one of them is named
};
template <>
inline constexpr auto kWordsOf<Doubt> = std::to_array<std::string_view>(
    {"none", "few rounds", "faster than a side alone", "sides alike"});

// What the last paragraph says.
struct Conclusion {
  // The base where a side was looked for, else the point to use, else any; nullopt: nowhere.
  std::optional<std::uint32_t> subject;
  // Doubt about a wrapped script: with one, nothing is advised but how to measure better.
  Doubt doubt = Doubt::none;
  bool what_if = false;  // of mocks, emulated storage or virtual time: what would be, not what is
  // Severity of what its side costs; not of the trainer: a step all training is as it should be.
  Severity severity = Severity::none;
  bool cores_busy = false;             // C is what the pipeline reaches
  bool workers_will_not_help = false;  // more than the subject has, and none that was measured did
  // Of a loader that is real, where workers are spoken of: "native". What was found holds for it
  // alone.
  std::string holds_for;
  std::uint32_t headroom_of = 0;  // the point to use where it has one, else the subject
  Headroom headroom = Headroom::not_measured;
  // The point with the least headroom of those that differ from `headroom_of` in conditions alone
  // (choice/another_job.h) and have less, so that its word is another.
  std::optional<std::uint32_t> least_headroom_of;
  // An epoch of the data set through the base's pipeline, and through that of the point to use
  // where that is another.
  std::optional<double> epoch_seconds, epoch_seconds_after;
  Next next;
  std::optional<TrainingJob> job;  // where the user asked: job_of()
  // Without a subject: where the rate that is believed is highest.
  std::optional<std::uint32_t> fastest_loader, fastest_trainer, fastest_pipeline;
};

struct Findings {
  // How each record was judged. Refers to the records that analyse() was given, which must outlive
  // it. Null where no analyse() made these findings.
  std::shared_ptr<const JudgedTrials> judged = nullptr;
  std::string scenario, question, source;
  std::vector<PointFindings> points;
  // The point of `recommended`, where it is shown to be faster than, or as fast as, all that was
  // compared; nullopt where no difference is shown, and where the base has no usable rate.
  std::optional<std::uint32_t> best;
  std::optional<Recommended> recommended;  // nullopt: the base has no usable rate
  std::vector<AxisEffect> axes;            // as swept; a zip is one
  // Mode of the rates in `over_base`: the pipeline's, else the loader's, else the trainer's.
  Mode compared_mode = Mode::pipeline;
  std::vector<OverBase> over_base;     // by point; the base's own is not_compared
  std::vector<AnchorRun> anchor_runs;  // in the order they ran; empty where the plan has no anchor
  std::optional<StepIdentity> identity;  // of the best point, else of the base
  std::vector<StepIdentity> steps;       // of every point whose pipeline has one, in their order
  // What two identical trials of a round (the plan's anchor) differed by here, today, as a share:
  // `value` is what 95 of 100 pairs stay under; `low` the median and `high` the largest difference
  // seen; `n` pairs.
  Measured aa_floor;
  bool indicative = true;    // some side is not firm (is_firm()), or none is named
  std::uint32_t rounds = 0;  // that gave a usable record
  bool simulated = false;    // times are virtual
  Warnings warnings;
  // Problems of what ran to its end or failed, the worst first; then those of the others.
  std::vector<Problem> problems;
  std::vector<PlannedSkip> skips;
  std::vector<FaultySample> faults;  // distinct faulty samples by id, most 32
  std::uint64_t faulty_samples = 0;  // distinct ones among those that the records name
  Environment environment;
  std::uint64_t trainer_parameters = 0;        // of the base's trainer; 0: none, or not known
  std::optional<std::uint64_t> epoch_samples;  // of the base's data set; nullopt: it has none
  std::vector<std::string> loader_notes;       // what loaders say of how they work here, each once
  double overhead_share = 0;                   // worst of the usable trials
  std::optional<Substitutions> substitutions;  // where measure.substitute asked for it
  // Of the base point.
  std::vector<Timeline> timelines;           // host, device; empty where no pipeline was measured
  std::optional<LoaderWork> loader_work;     // nullopt: no workers, or observer level 0
  std::vector<ProbeFacts> probes;            // of its pipeline, all usable rounds together
  std::optional<CoresUsed> cores;            // likewise; nullopt: not measured
  std::optional<Interference> interference;  // where measure.interference asked for it
  // nullopt: no device with memory of its own, or no round of both
  std::optional<BatchOnDevice> batch_on_device;
  std::optional<GpuSeen> gpu;             // nullopt: no GPU
  std::optional<PageFaults> page_faults;  // of any trial; nullopt: at most 1 % everywhere
  std::vector<NearestCeiling> ceilings;   // empty where none is known of what its bytes passed
  // Depths of the points whose pipeline has times of its batches, in their order.
  std::vector<DepthForetold> depths;
  std::vector<Alarm> alarms;  // one a row of alarm_rows()
  // Loaders and steps in a process of their own, such as the user's Python.
  ExternalFindings external;
  Conclusion conclusion;
  // Trials by Status, those that the plan skipped among them.
  std::array<std::uint32_t, kWordsOf<Status>.size()> trials{};
  std::uint32_t trials_recorded = 0, trials_missing = 0;
  std::uint32_t count(Status s) const noexcept { return trials[static_cast<std::size_t>(s)]; }
};

}  // namespace benchbench
