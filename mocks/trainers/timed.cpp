// A trainer whose steps take a time that is known, drawn from a distribution.
#include <limits>

#include "harness/part/catalog.h"
#include "mocks/service_time.h"

namespace benchbench::parts {
namespace {

constexpr Parameter kParameters[] = {
    {.key = "step_time",
     .type = ParameterType::duration,
     .standard = "0s",
     .help = "Mean time of a step, whatever the size of its batch.",
     .least = 0,
     .most = kLongestServiceTime},
    {.key = "sample_time",
     .type = ParameterType::duration,
     .standard = "0s",
     .help = "Mean time each sample adds to its step.",
     .least = 0,
     .most = kLongestServiceTime},
    kDistributionParameter,
    kSpreadParameter,
    kWaitParameter,
};

constexpr Stage kStages[] = {Stage::forward};

class Timed final : public Trainer {
 public:
  explicit Timed(const TrainerContext& context)
      : runtime_(context.runtime),
        time_(context.settings),
        step_time_(context.settings.duration("step_time")),
        sample_time_(context.settings.duration("sample_time")),
        seed_(mix_seed(context.seed, kStepTimes)) {}

  // Ends at an absolute time counted from the call, so that what drawing the time costs is inside it. The
  // lease goes last: a step that runs needs its batch.
  void step(BatchLease batch, StepContext& context) override {
    const TimePoint start = runtime_.now();
    const StageScope scope(context.meter, runtime_, context.step, Stage::forward);
    runtime_.spend_until(start + time_of(batch), time_.spend());
  }
  void finish() override {}
  double loss() override { return std::numeric_limits<double>::quiet_NaN(); }
  std::uint64_t parameters() const noexcept override { return 0; }
  std::uint32_t holds() const noexcept override { return 0; }

 private:
  // Depends on the batch's number alone, so that two runs of a scenario take the same times.
  Nanoseconds time_of(const BatchLease& batch) const noexcept {
    Random random(mix_seed(seed_, batch.epoch(), batch.batch()));
    Nanoseconds time = time_.draw(step_time_, random);
    if (sample_time_.count() == 0) return time;
    const std::uint64_t samples = batch.samples().value;
    if (time_.constant()) return time + sample_time_ * static_cast<std::int64_t>(samples);
    for (std::uint64_t i = 0; i < samples; ++i)
      time += time_.draw(sample_time_, Random(mix_seed(seed_, batch.epoch(), batch.batch(), i + 1)));
    return time;
  }

  static constexpr std::uint64_t kStepTimes = 0x73746570;  // apart from every other use of the seed
  Runtime& runtime_;
  ServiceTime time_;
  Nanoseconds step_time_;
  Nanoseconds sample_time_;
  std::uint64_t seed_;
};

}  // namespace

extern const PartDescription trainer_timed_description;
const PartDescription trainer_timed_description{
    .kind = PartKind::trainer,
    .name = "timed",
    .summary =
        "Steps that take a time you set, per step or per sample: constant, uniform, exponential or "
        "lognormal.",
    .parameters = kParameters,
    .stages = kStages,
    .simulated = true,
    .mock = true,
};

PartMaker trainer_timed_maker() {
  PartMaker maker;
  maker.trainer = [](const TrainerContext& context) -> std::unique_ptr<Trainer> {
    return std::make_unique<Timed>(context);
  };
  return maker;
}

}  // namespace benchbench::parts
