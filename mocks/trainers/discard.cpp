// A trainer that takes no time: what the loader could deliver.
#include "harness/core/error.h"
#include "harness/part/part_maker.h"
#include "mocks/trainers/mock_trainer.h"

namespace benchbench::parts {
namespace {

constexpr std::string_view kPlaces[] = {"host", "device"};
constexpr Parameter kParameters[] = {
    choice_parameter(
        "at", "host",
        "Where batches are dropped: host, as the loader hands them over (pinned where "
        "loader.pin_memory is true); device, after their copy to it: the most that loader and "
        "copies can deliver there.",
        kPlaces, ParameterOn::accelerator),
};

class Discard final : public MockTrainer {
 public:
  explicit Discard(const TrainerContext& context)
      : on_device_(context.settings.has("at") && context.settings.text("at") == "device") {
    if (on_device_ && !context.device.accelerator())
      throw DeviceError("needs a device with memory of its own for trainer.at: device",
                        "trainer.device: emulated or cuda:N");
  }
  void step(BatchLease batch, StepContext&) override { batch.drop(); }
  bool wants_batches_on_device() const noexcept override { return on_device_; }

 private:
  const bool on_device_;
};

}  // namespace

extern const PartDescription trainer_discard_description{
    .kind = PartKind::trainer,
    .name = "discard",
    .summary = "Drops every batch at once: the most the loader can deliver.",
    .parameters = kParameters,
    .simulated = true,
    .mock = true,
    .on_device = OnDevice::any,
    .needs_kernels = false,
};

PartMaker trainer_discard_maker() { return part_maker<Discard>(); }

}  // namespace benchbench::parts
