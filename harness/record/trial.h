// What is to be run: trials, the points they serve, and the plan that holds them.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/words.h"
#include "harness/part/column_names.h"
#include "harness/part/component.h"
#include "harness/record/scenario.h"
#include "harness/record/value.h"

namespace benchbench {

enum class Mode : std::uint8_t { loader, trainer, pipeline };
template <>
inline constexpr auto kWordsOf<Mode> =
    std::to_array<std::string_view>({"loader", "trainer", "pipeline"});

// What a trial measures beyond the three modes.
enum class AblationKind : std::uint8_t {
  none,
  free,              // the pipeline with one component free
  four_times_batch,  // the pipeline with four times the batch
  one_worker,        // the loader with one worker
  interference,      // the trainer while the loader runs beside it
  batch_on_device,   // the trainer with a batch that is on its device already
};
struct Ablation {
  AblationKind kind = AblationKind::none;
  Component component = Component::storage;  // of AblationKind::free

  explicit operator bool() const noexcept { return kind != AblationKind::none; }
  bool operator==(const Ablation&) const = default;
  // As it is stored: "free:decode", "batch:4", "workers:1", "beside", "on_device"; "" for none.
  std::string text() const;
  // The inverse; nullopt for any other text.
  static std::optional<Ablation> parse(std::string_view text);
};
inline constexpr Ablation free_of(Component c) noexcept { return {AblationKind::free, c}; }

// One trial as asked, fully resolved and substituted: it can be run knowing nothing else.
struct Trial {
  std::uint32_t index = 0;  // in the plan
  std::string digest;       // of mode-substituted, resolved settings: equal digests share one trial
  Mode mode = Mode::pipeline;
  SettingsMap settings;  // dataset.*, loader.*, trainer.*, measure.* after substitution
  std::vector<std::uint32_t> points;  // points it serves
  Ablation ablation;                  // none: one of the three modes as it is
  std::optional<std::string> skip;    // why it cannot run here
};

// One point of the sweep: the base point changed by `labels`.
struct Point {
  std::uint32_t index = 0;  // 0 is the base point
  // axis key -> value label; of the base its own value on each axis, none where nothing is swept.
  std::vector<std::pair<std::string, std::string>> labels;
  SettingsMap settings;  // before substitution
  std::vector<std::pair<Mode, std::uint32_t>> trials;
  // Trials beyond them, of the base point.
  std::vector<std::pair<Ablation, std::uint32_t>> ablations;
  std::optional<std::string> skip;
  // "num_workers=4"; of the base "num_workers=2 (base)", "num_workers=2 +5 (base)" where all its
  // labels would fill a line, "base" where it has none.
  std::string name() const;
};

// One run of one trial within a round. The base point's shared trial runs at start, middle and end
// as the anchor.
struct PlannedRun {
  std::uint32_t trial = 0;
  std::uint32_t round = 0;
  std::uint32_t repeat = 0;  // 0, 1, 2 for the anchor's three; 0 otherwise
  auto operator<=>(const PlannedRun&) const = default;
};

// Data that must exist before trials run, keyed by the digest of what it is made from.
struct DatasetNeed {
  std::string format;
  std::string path;        // where it lies or will lie
  std::string source;      // "synthesize" or the user's folder
  ColumnNames columns;     // dataset.columns.*, those of `source`
  SettingsMap synthesize;  // dataset.synthesize.*; empty for a user's path
  std::string prepare;     // what was done to the images of `source` ahead of time; "" = nothing
  std::uint32_t prepare_size = 0;  // pixels of the shorter side; 0 = nothing was done
  std::uint64_t bytes_estimate = 0;
  bool ready = false;
};

struct Price {
  double seconds = 0;  // whole run, estimated
  double seconds_per_round = 0;
  std::uint64_t disk_bytes = 0;    // to be written
  std::uint64_t memory_bytes = 0;  // peak of the largest trial
  std::string basis;               // "probe steps on this machine", "no probe yet: guessed"
};

// What one of several processes that train together measured: samples a second of each round that
// it was measured in.
struct RankRates {
  std::uint32_t rank = 0;
  bool reported = false;  // the records are its own
  std::vector<double> loader, trainer, pipeline;
  // The share of its F that it waited for its loader; absent: it has none.
  std::optional<double> waited_share;
};

struct Plan {
  Scenario scenario;
  std::vector<Point> points;
  std::vector<Trial> trials;
  std::vector<DatasetNeed> datasets;
  std::uint32_t rounds = 3;
  std::vector<PlannedRun> order;  // all rounds, in the order they run
  std::uint32_t anchor = 0;  // the trial repeated within a round; kNoAnchor where there is none
  std::uint32_t shared = 0;  // trials saved by sharing, per round
  std::uint32_t confirm_rounds = 0;  // the fewest at which one point could be confirmed different
  Price price;
  std::vector<std::string> cuts;  // what the budget cut
  // Labels of the run, as the user gave them: "driver" -> "570".
  std::vector<std::pair<std::string, std::string>> labels;
  std::string command;  // what runs it again when pasted into a shell; empty where it was not kept
  std::vector<RankRates> ranks;  // of a wrapped script, by rank; empty where it is one process
  std::string digest;            // identifies the plan for --resume
};
inline constexpr std::uint32_t kNoAnchor = ~0u;

// Whether it is of `benchbench wrap`: each trial's runs are short stretches of one script.
bool wraps_script(const Plan& plan) noexcept;

}  // namespace benchbench
