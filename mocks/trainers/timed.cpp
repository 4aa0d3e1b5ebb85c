// A trainer whose steps take a time that is known, drawn from a distribution.
#include <cmath>

#include "harness/part/part_maker.h"
#include "mocks/trainers/device_steps.h"
#include "mocks/trainers/step_pace.h"
#include "mocks/trainers/step_times.h"

namespace benchbench::parts {
namespace {

constexpr std::array kOwnParameters = {
    Parameter{
        "copy_bandwidth",
        ParameterType::bandwidth,
        "none",
        "Each batch is first copied at this bandwidth, billed as host to device; none: no copy.",
        1,
        1e15,
        {},
        ParameterOn::cpu},
    Parameter{"kernels",
              ParameterType::integer,
              "none",
              "On an accelerator: kernels that a step consists of, of equal times; each is "
              "launched by the host. Default: 1.",
              1,
              1e6,
              {},
              ParameterOn::accelerator},
    Parameter{"copy_factor",
              ParameterType::real,
              "1",
              "Bytes copied / bytes of the batch: 4 emulates sending float instead of uint8.",
              0,
              1e6,
              {},
              ParameterOn::cpu},
};
constexpr auto kParameters = joined(kStepTimeParameters, kOwnParameters);
constexpr Stage kStages[] = {Stage::h2d, Stage::forward, Stage::enqueue};

constexpr Change kNoCopy[] = {{"copy_bandwidth", "none"}};
constexpr Substitution kSubstitutions[] = {{Component::copy, kNoCopy}};

class Timed final : public DeviceMockTrainer {
 public:
  explicit Timed(const TrainerContext& context)
      : DeviceMockTrainer(context,
                          context.settings.has("kernels")
                              ? static_cast<std::uint32_t>(context.settings.integer("kernels"))
                              : 1),
        times_(context.settings, context.seed),
        pace_(context.runtime, times_.spend(), times_.pace()) {
    if (on_device_ || !context.settings.has("copy_bandwidth")) return;
    ns_per_byte_ =
        context.settings.real("copy_factor") * 1e9 / context.settings.rate("copy_bandwidth");
  }

  // The lease goes last: a step that runs needs its batch.
  void step(BatchLease batch, StepContext& context) override {
    if (on_device_) return enqueue(std::move(batch), context);
    const Nanoseconds copy = copy_time(batch);
    const Nanoseconds time = times_.of(batch);
    pace_.begin(context, copy + time);
    if (copy.count() > 0) pace_.spend(context, Stage::h2d, copy);
    pace_.spend(context, Stage::forward, time);
    pace_.end();
  }
  MockTime mock_time() const noexcept override { return pace_.mock_time(); }

 private:
  void enqueue(BatchLease batch, StepContext& context) {
    const Nanoseconds time = times_.of(batch);
    on_device_.enqueue(std::move(batch), context, Stage::forward, time);
  }
  Nanoseconds copy_time(const BatchLease& batch) const noexcept {
    return Nanoseconds{std::llround(
        std::min(static_cast<double>(bytes_of(batch)) * ns_per_byte_, kLongestServiceTime))};
  }

  StepTimeDraw times_;
  StepPace pace_;
  double ns_per_byte_ = 0;
};

}  // namespace

extern const PartDescription trainer_timed_description{
    .kind = PartKind::trainer,
    .name = "timed",
    .summary =
        "Steps that take a given time, per step or per sample: constant, uniform, exponential or "
        "lognormal; optionally after a copy at a given bandwidth.",
    .parameters = kParameters,
    .stages = kStages,
    .simulated = true,
    .mock = true,
    .on_device = OnDevice::any,
    .substitutions = kSubstitutions,
    .check = check_times,
};

PartMaker trainer_timed_maker() { return part_maker<Timed>(); }

}  // namespace benchbench::parts
