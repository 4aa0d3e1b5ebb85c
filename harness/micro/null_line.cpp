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
      supply_({.num_workers = order.workers,
               .batch_size = order.batch_size,
               .max_jobs = order.max_jobs,
               .meters = {.observer = order.observer}},
              *loader_, *sampler_, *device_, *runtime_),
      accounting_(supply_.stream(), loader_->layout().samples),
      meter_({.observer = order.observer}),
      loop_({*runtime_, supply_, *trainer_, accounting_, meter_}, order.observer > 0, false) {
  supply_.start();
}

NullLine::~NullLine() { supply_.stop(); }

void NullLine::begin_window() {
  loop_.begin_window(loop_.step({}));
  meter_.keep_values(true);
  supply_.keep_values(true);
}

double NullLine::run(std::uint64_t steps) {
  const TimePoint start = runtime_->now();
  for (std::uint64_t i = 0; i < steps; ++i) loop_.step({});
  return to_seconds(runtime_->now() - start);
}

}  // namespace benchbench::micro
