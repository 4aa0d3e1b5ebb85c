// One epoch of a data set through the whole of a loader, each sample compared with the manifest.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/pipeline/thread_meter.h"
#include "harness/trial/executor.h"

namespace benchbench {

struct DataPass {
  std::uint64_t samples = 0;       // the loader says that there are
  std::uint64_t seen = 0;          // of them asked for at least once
  std::uint64_t duplicated = 0;    // asked for again
  std::uint64_t labels_wrong = 0;  // in a batch's "label" tensor
  MeterTotals totals;  // payloads, contents compared and wrong, decode errors and warnings
  std::vector<FaultySample> faults;  // at most 32, by id
  // The archive's: the largest label and one, 0 where samples have none (tokens); how many of these
  // labels samples have; and its remark.
  std::uint32_t classes = 0, labels_met = 0;
  std::string remark;
  std::uint32_t workers = 0;
  double seconds = 0;
};

// Samples done of all, payload bytes read. Some times a second, on the calling thread.
using PassProgress =
    std::function<void(std::uint64_t done, std::uint64_t all, std::uint64_t bytes)>;

// The loader that the settings (of a trial in mode loader) name, its sampler's first epoch with the
// last, smaller batch, its workers (one where num_workers is 0), every payload and every label of a
// row compared where context.expected_digest and context.expected_label know it. Real threads only.
// Throws what the loader throws; InterruptedError when context.stop turned true.
DataPass pass_over_data(const SettingsMap& settings, const ExecutorContext& context,
                        Runtime& runtime, const PassProgress& progress);

}  // namespace benchbench
