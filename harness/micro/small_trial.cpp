#include "harness/micro/small_trial.h"

#include <fmt/format.h>

namespace benchbench::micro {

namespace {
// Measured; as many batches as may be in flight come before.
constexpr int kTrialSteps = 12;
}  // namespace

const DescribedSettings& SmallTrial::timed(Workbench& bench, double step_time) {
  return bench.settings(
      PartKind::trainer, "timed",
      {{"step_time", fmt::format("{}ns", from_seconds(step_time).count())}, {"wait", "sleep"}});
}

SmallTrial::SmallTrial(Workbench& bench, const Order& order)
    : bench_(bench),
      order_(order),
      runtime_(runtime_for(order.work.workers)),
      device_(make_cpu_device()),
      training_(order.step_time > 0 ? timed(bench, order.step_time)
                                    : bench.settings(PartKind::trainer, "discard")) {
  order_.work.settings["residency"] = "storage";
  loader_ = loader_for(bench, order_.work);
  sampler_ = bench.sampler("random", loader_->layout(), order.work.batch_size);
}

double SmallTrial::seconds_a_batch() {
  const WorkOrder& work = order_.work;
  const auto trainer =
      bench_.trainer(order_.step_time > 0 ? "timed" : "discard", {.settings = training_,
                                                                  .batch = loader_->spec(),
                                                                  .batch_size = work.batch_size,
                                                                  .runtime = *runtime_,
                                                                  .device = *device_});
  const std::uint32_t max_jobs = 2 * work.workers;
  Line line({.num_workers = work.workers,
             .batch_size = work.batch_size,
             .max_jobs = max_jobs,
             .trainer_holds = trainer->holds(),
             .meters = {}},
            *loader_, *sampler_, *trainer, *device_, *runtime_);
  const TimePoint start = line.run(max_jobs + 1);
  const TimePoint end = line.run(kTrialSteps);
  line.loop.finish();
  return to_seconds(end - start) / kTrialSteps;
}

}  // namespace benchbench::micro
