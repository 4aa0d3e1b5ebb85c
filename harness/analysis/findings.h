// Records -> Findings: every number and judgement of the report, with interval and status; report/
// makes the words. Pure; deterministic.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/alarms/alarm.h"
#include "harness/analysis/conclusion/advice.h"
#include "harness/analysis/depth/foretold.h"
#include "harness/analysis/estimate.h"
#include "harness/analysis/external/external.h"
#include "harness/analysis/severity.h"
#include "harness/analysis/thresholds.h"
#include "harness/part/component.h"
#include "harness/record/trial_record.h"

namespace benchbench {

enum class Side : std::uint8_t { unknown, loader, trainer, balanced, contention };
template <>
inline constexpr auto kWordsOf<Side> = std::to_array<std::string_view>(
    {"not measured", "loader", "trainer", "balanced", "contention"});

// What could be named of several components.
enum class Naming : std::uint8_t { not_measured, none, one, tie };

// Who else uses what a trial runs on (R09): other programs on its cores, other guests of its host,
// another process on its GPU.
enum class Neighbour : std::uint8_t { programs, guests, on_gpu };

// Steps far beyond the usual, over all usable rounds of a point's pipeline.
struct StallFindings {
  std::uint64_t count = 0, steps = 0;  // stalls, of so many steps
  double share = 0;  // of the windows' time, beyond what usual steps would have taken
  double longest_ms = 0;
  std::optional<StallCause> cause;  // what cost most
  double period_steps = 0;          // they come every so many steps; 0: at no period
};

// Which side holds a point back, and what it costs (verdict.h).
struct Verdict {
  std::uint32_t rounds = 0;  // with usable L, T and F: what it rests on
  Side side = Side::unknown;
  // Side unknown because the rounds, or the steps of one, differ too much to name one.
  bool unclear = false;
  // The rounds of a wrapped script settle what is said, however few they are.
  std::optional<bool> settled;
  // The share within which L and T are known to lie, where a wrapped script's are balanced.
  std::optional<double> within;
  // The side is named by its waits and because F equals its rate; what it costs beyond the other
  // side is not known.
  bool by_waits = false;
  Measured step_ms;  // wall time of a step of the pipeline
  // Per step of the pipeline, what the loader or trainer that is named takes by itself, batch/L or
  // batch/T: a share of the step within its round, at most all of it, in ms of the mean step.
  Measured side_takes_ms;
  // Per step, what the named side and each side cost: shares of the step with their interval, in ms
  // of the mean step.
  Measured side_cost_ms;  // nullopt where by_waits
  Measured loader_cost_ms, trainer_cost_ms, contention_ms;
};

// How much of a point can be believed, and why not.
struct PointStatus {
  Status status = Status::valid;
  std::vector<Reason> reasons;
  // By Mode; nullopt where the mode was not asked for. A rate whose mode is INVALID is shown and
  // used for nothing.
  std::array<std::optional<Status>, 3> mode_status{};
  // By Mode: without a record, for the run ended before; ABORTED then is no trial's status.
  std::array<bool, 3> never_ran{};
};

struct PointFindings : PointStatus, Verdict {
  std::uint32_t point = 0;
  std::string name;                                             // Point::name()
  Measured loader_rate, trainer_rate, pipeline_rate, cpu_rate;  // samples/s
  // By Mode: the side takes too little time to be resolved, and its rate is at least that.
  std::array<bool, 3> bound{};
  bool is_bound(Mode mode) const noexcept { return bound[static_cast<std::size_t>(mode)]; }
  Measured headroom, overlap_efficiency;  // shares, within-round ratios
  // Who may have cost most of the contention; nullopt where no neighbour could
  // (hindering_neighbour()).
  std::optional<Neighbour> hindered_by = {};
  // A worker's wait for a lock that all share, per step; nullopt where it is not metered.
  std::optional<double> lock_wait_ms;
  Measured exposed_wait_ms;  // mean per step, with percentiles beside
  // Mean per step in which its batch was there and the trainer's thread had no core; nullopt also
  // where it is not known when a batch is there.
  Measured core_wait_ms;
  // In ns, of the last usable round; p90 and p99 are NaN under kTailBatches.
  std::optional<Distribution> exposed_wait;
  Measured gain;  // pipeline rate against num_workers: 0 of otherwise equal settings
  std::optional<double> cache_share;  // of the bytes read, from the page cache
  std::optional<std::uint64_t> peak_memory_bytes;
  std::optional<double> epoch_gap_ms, first_batch_ms;
  std::optional<double> payload_bytes_per_sample;
  // Bytes per delivered sample that the loader asked for, and that storage devices gave.
  std::optional<double> read_bytes_per_sample, device_bytes_per_sample;
  // Of its order of samples: how far samples are from their place in storage, 1 = uniform random;
  // the share followed by their successor in storage.
  std::optional<double> shuffle_displacement, shuffle_together;
  std::optional<std::uint64_t> epoch_samples;  // of one epoch, where a data set is read
  // A share of all elements (tokens) in rows; nullopt where nothing is padded.
  std::optional<double> padding_share;
  std::map<std::string_view, double> from_facts;  // by the metric's name (Metric::from_facts)
  std::uint32_t batch_size = 0;
  // Of its pipeline (of the loader alone where that was all).
  CacheState cache_state;                               // unknown where no data set was read
  SteadinessKind steadiness = SteadinessKind::unknown;  // the least steady round's
  std::optional<StallFindings> stalls;                  // nullopt: steps were not looked at
  double overhead_share = 0;                            // what measuring cost the worst trial
  // The loader is an iterable of the user's: num_workers says nothing of it.
  bool own_workers = false;
  bool steps_elsewhere = false;  // its steps are a device's: point_summary.h
  // Such a loader was seen to make its batches between steps, not during them.
  bool own_in_turn = false;
};

// One thread's time, per step of one point's pipeline, over all usable rounds. Parts and residual
// add up to the step.
struct Timeline {
  std::string name;      // "host", "device"
  bool measured = true;  // false: batches stay on the host, whose timeline has all the work
  double step_ms = 0;
  std::vector<std::pair<std::string, double>> parts;  // ms per step
  double residual_ms = 0;     // what no part accounts for; below 0, something was billed twice
  double residual_share = 0;  // of the step
};

// What workers did, in ms of all workers together per step: work and waits, which may lie beside
// the step.
struct LoaderWork {
  std::uint32_t workers = 0;
  std::vector<std::pair<std::string, double>> parts;  // stages, then "slot_wait", "queue"
  double residual_ms = 0;                             // filling that no stage accounts for
};

// The trainer alone, and while the loader runs beside it into nothing, within rounds.
struct Interference {
  Measured ratio;  // its rate beside the loader over its rate alone; under 1, the loader slows it
  Measured background_rate;  // samples/s of the trainer
  Measured loader_rate;      // samples/s of the loader, meanwhile
};

// The trainer with a batch that is on its device already, and with the copy of each batch, within
// rounds.
struct BatchOnDevice {
  Measured rate;   // samples/s without copies
  Measured ratio;  // over the trainer's rate with them; over 1, what they cost it
};

// The GPU that the base's steps ran on, and what NVML does not say of it: no rule judges that.
struct GpuSeen {
  std::string name, model, uuid;  // "cuda:0", "NVIDIA H100 80GB HBM3"
  std::optional<bool> divided;    // MIG: it is a part of a GPU
  std::string absent;             // why NVML was not asked; "" where it was
  bool users_known = false, slowing_known = false, errors_known = false;
  // Means over the windows of its pipeline, else of its trainer: facts, of which none is a doubt.
  std::optional<double> clock_hertz = {}, clock_share = {};  // the share of that in machine.yaml
  std::optional<double> power_capped_share = {}, joules_per_sample = {};
  std::optional<double> power_limit_watts = {};
  std::optional<std::uint64_t> pcie_generation = {}, pcie_width = {};
};

// The measured ceiling of this machine that a mode's bytes came nearest to, in bytes a second.
struct NearestCeiling {
  Mode mode = Mode::pipeline;
  std::string ceiling;  // as in machine.yaml: "disk_read_cold"
  double rate = 0, ceiling_rate = 0;
  double share() const noexcept { return ceiling_rate > 0 ? rate / ceiling_rate : 0; }
};

// The step of one point's pipeline, adding up: name -> ms per step, last entry "other".
struct StepIdentity {
  std::uint32_t point = 0;
  double step_ms = 0;
  std::vector<std::pair<std::string, double>> parts;  // of the trainer's thread, ms
  // The same step on a device with memory of its own; else empty.
  std::vector<std::pair<std::string, double>> device_parts;
};

// What a step would win if one component were free.
struct Recovered {
  Component component = Component::storage;
  Measured ms;  // per step; nullopt: not measured
  // Each round's share of that round's own step: what another run is compared with, since `ms`
  // tells shares of the mean step and leaves out what steps differ by.
  std::map<std::uint32_t, double> ms_by_round;
  bool planned = false;  // it was to be measured; otherwise freeing it would change nothing
  double share = 0;      // of the step
  bool derived = false;  // from rates, not from a trial in which it alone was free
  Severity severity = Severity::none;  // by share; none where not clear of 0 or not measured
  // Freed, the step is no longer than the other side alone: it may cost more than what is told, and
  // what it is told to cost is told of its siblings too.
  bool bounded = false;
};

// The base point taken apart by substitution.
struct Substitutions {
  std::uint32_t point = 0;
  std::uint32_t rounds = 0;  // that the binding component rests on
  double batch = 0;          // samples a step
  Measured step_ms;
  std::map<std::uint32_t, double> step_ms_by_round;
  Measured loader_ms, trainer_ms;     // recovered if that whole side were free
  std::vector<Recovered> components;  // by ms, largest first; what was not measured last
  // A worker's wait for a lock that all share, per step; nullopt where it is not metered.
  std::optional<double> lock_wait_ms;
  Naming binding = Naming::not_measured;
  std::vector<Component> bound_by;  // the one named, both of a tie
  // Against the first of `bound_by`; nullopt where analyse() has no catalogue.
  std::optional<Advice> advice;
};

// What took belief from trials, or ended them: all that has one status and rule.
struct Problem {
  struct Mention {
    std::uint32_t trial = 0, round = 0;
    std::string text;  // the reason as recorded
  };
  Status status = Status::valid;
  std::string rule;               // "R06"; empty: a cause that is no rule
  std::vector<Mention> mentions;  // by trial, round, repeat
  std::string details;  // of the first that has some: lines as they are, such as a traceback
};

// What the plan knew to be impossible here, so that it has no record: whole points, and single
// trials of others.
struct PlannedSkip {
  std::string why;
  std::vector<std::uint32_t> points, trials;
};

// The cores that were kept busy, on average over windows, and by whom. A program may use a core
// that no trial wants.
struct CoresUsed {
  double ours = 0, others = 0;  // of the process tree; of other programs
  double most = 0;              // of other programs, in one window
  double cpus = 0;              // that the trials may use
  // The share of the time in which a thread of ours was ready to run and had no core, since another
  // one of ours or another program had it: of the thread for which that is the largest.
  std::optional<double> no_core_share;
};

// Minor page faults of the trial that they take most of.
struct PageFaults {
  std::uint32_t trial = 0;
  double per_step = 0;
  double each_ms = 0;  // as measured on this machine
  double share = 0;    // of the time of the trial's threads
};

// Two runs of one round with the same mode and settings that differ more than their windows
// explain.
struct UnlikeRepeats {
  PlannedRun slow, fast;
  double ratio = 1;          // the faster one's rate over the slower one's
  bool page_faults = false;  // the slower one's further page faults explain it
};

// What a reader must know before believing a comparison.
struct Warnings {
  struct Storage {
    std::vector<std::string> axes;  // swept, and of how data lie or are read
    // The least share of any point, almost all; nullopt where it was not measured.
    std::optional<double> from_cache;
  };
  // What a trial could not do as asked, in its words.
  struct Notice {
    std::string text;
    std::vector<std::uint32_t> trials;
    bool all = false;  // of several, all that ran
  };
  struct PeriodicStalls {
    std::uint32_t point = 0;   // where they cost most
    std::uint32_t points = 0;  // that have some
  };
  // A mock that took longer than it was asked to, in the trial where that is most: over the usable
  // rounds together.
  struct LateMock {
    bool trainer = false;  // else the loader
    std::uint32_t trial = 0;
    double asked_ms = 0, taken_ms = 0;  // a step, a batch
    std::uint32_t trials = 0;  // whose rate is not the one asked for either, this one among them
  };
  // A trial whose rate in a process that had run others is not that in one of its own.
  struct SharedProcess {
    std::uint32_t trial = 0;
    double gap = 0;  // 0.03: 3 % faster there
  };
  std::optional<Storage> storage;  // swept, but not known to be compared
  std::vector<Notice> notices;
  std::optional<PeriodicStalls> stalls;
  std::vector<LateMock> late_mocks;  // loader, trainer
  std::optional<UnlikeRepeats> unlike_repeats;
  std::optional<CoresUsed> other_programs;  // nullopt: hardly any, or not measured
  std::uint32_t foreign = 0;                // records of another plan, left out
  std::optional<SharedProcess> shared_process;
  bool shared_unchecked = false;  // processes were shared, and no trial was measured both ways
};

// What the rounds show of one setting's rate against another's.
enum class Shown : std::uint8_t {
  not_compared,  // no usable round of both
  not_shown,     // the interval holds 1, or the difference is less than these rounds can show
  faster,
  slower,  // clearly, and by enough (paired.h)
  same,    // the interval lies within 2 %
};

template <>
inline constexpr auto kWordsOf<Shown> =
    std::to_array<std::string_view>({"not compared", "not shown", "faster", "slower", "same"});

// One setting against another, paired within rounds.
struct Paired {
  Shown shown = Shown::not_compared;
  Measured ratio;  // its rate over the other's
  // The least difference, as a share, that would have been shown; nullopt under two rounds, which
  // show nothing.
  std::optional<double> detectable;
};

// One point's rate against the base's: whatever differs in their settings, samples are samples.
struct OverBase : Paired {
  std::map<std::uint32_t, double> by_round;  // the ratio within each round that has both
};

// One run of the plan's anchor: the same trial again and again, so that what its rates differ by is
// the machine.
struct AnchorRun {
  std::uint64_t sequence = 0;  // the record's: trials ran in this order
  std::uint32_t round = 0;
  Status status = Status::valid;
  double ratio = 0;  // its rate over the median of all usable ones
};

// What a swept axis gave against the base, at otherwise the base's settings.
enum class AxisOutcome : std::uint8_t {
  gain,                // a value is shown to be faster than the base
  loss,                // every value compared is shown to be slower
  nothing,             // no value is faster, and the best of them is within 2 % of the base
  not_shown,           // of the best value no difference is shown; `detectable` would have been
  could_not_be_tried,  // every value is SKIPPED
  invalid,             // the base or no value that ran can be compared
  not_compared,        // a grid whose values differ from the base in other axes too
};
template <>
inline constexpr auto kWordsOf<AxisOutcome> = std::to_array<std::string_view>(
    {"gain", "loss", "nothing", "not shown", "could not be tried", "invalid", "not compared"});

struct AxisValueEffect : Paired {  // against the base
  std::uint32_t point = 0;
  std::string label;              // "4"
  Status status = Status::valid;  // the point's
};
struct AxisEffect {
  // "loader.num_workers"; of a zip all of its keys: "loader.num_workers, loader.batch_size".
  std::string key;
  AxisOutcome outcome = AxisOutcome::not_compared;
  std::string base_label;  // the base's value; empty where a part is the axis and has none
  std::vector<AxisValueEffect> values;  // the points that differ from the base in this axis alone
  // The one of `values` that the outcome is said of; nullopt where nothing was compared.
  std::optional<std::size_t> best;
  std::optional<double> detectable;  // of not_shown: by the value that is known least
  std::string why;                   // of could_not_be_tried and invalid: the first reason
  const AxisValueEffect* best_value() const { return best ? &values[*best] : nullptr; }
};

// Why a point is the one to use.
enum class Choice : std::uint8_t {
  only_one,  // no other point could be compared with the base
  // The base: none is shown to be faster, and some might be; `detectable` would have been shown.
  no_difference_shown,
  base_is_best,  // the base: every other is shown to be slower or the same
  faster,        // shown to be faster than the base
  cheaper,       // within 2 % of the base, as shown, with fewer workers or less memory
};
template <>
inline constexpr auto kWordsOf<Choice> = std::to_array<std::string_view>(
    {"only one", "no difference shown", "base is best", "faster", "cheaper"});

// The point to use: the cheapest (fewest workers, then least memory) within 2 % of the fastest that
// is shown to be faster than the base or equal to the fastest. The largest of many ratios is larger
// than its point's true one: from five rounds on the intervals that decide are those of all
// comparisons together (paired.h).
struct Recommended {
  std::uint32_t point = 0;
  Choice choice = Choice::only_one;
  // Mode of the rates that were compared: the pipeline's, else the loader's, else the trainer's.
  Mode mode = Mode::pipeline;
  // Points other than the base, of the same job (choice/another_job.h).
  std::uint32_t compared = 0;
  // Points of another job than the base's, whatever their rates.
  std::uint32_t other_jobs = 0;
  std::uint32_t fastest = 0;          // the point that `point` may be the cheaper one of
  Paired over_base;                   // of `point`
  std::optional<std::uint32_t> next;  // the fastest of the others
  Paired over_next;  // of `fastest` over it: not_shown means that it is no winner over that one
  // For no_difference_shown alone; nullopt where a setting ran in one round only.
  std::optional<double> detectable;
  Paired fastest_over;  // of `fastest` over `point`, where they are two
};

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

class JudgedTrials;  // judged_trials.h

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

// `catalog`: what advice is checked against; without it, none is given.
Findings analyse(const Plan& plan, std::span<const TrialRecord> records,
                 const Catalog* catalog = nullptr);

}  // namespace benchbench
