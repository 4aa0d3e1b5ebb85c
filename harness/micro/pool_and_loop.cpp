#include "harness/micro/pool_and_loop.h"

#include <algorithm>

#include "harness/core/cpu_limit.h"
#include "harness/trial/made_loader.h"

namespace benchbench::micro {
WorkOrder mock_work(std::uint32_t workers) {
  return {.loader = "synthetic",
          .settings = {{"height", "224"}, {"width", "224"}, {"fill", "write"}},
          .workers = workers,
          .batch_size = 256,
          .batches = 16};
}

int usable_cores() { return std::max(1, static_cast<int>(allowed_cpus().size())); }

std::unique_ptr<Runtime> runtime_for(std::uint32_t workers) {
  return make_real_runtime(
      static_cast<int>(workers) < usable_cores() ? std::chrono::microseconds{10} : Nanoseconds{0});
}

std::unique_ptr<Loader> loader_for(Workbench& bench, const WorkOrder& order) {
  return make_loader({.catalog = bench.catalog(),
                      .use = order.loader,
                      .settings = bench.settings(PartKind::loader, order.loader, order.settings),
                      .dataset = order.dataset,
                      .batch_size = order.batch_size,
                      .num_workers = order.workers});
}

PoolAndLoop::PoolAndLoop(Workbench& bench, const WorkOrder& order)
    : PoolAndLoop(bench, order, loader_for(bench, order), nullptr) {}

PoolAndLoop::PoolAndLoop(Workbench& bench, const WorkOrder& order, Loader& loader)
    : PoolAndLoop(bench, order, nullptr, &loader) {}

PoolAndLoop::PoolAndLoop(Workbench& bench, const WorkOrder& order, std::unique_ptr<Loader> own,
                         Loader* others)
    : own_(std::move(own)),
      runtime_(runtime_for(order.workers)),
      device_(make_cpu_device()),
      sampler_(bench.sampler("random", (own_ ? *own_ : *others).layout(), order.batch_size)),
      order_{own_ ? *own_ : *others,
             *sampler_,
             *device_,
             *runtime_,
             {.num_workers = order.workers,
              .batch_size = order.batch_size,
              .max_jobs = 2 * order.workers,
              .meters = {}},
             order.batches} {}

double PoolAndLoop::pool() {
  Supply supply(order_.options, order_.loader, order_.sampler, order_.device, order_.runtime);
  const TimePoint start = runtime_->now();
  supply.start();
  for (std::uint64_t i = 0; i < order_.batches; ++i) supply.get({});
  const Nanoseconds time = runtime_->now() - start;
  supply.stop();
  return to_seconds(time);
}

double PoolAndLoop::steady_pool(const SteadySlice& slice) {
  Supply supply(order_.options, order_.loader, order_.sampler, order_.device, order_.runtime);
  supply.start();
  const double seconds = steady_seconds_a_batch(*runtime_, slice, [&] { supply.get({}); });
  supply.stop();
  return seconds;
}

double PoolAndLoop::loop() {
  if (!loop_) loop_ = std::make_unique<PlainLoop>(order_);
  return to_seconds(loop_->run());
}

}  // namespace benchbench::micro
