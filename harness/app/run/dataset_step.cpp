#include "harness/app/run/dataset_step.h"

#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "harness/app/run/child_request.h"
#include "harness/app/run/making_progress.h"
#include "harness/app/run/trial_runner.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

std::string title(const DatasetNeed& need) {
  if (!need.prepare.empty())
    return fmt::format("{} {} px ({}) of {}", need.prepare, need.prepare_size, need.format,
                       need.source == "synthesize" ? "synthetic images" : need.source);
  return need.source == "synthesize" ? fmt::format("synthetic data ({})", need.format)
                                     : fmt::format("{} from {}", need.format, need.source);
}

void tell_unreadable(const DatasetNeed& need) {
  const std::vector<std::string> names = unreadable_samples(need);
  if (names.empty()) return;
  if (!need.prepare.empty()) {
    fmt::print(
        stderr,
        "note: {} of the images of {} cannot be decoded and were replaced by empty or black ones: {}\n",
        names.size(), need.source, listed(names, 8));
    return;
  }
  fmt::print(stderr, "note: {} of the files in {} could not be read and were replaced by empty samples: {}\n",
             names.size(), need.source, listed(names, 8));
}

}  // namespace

void make_datasets(const Plan& plan, const std::string& cache_folder) {
  std::set<std::string> made;
  for (const Trial& trial : plan.trials) {
    if (trial.skip) continue;
    const auto need = dataset_of(trial.settings, cache_folder);
    if (!need || !made.insert(need->path).second) continue;
    MakingProgress progress(fmt::format("making {}", title(*need)));
    ask_child(cache_folder, "dataset", to_json(trial), "making the dataset", [&](const Frame& frame) {
      unsigned long long done = 0, all = 0, bytes = 0;
      if (frame.kind != "made" || std::sscanf(frame.payload.c_str(), "%llu %llu %llu", &done, &all, &bytes) != 3)
        return;
      if (all == 0)
        progress.print(fmt::format("waiting for another process that is making {}", title(*need)));
      else if (done < all)
        progress.show(done, all, bytes);
    });
    tell_unreadable(*need);
  }
}

void export_in_child(const std::string& run_folder) {
  ask_child(default_cache_folder(), "export", run_folder, "writing results.h5", [](const Frame&) {});
}

}  // namespace benchbench
