#include "harness/micro/null_line.h"

#include "harness/trial/made_loader.h"

namespace benchbench::micro {
namespace {

const DescribedSettings::Given kNothing = {
    {"fill", "none"}, {"height", "1"}, {"width", "1"}, {"samples", "65536"}};

}  // namespace

NullLine::NullLine(Workbench& bench, const Order& order)
    : runtime_(make_real_runtime(std::chrono::microseconds{10})),
      device_(make_cpu_device()),
      loader_(make_loader({.catalog = bench.catalog(),
                           .use = "synthetic",
                           .settings = bench.settings(PartKind::loader, "synthetic", kNothing)})),
      sampler_(bench.sampler("sequential", loader_->layout(), order.batch_size)),
      trainer_(bench.trainer("discard", {.settings = bench.settings(PartKind::trainer, "discard"),
                                         .batch = loader_->spec(),
                                         .batch_size = order.batch_size,
                                         .runtime = *runtime_,
                                         .device = *device_})),
      line_({.num_workers = order.workers,
             .batch_size = order.batch_size,
             .max_jobs = order.max_jobs,
             .meters = {.observer = order.observer}},
            *loader_, *sampler_, *trainer_, *device_, *runtime_) {}

void NullLine::begin_window() {
  line_.loop.begin_window(line_.loop.step({}));
  line_.meter.keep_values(true);
  line_.supply.keep_values(true);
}

double NullLine::run(std::uint64_t steps) {
  const TimePoint start = runtime_->now();
  line_.run(steps);
  return to_seconds(runtime_->now() - start);
}

}  // namespace benchbench::micro
