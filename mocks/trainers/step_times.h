// What a step of a mock trainer takes.
#pragma once
#include <array>

#include "harness/part/parameter_list.h"
#include "harness/part/trainer.h"
#include "mocks/service_time.h"

namespace benchbench {

inline constexpr std::array kStepTimeParameters = {
    time_parameter("step_time", "Mean time per step, independent of the batch size."),
    time_parameter("sample_time", "Additional mean time per sample."),
    kDistributionParameter,
    kSpreadParameter,
    kWaitParameter,
    kPaceParameter,
};

// Draws them. They depend on the batch's number alone, whatever else differs: two runs of a round
// take the same times, alone and behind any loader.
class StepTimeDraw {
 public:
  StepTimeDraw(const Settings& settings, std::uint64_t seed)
      : time_(settings),
        step_time_(settings.duration("step_time")),
        sample_time_(settings.duration("sample_time")),
        seed_(mix_seed(seed, kStepTimes)) {}

  Spend spend() const noexcept { return time_.spend(); }
  Pace pace() const noexcept { return time_.pace(); }
  Nanoseconds of(const BatchLease& batch) const noexcept {
    Random random(mix_seed(seed_, batch.batch()));
    Nanoseconds time = time_.draw(step_time_, random);
    if (sample_time_.count() == 0) return time;
    const std::uint64_t samples = batch.samples().value;
    if (time_.constant()) return time + sample_time_ * static_cast<std::int64_t>(samples);
    for (std::uint64_t i = 0; i < samples; ++i)
      time += time_.draw(sample_time_, Random(mix_seed(seed_, batch.batch(), i + 1)));
    return time;
  }

 private:
  static constexpr std::uint64_t kStepTimes = 0x73746570;  // apart from every other use of the seed
  ServiceTime time_;
  Nanoseconds step_time_;
  Nanoseconds sample_time_;
  std::uint64_t seed_;
};

inline std::uint64_t bytes_of(const BatchLease& batch) noexcept {
  std::uint64_t bytes = 0;
  for (const TensorView& tensor : batch.tensors()) bytes += tensor.bytes();
  return bytes;
}

}  // namespace benchbench
