#include "harness/app/require/require_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "harness/app/interrupt.h"
#include "harness/app/require/require_records.h"
#include "harness/app/require/require_trials.h"
#include "harness/app/tell.h"
#include "harness/app/tune/tune_records.h"
#include "harness/core/units.h"
#include "harness/part/catalog.h"
#include "harness/process/supervisor.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"

namespace benchbench {
namespace {

constexpr std::uint32_t kFirstTrainerRuns = 3;
constexpr std::uint32_t kMoreOfStore = 2;  // trials of a store
constexpr double kOfSearch = 0.7;          // of the budget; the rest is for the loader's trials

class Requiring {
 public:
  Requiring(PreparedPlan& prepared, Session& session, const RequireAsked& asked)
      : p_(prepared), session_(session), asked_(asked) {}

  RequireReport run() {
    std::vector<std::uint32_t> first(1 + kFirstTrainerRuns, trainer_);
    first.front() = loader_;
    run_round(first);
    add_rungs();
    while (r_.stop == RequireStop::budget && !is_out_of_time(kOfSearch)) look_at(*r_.found.next);
    if (required_of(r_) && !interrupted()) see_workers(), see_stores();
    session_.replace(p_.plan);
    return read_require(p_.plan, session_.records(), interrupted());
  }

 private:
  void run_round(const std::vector<std::uint32_t>& trials) {
    std::vector<PlannedRun> todo;
    for (const std::uint32_t trial : trials) {
      const auto same = std::ranges::count(todo, trial, &PlannedRun::trial);
      todo.push_back({trial, round_, static_cast<std::uint32_t>(same)});
    }
    ++round_;
    session_.run(p_.plan, todo);
    r_ = read_require(p_.plan, session_.records(), interrupted());
  }

  void add_rungs() {
    const SettingsMap settings = p_.plan.trials.at(trainer_).settings;
    for (const double rate : r_.problem.rates)
      rungs_.push_back(trial_in(p_.plan, Mode::pipeline, fed_at(settings, rate, built_in_catalog()),
                                kRateLabel, fmt::format("{:.6g}/s", rate)));
    session_.replace(p_.plan);
  }

  bool is_out_of_time(double share = 1) const {
    return seconds_since(begin_) > share * asked_.budget_seconds;
  }

  // The two change places from round to round.
  void look_at(std::size_t rung) {
    const std::uint32_t fed = rungs_.at(rung);
    const std::size_t before = r_.looks.size();
    run_round(round_ % 2 ? std::vector{fed, trainer_} : std::vector{trainer_, fed});
    if (r_.looks.size() > before && !asked_.quiet)
      tell("  round {}: fed at {} samples/s the step takes {:+.2f} %\n", round_,
           human_count(r_.problem.rates[rung]), 100 * std::expm1(r_.looks.back().slower));
  }

  void see_workers() {
    run_round({loader_});
    for (std::size_t seen = 0; seen < r_.loaders.size() && !interrupted() && !is_out_of_time();) {
      const auto workers = next_workers(r_);
      if (!workers) return;
      seen = r_.loaders.size();
      add_and_run(with_workers(p_.plan.trials.at(loader_).settings, *workers,
                               p_.plan.scenario.max_jobs_follows),
                  kWorkersLabel, std::to_string(*workers));
    }
  }

  std::uint32_t add_and_run(const SettingsMap& settings, std::string_view key,
                            std::string_view label) {
    const std::uint32_t trial = trial_in(p_.plan, Mode::loader, settings, key, label);
    session_.replace(p_.plan);
    run_round({trial});
    return trial;
  }

  void see_stores() {
    const auto loader = loader_above_stores(p_.plan, r_.store_workers);
    for (const StorePreset& preset : store_presets())
      if (loader && !interrupted() && !is_out_of_time())
        look_closer(add_and_run(above_store(*loader, preset.name), keys::dataset.storage.like,
                                preset.name));
  }

  // A store whose first trial is near the rate has more of them.
  void look_closer(std::uint32_t trial) {
    for (std::uint32_t i = 0; i < kMoreOfStore && !interrupted() && !is_out_of_time(); ++i) {
      const auto rate = mean_rate(session_.records(), trial);
      if (!rate || !is_close(r_, *rate)) return;
      run_round({trial});
    }
  }

  PreparedPlan& p_;
  Session& session_;
  const RequireAsked& asked_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const std::uint32_t trainer_ = index_of_base(p_.plan, Mode::trainer),
                      loader_ = index_of_base(p_.plan, Mode::loader);
  RequireReport r_;
  std::vector<std::uint32_t> rungs_;
  std::uint32_t round_ = 0;
};

}  // namespace

RequireReport run_require(PreparedPlan& prepared, Session& session, const RequireAsked& asked) {
  return Requiring(prepared, session, asked).run();
}

}  // namespace benchbench
