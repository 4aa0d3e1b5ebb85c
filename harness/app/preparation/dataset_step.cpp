#include "harness/app/preparation/dataset_step.h"

#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "harness/app/interrupt.h"
#include "harness/app/preparation/child_request.h"
#include "harness/app/preparation/run_time.h"
#include "harness/app/preparation/trial_runner.h"
#include "harness/app/status_line.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/dataset/remark_pieces.h"
#include "harness/plan/price.h"

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
  tell_once(need.prepare.empty()
                ? fmt::format("note: {} of the files in {} could not be read and were replaced by "
                              "empty samples: {}\n",
                              names.size(), need.source, listed(names, 8))
                : fmt::format("note: {} of the images of {} cannot be decoded and were replaced by "
                              "empty or black ones: {}\n",
                              names.size(), need.source, listed(names, 8)));
}

using Clock = std::chrono::steady_clock;

void tell_passed_over(const DatasetNeed& need, std::string_view remark) {
  for (const std::string_view piece : passed_over_pieces(remark))
    tell_once(fmt::format("note: {}: {}\n", need.source, piece));
}

// Returns the data's remark. Throws BudgetError where the deadline came first.
std::string make_in_child(const DatasetNeed& need, const Trial& trial,
                          const std::string& cache_folder, Deadline deadline) {
  StatusLine line;
  std::string remark;
  try {
    ask_child(
        cache_folder, "dataset", to_json(trial), "making the dataset",
        [&](const Frame& frame) {
          unsigned long long done = 0, all = 0, bytes = 0;
          if (frame.kind == "remark") remark = frame.payload;
          if (frame.kind != "made" ||
              std::sscanf(frame.payload.c_str(), "%llu %llu %llu", &done, &all, &bytes) != 3)
            return;
          if (all == 0)
            line.show(fmt::format("waiting for another process that is making {}", title(need)));
          else if (done < all || line.has_shown())
            line.show(
                fmt::format("making {}: {}", title(need), line.count_samples(done, all, bytes)));
        },
        deadline);
  } catch (const Error& e) {
    const bool late = e.kind() == ErrorKind::interrupted && deadline && Clock::now() >= *deadline;
    if (interrupted() || !late) throw;
    throw BudgetError("the budget ended while data were made; those that are finished are kept",
                      "make them first: benchbench data FILE");
  }
  return remark;
}

void learn_making(Prices& prices, const std::string& key, const DatasetNeed& need,
                  Clock::time_point began) {
  if (need.bytes_estimate == 0) return;
  prices[key] = {.step_seconds = seconds_since(began) / static_cast<double>(need.bytes_estimate)};
}

}  // namespace

void make_datasets(std::span<const Trial> trials, const std::string& cache_folder, Prices* prices,
                   Deadline deadline) {
  std::set<std::string> made;
  for (const Trial& trial : trials) {
    if (trial.skip) continue;
    const auto need = dataset_of(trial.settings, cache_folder);
    if (!need || !made.insert(need->path).second) continue;
    const std::string key = making_key(*need, has_ready_sibling(*need, built_in_catalog()));
    const auto began = Clock::now();
    const std::string remark = make_in_child(*need, trial, cache_folder, deadline);
    if (prices && !need->ready) learn_making(*prices, key, *need, began);
    tell_unreadable(*need);
    tell_passed_over(*need, remark);
  }
}

void make_datasets(std::span<const Trial> trials, const std::string& cache_folder, Prices& prices,
                   const DataMaking& making, const SettingsMap& base) {
  const auto began = Clock::now();
  make_datasets(trials, cache_folder, &prices,
                making.time ? making.time->deadline(base) : making.by);
  if (making.time) making.time->not_own(seconds_since(began));
}

void export_in_child(const std::string& run_folder) {
  ask_child(default_cache_folder(), "export", run_folder, "writing results.h5",
            [](const Frame&) {});
}

}  // namespace benchbench
