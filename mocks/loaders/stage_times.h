// What each stage of a made-up batch takes.
#pragma once
#include <array>

#include "harness/part/loader.h"
#include "harness/part/parameter_list.h"
#include "mocks/service_time.h"

namespace benchbench {

inline constexpr std::array kStageTimeParameters = {
    time_parameter("read_time", "Mean time to read one sample."),
    time_parameter("sample_time", "Mean time to make one sample, billed as decoding."),
    time_parameter("transform_time", "Mean time to transform one sample."),
    time_parameter("collate_time", "Mean time to collate the samples of a batch."),
    time_parameter("batch_time",
                   "Additional mean time per batch, whatever its size; billed as collating."),
    Parameter{"sample_bytes", ParameterType::bytes, "0B",
              "Stored size of a sample: counted as bytes read, and requested from the emulated "
              "storage of dataset.storage in addition to read_time.",
              0, 1e12},
    kDistributionParameter,
    kSpreadParameter,
    kClipParameter,
    kWaitParameter,
    kPaceParameter,
};

inline constexpr Change kNoRead[] = {{"read_time", "0s"}, {"sample_bytes", "0B"}};
inline constexpr Change kNoDecode[] = {{"sample_time", "0s"}};
inline constexpr Change kNoTransform[] = {{"transform_time", "0s"}};
inline constexpr Change kNoCollate[] = {{"collate_time", "0s"}};

inline constexpr Substitution kStageSubstitutions[] = {
    {Component::storage, kNoRead},
    {Component::decode, kNoDecode},
    {Component::transform, kNoTransform},
    {Component::collate, kNoCollate},
};

inline constexpr std::array kMadeStages = {Stage::read, Stage::decode, Stage::transform,
                                           Stage::collate};

// Times of the stages of one request, in the order of kMadeStages.
struct StageTimes {
  std::array<Nanoseconds, kMadeStages.size()> time{};
  Nanoseconds total() const noexcept;
  // The stage that takes longest, the last one where none takes any: the payload is written in it,
  // so that writing hides in a stage's time wherever it can.
  Stage longest() const noexcept;
  void scale(double factor) noexcept;
};

// Samples that take longer than others: one in `every`, those that a seed picks. 0: none.
struct SlowSamples {
  std::uint64_t every = 0;
  Nanoseconds time{0};
  std::uint64_t seed = 0;
  // Of each `every` ids in a row exactly one is slow, at a place of its own.
  bool slow(SampleId id) const noexcept {
    return every > 0 && id % every == mix_seed(seed, id / every) % every;
  }
};

// Draws them. They depend on the samples and the batch alone, not on who makes them: where workers
// share a batch, what it takes as a whole falls to the one with the first row. Thread-safe.
class StageTimeDraw {
 public:
  StageTimeDraw(const Settings& settings, std::uint64_t seed);
  StageTimes of(const BatchRequest& request) const noexcept;
  Spend spend() const noexcept { return time_.spend(); }
  Pace pace() const noexcept { return time_.pace(); }

  SlowSamples slow_samples;

 private:
  Nanoseconds of_samples(Nanoseconds mean, std::uint64_t apart,
                         const BatchRequest& request) const noexcept;
  Nanoseconds of_batch(Nanoseconds mean, std::uint64_t apart,
                       const BatchRequest& request) const noexcept;

  ServiceTime time_;
  Nanoseconds read_time_, sample_time_, transform_time_, collate_time_, batch_time_;
  std::uint64_t seed_;
};

}  // namespace benchbench
