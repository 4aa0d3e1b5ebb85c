// A trainer with the arithmetic and the memory traffic of a model: it really occupies a core and
// the memory bus, or takes the time of both on an emulated accelerator.
#include <cmath>

#include "harness/part/parameter_list.h"
#include "harness/part/part_maker.h"
#include "mocks/service_time.h"
#include "mocks/trainers/core_work.h"
#include "mocks/trainers/device_steps.h"
#include "mocks/trainers/step_pace.h"

namespace benchbench::parts {
namespace {

constexpr std::string_view kBlends[] = {"max", "sum"};

constexpr std::array kParameters = {
    Parameter{"step_flops", ParameterType::real, "0",
              "Floating-point operations per step, independent of the batch size.", 0, 1e21},
    Parameter{"sample_flops", ParameterType::real, "0", "Floating-point operations per sample.", 0,
              1e21},
    Parameter{
        "element_flops", ParameterType::real, "0",
        "Floating-point operations per element of a batch's first tensor, including padding: for a "
        "language model about six times its parameters per token.",
        0, 1e21},
    Parameter{"flop_rate", ParameterType::rate, "1e9/s",
              "Floating-point operations per second. The core, or the emulated device, is busy for "
              "as long as they take at this rate, regardless of how many it completes.",
              1, 1e21},
    Parameter{"step_bytes", ParameterType::bytes, "0B",
              "Bytes a step moves to and from memory, independent of the batch size: half are "
              "read, half written.",
              0, 1e12},
    Parameter{"sample_bytes", ParameterType::bytes, "0B", "Additional bytes per sample.", 0, 1e12},
    Parameter{"memory_rate", ParameterType::bandwidth, "5GB/s",
              "Bytes per second; on a CPU they are really copied, evenly spread over the step.", 1,
              1e15},
    time_parameter(
        "wait_time",
        "Time per step in which the core is idle; on the emulated device, one more part of "
        "its step."),
    choice_parameter(
        "blend", "max",
        "max: arithmetic, memory and wait overlap and the longest sets the time, as on a "
        "roofline; sum: one after another.",
        kBlends),
};
constexpr Stage kStages[] = {Stage::forward, Stage::enqueue};

// What one step is to take.
struct Roof {
  Nanoseconds compute{0}, memory{0}, wait{0};
  std::uint64_t bytes = 0;
};

Nanoseconds time_for(double amount, double rate) noexcept {
  return Nanoseconds{
      static_cast<std::int64_t>(std::llround(std::min(amount / rate * 1e9, kLongestServiceTime)))};
}

class Roofline final : public DeviceMockTrainer {
 public:
  explicit Roofline(const TrainerContext& context)
      : DeviceMockTrainer(context),
        runtime_(context.runtime),
        step_flops_(context.settings.real("step_flops")),
        sample_flops_(context.settings.real("sample_flops")),
        element_flops_(context.settings.real("element_flops")),
        flop_rate_(context.settings.rate("flop_rate")),
        step_bytes_(context.settings.bytes("step_bytes").value),
        sample_bytes_(context.settings.bytes("sample_bytes").value),
        memory_rate_(context.settings.rate("memory_rate")),
        wait_(context.settings.duration("wait_time")),
        overlap_(context.settings.text("blend") == "max"),
        work_(context.runtime, on_device_ ? 0 : step_bytes_ + sample_bytes_ * context.batch_size),
        pace_(context.runtime, Spend::hybrid) {}

  void step(BatchLease batch, StepContext& context) override {
    const Roof roof = roof_of(batch.samples().value, elements_of(batch));
    const Nanoseconds total = overlap_ ? std::max({roof.compute, roof.memory, roof.wait})
                                       : roof.compute + roof.memory + roof.wait;
    if (on_device_) return on_device_.enqueue(std::move(batch), context, Stage::forward, total);
    pace_.begin(context, total);
    {
      const StageScope scope(context.meter, runtime_, context.step, Stage::forward);
      if (!runtime_.simulated()) work(roof);
      pace_.pass(total);
    }
    pace_.end();
  }
  MockTime mock_time() const noexcept override { return pace_.mock_time(); }

 private:
  // As the batch is, not as wide as it may be: batches of tokens differ.
  static std::uint64_t elements_of(const BatchLease& batch) noexcept {
    if (batch.tensors().empty()) return 0;
    const TensorView& first = batch.tensors().front();
    return static_cast<std::uint64_t>(first.rows) *
           static_cast<std::uint64_t>(first.spec.row.elements());
  }
  Roof roof_of(std::uint64_t samples, std::uint64_t elements) const noexcept {
    const auto n = static_cast<double>(samples);
    const std::uint64_t bytes = step_bytes_ + sample_bytes_ * samples;
    return {
        time_for(step_flops_ + sample_flops_ * n + element_flops_ * static_cast<double>(elements),
                 flop_rate_),
        time_for(static_cast<double>(bytes), memory_rate_), wait_, bytes};
  }
  // The part of a step that occupies the core; its wait follows.
  void work(const Roof& roof) {
    const TimePoint start = pace_.at();
    if (overlap_)
      return work_.run(
          {.start = start, .compute = roof.compute, .memory = roof.memory, .traffic = roof.bytes});
    work_.run({.start = start, .compute = roof.compute});
    work_.run({.start = start + roof.compute, .memory = roof.memory, .traffic = roof.bytes});
  }

  Runtime& runtime_;
  double step_flops_, sample_flops_, element_flops_, flop_rate_;
  std::uint64_t step_bytes_, sample_bytes_;
  double memory_rate_;
  Nanoseconds wait_;
  bool overlap_;
  CoreWork work_;
  StepPace pace_;
};

}  // namespace

extern const PartDescription trainer_roofline_description{
    .kind = PartKind::trainer,
    .name = "roofline",
    .summary =
        "Steps with the arithmetic, memory traffic and waits of a model at given rates; the core "
        "and the memory bus are really occupied. On the emulated accelerator its kernel takes that "
        "time, and the host has only its launch.",
    .parameters = kParameters,
    .stages = kStages,
    .simulated = true,
    .mock = true,
    .on_device = OnDevice::emulated,
};

PartMaker trainer_roofline_maker() { return part_maker<Roofline>(); }

}  // namespace benchbench::parts
