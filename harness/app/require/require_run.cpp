#include "harness/app/require/require_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/judged_trials.h"
#include "harness/analysis/problems.h"
#include "harness/analysis/rules.h"
#include "harness/analysis/warnings.h"
#include "harness/app/interrupt.h"
#include "harness/app/require/require_trials.h"
#include "harness/app/tell.h"
#include "harness/app/tune/tune_records.h"
#include "harness/core/child_process.h"
#include "harness/process/supervisor.h"
#include "harness/record/named_parts.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/store_presets.h"

namespace benchbench {
namespace {

constexpr std::uint32_t kFirstTrainerRuns = 3;
constexpr std::uint32_t kUnusableRounds = 3;  // in a row: then it is given up
constexpr std::uint32_t kMoreOfStore = 2;     // trials of a store
constexpr double kOfSearch = 0.7;             // of the budget; the rest is for the loader's trials

class RequireSink final : public TrialSink {
 public:
  RequireSink(RunFolder& folder, std::vector<TrialRecord>& records)
      : folder_(folder), records_(records) {}
  void started(const Trial&, const PlannedRun&) override {}
  void progressed(const Trial&, const PlannedRun&, const TrialProgress&) override {
    folder_.sync_if_due();
  }
  void finished(TrialRecord& record) override {
    Judgement judgement = judge(record);
    record.status = judgement.status;
    record.reasons = std::move(judgement.reasons);
    folder_.append(record);
    record.raw_series.clear();
    records_.push_back(record);
  }

 private:
  RunFolder& folder_;
  std::vector<TrialRecord>& records_;
};

class Requiring {
 public:
  Requiring(PreparedPlan& prepared, RunFolder& folder, const RequireAsked& asked)
      : p_(prepared),
        folder_(folder),
        asked_(asked),
        sink_(folder, records_),
        begin_(std::chrono::steady_clock::now()) {
    options_.program = kOwnProgram;
    options_.child_arguments = {"child", "--cache", p_.cache_folder};
    if (p_.simulated) options_.child_arguments.emplace_back("--simulated");
    options_.environment = p_.environment;
    options_.stop = &interrupted();
  }

  RequireReport run() {
    const SettingsMap& base = p_.plan.scenario.base;
    r_.scenario = p_.plan.scenario.name, r_.loader = base.text("loader.use");
    r_.batch_size = static_cast<std::uint32_t>(base.integer("loader.batch_size"));
    r_.cores = cores_at(base, p_.environment.cores_available), r_.simulated = p_.simulated;
    look_first();
    if (r_.stop == RequireStop::found) search();
    if (required_of(r_) && !interrupted()) see_workers(), see_stores();
    finish();
    return std::move(r_);
  }

 private:
  std::uint32_t base_trial(Mode mode) const {
    for (const auto& [m, trial] : p_.plan.points.front().trials)
      if (m == mode) return trial;
    return kNoAnchor;
  }

  // One round of these trials; its records.
  std::vector<TrialRecord> run_round(const std::vector<std::uint32_t>& trials) {
    std::vector<PlannedRun> todo;
    for (const std::uint32_t trial : trials) {
      const auto same = std::ranges::count(todo, trial, &PlannedRun::trial);
      todo.push_back({trial, round_, static_cast<std::uint32_t>(same)});
    }
    const std::size_t before = records_.size();
    ++round_;
    supervise(p_.plan, todo, options_, sink_);
    return {records_.begin() + static_cast<std::ptrdiff_t>(before), records_.end()};
  }

  // The mean rate of the trial's usable records in `records`.
  static std::optional<double> rate_in(const std::vector<TrialRecord>& records,
                                       std::uint32_t trial) {
    double sum = 0, n = 0;
    for (const TrialRecord& r : records)
      if (r.planned.trial == trial && is_usable_rate(r)) sum += rate_of(r), ++n;
    return n > 0 ? std::optional(sum / n) : std::nullopt;
  }

  void look_first() {
    trainer_ = base_trial(Mode::trainer), loader_ = base_trial(Mode::loader);
    std::vector<std::uint32_t> trials{loader_};
    trials.insert(trials.end(), kFirstTrainerRuns, trainer_);
    const auto seen = run_round(trials);
    const auto rate = rate_in(seen, trainer_);
    if (interrupted())
      r_.stop = RequireStop::interrupted;
    else if (!rate)
      r_.stop = RequireStop::no_trainer;
    else
      add_rungs(*rate);
  }

  std::vector<double> trainer_rates() const {
    std::vector<double> rates;
    for (const TrialRecord& r : records_)
      if (r.planned.trial == trainer_ && is_usable_rate(r)) rates.push_back(rate_of(r));
    return rates;
  }

  void add_rungs(double trainer_rate) {
    r_.problem.rates = supply_ladder(trainer_rate);
    r_.problem.noise = expected_noise(trainer_rates(), p_.simulated);
    const SettingsMap settings = p_.plan.trials.at(trainer_).settings;
    for (const double rate : r_.problem.rates)
      rungs_.push_back(trial_in(p_.plan, Mode::pipeline, fed_at(settings, rate, built_in_catalog()),
                                "loader.rate", fmt::format("{:.6g}/s", rate)));
    folder_.replace(p_.plan, records_);
  }

  bool is_out_of_time(double share = 1) const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() >
           share * asked_.budget_seconds;
  }

  void search() {
    for (std::uint32_t unusable = 0;;) {
      r_.found = required_rate(r_.problem, r_.looks);
      if (!r_.found.next) break;
      if (is_out_of_time(kOfSearch)) return void(r_.stop = RequireStop::budget);
      unusable = look_at(*r_.found.next) ? 0 : unusable + 1;
      if (interrupted()) return void(r_.stop = RequireStop::interrupted);
      if (unusable >= kUnusableRounds) return void(r_.stop = RequireStop::no_supply);
    }
    if (!r_.found.enough) r_.stop = RequireStop::never_enough;
  }

  // The two change places from round to round.
  bool look_at(std::size_t rung) {
    const std::uint32_t fed = rungs_.at(rung);
    const auto seen =
        run_round(round_ % 2 ? std::vector{fed, trainer_} : std::vector{trainer_, fed});
    const auto with = rate_in(seen, fed), cached = rate_in(seen, trainer_);
    if (!with || !cached) return false;
    r_.looks.push_back({rung, std::log(*cached / *with)});
    if (!asked_.quiet)
      tell(fmt::format("  round {}: fed at {} samples/s the step takes {:+.2f} %\n", round_,
                       human_count(r_.problem.rates[rung]),
                       100 * std::expm1(r_.looks.back().slower)));
    return true;
  }

  void note_loader(std::uint32_t trial) {
    if (const auto rate = rate_in(records_, trial))
      r_.loaders.push_back({static_cast<std::uint32_t>(
                                p_.plan.trials.at(trial).settings.integer("loader.num_workers")),
                            *rate});
  }

  void see_workers() {
    run_round({loader_});
    note_loader(loader_);
    for (std::size_t seen = 0; seen < r_.loaders.size() && !interrupted() && !is_out_of_time();) {
      const auto workers = next_workers(r_);
      if (!workers) return;
      seen = r_.loaders.size();
      note_loader(add_and_run(with_workers(p_.plan.trials.at(loader_).settings, *workers,
                                           p_.plan.scenario.max_jobs_follows),
                              "loader.num_workers", std::to_string(*workers)));
    }
  }

  std::uint32_t add_and_run(const SettingsMap& settings, std::string_view key,
                            std::string_view label) {
    const std::uint32_t trial = trial_in(p_.plan, Mode::loader, settings, key, label);
    folder_.replace(p_.plan, records_);
    run_round({trial});
    return trial;
  }

  // Stores are played below loaders that read a data set in this process.
  void see_stores() {
    const PartRow* row = built_in_catalog().find(PartKind::loader, r_.loader);
    if (!row || !row->description->needs_dataset || row->description->external) return;
    const SettingsMap& own = p_.plan.trials.at(loader_).settings;
    r_.store_workers = r_.loaders.empty()
                           ? static_cast<std::uint32_t>(own.integer("loader.num_workers"))
                           : r_.loaders.back().workers;
    const SettingsMap loader =
        with_workers(own, r_.store_workers, p_.plan.scenario.max_jobs_follows);
    for (const StorePreset& preset : store_presets()) {
      if (interrupted() || is_out_of_time()) {
        r_.stores_left.emplace_back(preset.name);
        continue;
      }
      const std::uint32_t trial =
          add_and_run(above_store(loader, preset.name), "dataset.storage.like", preset.name);
      look_closer(trial);
      r_.stores.push_back({std::string(preset.name), rate_in(records_, trial)});
    }
  }

  // A store whose first trial is near the rate has more of them.
  void look_closer(std::uint32_t trial) {
    for (std::uint32_t i = 0; i < kMoreOfStore && !interrupted() && !is_out_of_time(); ++i) {
      const auto rate = rate_in(records_, trial);
      if (!rate || !is_close(r_, *rate)) return;
      run_round({trial});
    }
  }

  void note_facts() {
    for (const TrialRecord& r : records_) {
      if (!is_usable_rate(r)) continue;
      const auto samples = static_cast<double>(r.facts.window.samples);
      if (r.planned.trial == trainer_ && r.facts.parts.batch_bytes)
        r_.batch_bytes = static_cast<double>(*r.facts.parts.batch_bytes) / r_.batch_size;
      if (r.trial.mode == Mode::loader && r.facts.epochs.samples)
        r_.dataset_samples = r.facts.epochs.samples;
      if (r.trial.mode == Mode::loader && r.facts.bytes.payload)
        r_.stored_bytes = static_cast<double>(*r.facts.bytes.payload) / samples;
      if (r.trial.mode == Mode::loader && r.facts.bytes.reads)
        r_.reads = static_cast<double>(*r.facts.bytes.reads) / samples;
      if (r.planned.trial == loader_ && !r_.simulated && r.facts.cpu.user_s && r.facts.cpu.system_s)
        r_.cpu_per_sample = (*r.facts.cpu.user_s + *r.facts.cpu.system_s) / samples;
    }
  }

  void finish() {
    r_.trainer_rate = rate_in(records_, trainer_).value_or(0);
    r_.trials = records_.size();
    note_facts();
    folder_.replace(p_.plan, records_);
    const JudgedTrials judged(p_.plan, records_);
    Findings findings;
    findings.problems = problems_of(judged);
    findings.trials_recorded = records_.size();
    r_.problems = problem_lines(findings, p_.plan);
    if (const auto others = other_programs_seen(judged))
      r_.problems.insert(r_.problems.begin(), Note{false, other_programs_text(*others)});
    if (interrupted()) r_.stop = RequireStop::interrupted;
  }

  PreparedPlan& p_;
  RunFolder& folder_;
  const RequireAsked& asked_;
  std::vector<TrialRecord> records_;
  RequireSink sink_;
  SupervisorOptions options_;
  std::chrono::steady_clock::time_point begin_;
  RequireReport r_;
  std::vector<std::uint32_t> rungs_;
  std::uint32_t trainer_ = 0, loader_ = 0, round_ = 0;
};

}  // namespace

RequireReport run_require(PreparedPlan& prepared, RunFolder& folder, const RequireAsked& asked) {
  return Requiring(prepared, folder, asked).run();
}

}  // namespace benchbench
