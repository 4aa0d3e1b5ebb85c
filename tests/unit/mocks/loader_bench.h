// Loader mocks under the simulated clock, without the harness's queue: workers that fill one
// request after another.
#pragma once
#include <algorithm>
#include <functional>

#include "tests/unit/core/jobs.h"
#include "tests/unit/mocks/bench.h"

namespace benchbench::test {

using Given = std::map<std::string, std::string>;

// A loader of small images, made with what is given on top of its defaults.
struct MadeLoader {
  MadeLoader(std::string_view name, Given given, std::uint32_t batch = 4, std::uint64_t seed = 0,
             std::span<const std::int64_t> times = {}, EmulatedStorage* store = nullptr,
             std::uint64_t first_time = 0)
      : row(*built_in_catalog().find(PartKind::loader, name)) {
    given.insert({{"height", "2"}, {"width", "3"}});
    const DescribedSettings settings(*row.description, given);
    loader = row.maker.loader({.settings = settings,
                               .dataset = {},
                               .batch_size = batch,
                               .seed = seed,
                               .store = store,
                               .times = times,
                               .first_time = first_time});
    batch_size = batch;
  }
  const PartRow& row;
  std::unique_ptr<Loader> loader;
  std::uint32_t batch_size;
};

struct Filled {
  BatchNumber batch;
  WorkerNumber worker;
  std::int64_t at;    // ns, end of the fill
  std::int64_t took;  // ns
};

// `batches` requests, taken by whichever worker is free, all issued at the start; in the order they
// ended.
inline std::vector<Filled> fill_all(MadeLoader& made, std::uint32_t workers, BatchNumber batches,
                                    RememberingMeter* meter = nullptr,
                                    const std::function<void(Runtime&, BatchNumber)>& before = {}) {
  const auto runtime = make_simulated_runtime();
  std::vector<Filled> seen;
  BatchNumber next = 0;
  run_simulated(*runtime, [&] {
    std::vector<std::unique_ptr<Work>> jobs;
    std::vector<std::unique_ptr<Task>> tasks;
    for (WorkerNumber w = 0; w < workers; ++w) {
      jobs.push_back(std::make_unique<Work>([&, w] {
        const auto worker = made.loader->worker(w, *runtime);
        RememberingMeter own;
        Slot slot(made.loader->spec(), made.batch_size);
        while (next < batches) {
          const BatchNumber b = next++;
          if (before) before(*runtime, b);
          const auto refs = samples_from(b * made.batch_size, made.batch_size);
          const TimePoint start = runtime->now();
          worker->fill({0, b, refs, slot.rows(0, made.batch_size), TimePoint{}},
                       meter ? *meter : own);
          const TimePoint end = runtime->now();
          seen.push_back({b, w, end.time_since_epoch().count(), (end - start).count()});
        }
      }));
      tasks.push_back(runtime->spawn("worker", *jobs.back()));
    }
    for (auto& task : tasks) task->join();
  });
  return seen;
}

}  // namespace benchbench::test
