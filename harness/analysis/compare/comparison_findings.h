// Two runs against each other: what compare_runs() finds; report/compare/ makes the words.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/compare/run_differences.h"
#include "harness/analysis/components/stage_growth.h"
#include "harness/analysis/findings.h"
#include "harness/analysis/metrics/metric.h"
#include "harness/analysis/statistics/difference.h"
#include "harness/core/words.h"

namespace benchbench {

// Of one metric at one point: B against A. SLOWER is worse and FASTER better, also of times and
// memory.
enum class Judged : std::uint8_t { slower, faster, same, unsure, invalid };
template <>
inline constexpr auto kWordsOf<Judged> =
    std::to_array<std::string_view>({"SLOWER", "FASTER", "SAME", "UNSURE", "INVALID"});

// Why a judgement is UNSURE or INVALID.
enum class Unsure : std::uint8_t {
  none,
  // Trials of all rounds ran in one process: what differs between processes is in no interval.
  one_process,
  canary,          // a canary moved: the machine is not what it was
  spread_unknown,  // what the machine differs by from one session to the next is not known
  // There are too few rounds without the NOISY ones; of pairs only where noise comes with a side.
  noisy,
  few_rounds,  // no outcome of so few rounds could have been called
  // It is no more than windows that begin elsewhere may differ by, all of a side alike.
  cut_windows,
  wide,       // neither called nor shown to be the same
  no_rounds,  // INVALID: a side has no usable round
};
template <>
inline constexpr auto kWordsOf<Unsure> = std::to_array<std::string_view>(
    {"", "one_process", "canary_moved", "spread_unknown", "noisy_rounds", "few_rounds",
     "cut_windows", "wide_interval", "no_usable_rounds"});

// The result of a metric over the rounds, more being better, and its judgement.
struct MetricComparison : Comparison {
  const Metric* metric = &rate_metric(Mode::pipeline);
  Judged judgement = Judged::unsure;
  Unsure why = Unsure::none;
  std::string reason;  // of no_rounds: of the first trial without a usable record, as stored
  Measured a, b;       // in the metric's unit, over the rounds used
  std::uint32_t rounds_a = 0, rounds_b = 0;  // used; of pairs both the same
  std::uint32_t noisy = 0;                   // of these, no clean pairs, or of sets NOISY ones
  std::uint32_t left_out = 0;                // usable rounds that were not used for the same reason
  // Share by which B is above A: of rates and times B/A - 1, of the wait the difference as a share
  // of A's step.
  Measured change;
  // Round by round, likewise a share: of pairs B over A in that round, else each round of B over
  // the mean of A.
  std::vector<double> single;
  // Standard deviations of one round as shares: between rounds, of A and of B; under two rounds 0.
  double between_a = 0, between_b = 0;
  double threshold = 0;      // a smaller change is never called
  std::uint32_t points = 1;  // that share these trials; named at the first

  // Share by which B is worse than A; below 0 it is better.
  double worse() const noexcept {
    return !change ? 0 : metric->is_rate() ? -change->value : change->value;
  }
  bool is_called() const noexcept {
    return judgement == Judged::slower || judgement == Judged::faster;
  }
};

// Which stage the change lies in.
struct MovedStage {
  enum class By : std::uint8_t {
    substitution,  // name_fault(): component by component, of the base point
    step,          // parts of the trainer's step
    loader,        // stages of the loader, in ms of work a batch
  };
  By by = By::step;
  std::string name;       // "decode"; empty: none has grown (or shrunk) clearly
  std::string tied_with;  // of substitution: the second of a tie
  Measured ms;            // B - A, of that stage
  // With `loader`: the trainer's wait for batches has moved, and this within the loader.
  bool waited_for = false;
  Measured step_ms;  // B - A, of the whole step
};

struct PointComparison {
  std::uint32_t a = 0, b = 0;  // indices of the two points
  std::string name;
  bool canary = false;  // mocks on both sides, beside points that have real parts
  Side side_a = Side::unknown, side_b = Side::unknown;
  bool side_moved = false;  // both known, and not the same
  std::vector<MetricComparison> metrics;
  std::optional<MovedStage> stage;  // where a rate or the wait is SLOWER or FASTER
  bool changed() const noexcept;
};

// Why the two cannot be compared at all.
enum class NotComparable : std::uint8_t {
  none,
  other_hardware,
  mixed_hardware,   // records of several machines in one of them
  clocks,           // one is of the simulated clock
  no_usable_trial,  // one has no VALID or NOISY trial
  no_common_point,
};
template <>
inline constexpr auto kWordsOf<NotComparable> = std::to_array<std::string_view>(
    {"", "other_hardware", "mixed_hardware", "clocks", "no_usable_trial", "no_common_point"});

// How the rounds of A and B belong together.
enum class Relation : std::uint8_t {
  stored,       // two sessions
  interleaved,  // one session: each round ran both
  itself,       // the same records
};
template <>
inline constexpr auto kWordsOf<Relation> =
    std::to_array<std::string_view>({"stored", "interleaved", "itself"});

struct ComparisonFindings {
  Relation relation = Relation::stored;
  NotComparable not_comparable = NotComparable::none;
  std::string not_comparable_detail;  // what differs, or which of the two it is of: "A", "B"
  std::string not_comparable_reason;  // of no_usable_trial: why its first trial is none, as stored
  std::string scenario_a, scenario_b;
  std::vector<PointComparison> points;
  std::vector<std::string> only_a, only_b;  // names of points that the other one lacks
  std::vector<RunDifference> differences;   // software first
  bool simulated = false;
  bool one_process = false;      // some trials ran with measure.isolation none: nothing is gated
  std::optional<double> spread;  // of sessions, as given; of virtual time 0
  std::vector<std::string> moved_canaries;   // by more than kMinEffect (history/canaries.h)
  std::uint32_t rounds_a = 0, rounds_b = 0;  // with a usable record
  // How often a comparison may have been looked at: interleaved sides go on with as many rounds as
  // were asked for while something is UNSURE.
  std::uint32_t looks = 1;
  // One run of the anchor, within a process: standard deviation as a share; nullopt where nothing
  // was repeated in a round.
  std::optional<double> within_a, within_b;

  std::size_t count(Judged j) const noexcept;
  bool says_nothing() const noexcept;  // nothing is SLOWER, FASTER or SAME
};

}  // namespace benchbench
