#include "harness/app/dataset_step.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <set>

#include "harness/app/child_request.h"
#include "harness/app/trial_runner.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

using Clock = std::chrono::steady_clock;

class MakingProgress {
 public:
  explicit MakingProgress(std::string what) : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO)) {}
  ~MakingProgress() {
    if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
  }
  void show(std::uint64_t done, std::uint64_t all, std::uint64_t bytes) {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const double left = done ? elapsed * static_cast<double>(all - done) / static_cast<double>(done) : 0;
    print(fmt::format("making {}: {} of {} samples, {}{}", what_, done, all, human_bytes(static_cast<double>(bytes)),
                      done && elapsed > 0.5 ? fmt::format(", {} left", human_duration(from_seconds(left))) : ""));
  }
  // Another process makes the same data set.
  void tell_waiting() { print(fmt::format("waiting for another process that makes {}", what_)); }

 private:
  void print(const std::string& line) {
    const auto now = Clock::now();
    const auto every = terminal_ ? std::chrono::milliseconds{150} : std::chrono::milliseconds{5000};
    if (shown_ && now - last_ < every) return;
    last_ = now;
    shown_ = true;
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", line, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }
  std::string what_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_;
};

std::string title(const DatasetNeed& need) {
  return need.source == "synthesize" ? fmt::format("synthetic data ({})", need.format)
                                     : fmt::format("{} from {}", need.format, need.source);
}

void tell_unreadable(const DatasetNeed& need) {
  const std::vector<std::string> names = unreadable_samples(need);
  if (names.empty()) return;
  fmt::print(stderr, "note: {} of the files in {} could not be read and are empty samples here: {}\n", names.size(), need.source,
             listed(names, 8));
}

}  // namespace

void make_datasets(const Plan& plan, const std::string& cache_folder) {
  std::set<std::string> made;
  for (const Trial& trial : plan.trials) {
    if (trial.skip) continue;
    const auto need = dataset_of(trial.settings, cache_folder);
    if (!need || !made.insert(need->path).second) continue;
    MakingProgress progress(title(*need));
    ask_child(cache_folder, "dataset", to_json(trial), "to make it", [&](const Frame& frame) {
      unsigned long long done = 0, all = 0, bytes = 0;
      if (frame.kind != "made" || std::sscanf(frame.payload.c_str(), "%llu %llu %llu", &done, &all, &bytes) != 3) return;
      if (all == 0)
        progress.tell_waiting();
      else if (done < all)
        progress.show(done, all, bytes);
    });
    tell_unreadable(*need);
  }
}

void export_in_child(const std::string& run_folder) {
  ask_child(default_cache_folder(), "export", run_folder, "to make results.h5", [](const Frame&) {});
}

}  // namespace benchbench
