#include "harness/app/require/require_records.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/rates/window_rates.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/app/output_file.h"
#include "harness/app/require/require_trials.h"
#include "harness/app/tune/tune_records.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"

namespace benchbench {
namespace {

constexpr std::uint32_t kUnusableRounds = 3;  // in a row: then it is given up

using Records = std::span<const TrialRecord>;

// The trials of the points with this label, in their order.
std::vector<std::uint32_t> trials_labelled(const Plan& plan, std::string_view key) {
  std::vector<std::uint32_t> trials;
  for (const Point& point : plan.points)
    if (!point.labels.empty() && point.labels.front().first == key)
      trials.push_back(point.trials.front().second);
  return trials;
}

std::vector<double> first_rates(Records records, std::uint32_t trainer) {
  std::vector<double> rates;
  for (const TrialRecord& r : records)
    if (r.planned.trial == trainer && r.planned.round == 0 && is_usable_rate(r))
      rates.push_back(rate_of(r));
  return rates;
}

// Fills in the looks. Returns how many rounds at their end, in a row, had no usable trials.
std::uint32_t read_looks(const Plan& plan, Records records, RequireReport& r) {
  const std::vector<std::uint32_t> rungs = trials_labelled(plan, kRateLabel);
  const std::uint32_t trainer = index_of_base(plan, Mode::trainer);
  std::uint32_t unusable = 0;
  std::optional<std::uint32_t> last;
  for (const TrialRecord& record : records) {
    const auto rung = std::ranges::find(rungs, record.planned.trial);
    const std::uint32_t round = record.planned.round;
    if (rung == rungs.end() || last == round) continue;
    last = round;
    const auto with = mean_rate(records, *rung, round), cached = mean_rate(records, trainer, round);
    unusable = with && cached ? 0 : unusable + 1;
    if (unusable == 0)
      r.looks.push_back(
          {static_cast<std::size_t>(rung - rungs.begin()), std::log(*cached / *with)});
  }
  return unusable;
}

RequireStop find_stop(const RequiredRate& found, std::uint32_t unusable) {
  if (!found.next) return found.enough ? RequireStop::found : RequireStop::never_enough;
  return unusable >= kUnusableRounds ? RequireStop::no_supply : RequireStop::budget;
}

void read_search(const Plan& plan, Records records, RequireReport& r) {
  const std::uint32_t trainer = index_of_base(plan, Mode::trainer);
  const auto rate = mean_rate(records, trainer, 0);
  r.stop = RequireStop::no_trainer;
  if (!rate) return;
  r.problem.rates = supply_ladder(*rate);
  r.problem.noise = expected_noise(first_rates(records, trainer), r.simulated);
  const std::uint32_t unusable = read_looks(plan, records, r);
  r.found = required_rate(r.problem, r.looks);
  r.stop = find_stop(r.found, unusable);
}

// The scenario's own trial counts once it has run again, after the search. Returns whether it has.
bool read_loaders(const Plan& plan, Records records, RequireReport& r) {
  std::vector<std::uint32_t> trials = trials_labelled(plan, kWorkersLabel);
  trials.insert(trials.begin(), index_of_base(plan, Mode::loader));
  const auto is_second = [&](const TrialRecord& record) {
    return record.planned.trial == trials.front() && record.planned.round > 0;
  };
  if (std::ranges::none_of(records, is_second)) return false;
  for (const std::uint32_t trial : trials)
    if (const auto rate = mean_rate(records, trial))
      r.loaders.push_back({plan.trials.at(trial).settings.get(keys::loader.num_workers), *rate});
  return true;
}

void read_stores(const Plan& plan, Records records, RequireReport& r) {
  const auto own = loader_above_stores(
      plan,
      r.loaders.empty()
          ? plan.trials.at(index_of_base(plan, Mode::loader)).settings.get(keys::loader.num_workers)
          : r.loaders.back().workers);
  if (!own) return;
  r.store_workers = own->get(keys::loader.num_workers);
  for (const StorePreset& preset : store_presets())
    if (const auto trial = find_trial(plan, Mode::loader, above_store(*own, preset.name)))
      r.stores.push_back({std::string(preset.name), mean_rate(records, *trial)});
    else
      r.stores_left.emplace_back(preset.name);
}

// Notes what a loader's record says of a sample of the data set.
void read_sample(const TrialRecord& record, RequireReport& r) {
  const Facts& f = record.facts;
  const auto samples = static_cast<double>(f.window.samples);
  if (f.epochs.samples) r.dataset_samples = f.epochs.samples;
  if (f.bytes.payload) r.stored_bytes = static_cast<double>(*f.bytes.payload) / samples;
  if (f.bytes.reads) r.reads = static_cast<double>(*f.bytes.reads) / samples;
}

void read_amounts(const Plan& plan, Records records, RequireReport& r) {
  const std::uint32_t trainer = index_of_base(plan, Mode::trainer),
                      loader = index_of_base(plan, Mode::loader);
  for (const TrialRecord& record : records) {
    if (!is_usable_rate(record)) continue;
    const Facts& f = record.facts;
    if (record.planned.trial == trainer && f.parts.batch_bytes)
      r.batch_bytes = static_cast<double>(*f.parts.batch_bytes) / r.batch_size;
    if (record.trial.mode == Mode::loader) read_sample(record, r);
    if (record.planned.trial == loader && !r.simulated && f.cpu.user_s && f.cpu.system_s)
      r.cpu_per_sample = (*f.cpu.user_s + *f.cpu.system_s) / static_cast<double>(f.window.samples);
  }
}

}  // namespace

std::optional<SettingsMap> loader_above_stores(const Plan& plan, std::uint32_t workers) {
  const PartRow* row =
      built_in_catalog().find(PartKind::loader, plan.scenario.base.get(keys::loader.use));
  if (!row || !row->description->needs_dataset || row->description->external) return std::nullopt;
  return with_workers(plan.trials.at(index_of_base(plan, Mode::loader)).settings, workers,
                      plan.scenario.max_jobs_follows);
}

RequireReport read_require(const Plan& plan, Records records, bool interrupted) {
  const SettingsMap& base = plan.scenario.base;
  RequireReport r;
  r.scenario = plan.scenario.name, r.loader = base.get(keys::loader.use);
  r.batch_size = base.get(keys::loader.batch_size);
  r.simulated = std::ranges::any_of(records, [](const auto& x) { return x.facts.simulated; });
  r.trials = records.size();
  if (!records.empty()) r.cores = cores_at(base, records.front().environment.cores_available);
  read_search(plan, records, r);
  if (required_of(r) && read_loaders(plan, records, r)) read_stores(plan, records, r);
  r.trainer_rate = mean_rate(records, index_of_base(plan, Mode::trainer)).value_or(0);
  read_amounts(plan, records, r);
  if (interrupted) r.stop = RequireStop::interrupted;
  return r;
}

void tell_require(const Arguments& arguments, const Plan& plan,
                  const std::vector<TrialRecord>& records, RequireReport r) {
  r.problems = note_problems(plan, records);
  write_report(arguments, [&] { return require_text(r); }, [&] { return require_json(r); });
}

}  // namespace benchbench
