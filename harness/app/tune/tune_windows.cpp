#include "harness/app/tune/tune_windows.h"

#include <algorithm>

#include "harness/plan/trials.h"

namespace benchbench {
namespace {

constexpr std::int64_t kBatchesAWorker = 2;

}  // namespace

void lengthen_windows(std::vector<Trial>& trials) {
  for (Trial& t : trials) {
    if (t.mode == Mode::trainer || !t.settings.has("loader.num_workers") ||
        !t.settings.has("measure.window_batches"))
      continue;
    const std::int64_t batches = kBatchesAWorker * t.settings.integer("loader.num_workers");
    if (batches <= t.settings.integer("measure.window_batches")) continue;
    t.settings.set("measure.window_batches", {ParameterType::integer, batches});
    t.digest = digest_of_trial(t.mode, t.settings);
  }
}

}  // namespace benchbench
