#include "harness/app/tune/tune_windows.h"

#include "harness/plan/trials.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::int64_t kBatchesAWorker = 2;

}  // namespace

void lengthen_windows(std::vector<Trial>& trials) {
  for (Trial& t : trials) {
    if (t.mode == Mode::trainer || !t.settings.has(keys::loader.num_workers) ||
        !t.settings.has(keys::measure.window_batches))
      continue;
    const std::uint64_t batches = kBatchesAWorker * t.settings.get(keys::loader.num_workers);
    if (batches <= t.settings.get(keys::measure.window_batches)) continue;
    t.settings.set(keys::measure.window_batches, batches);
    t.digest = digest_of_trial(t.mode, t.settings);
  }
}

}  // namespace benchbench
