#include "harness/app/wrap/kept_search.h"

#include <algorithm>
#include <filesystem>

#include "harness/analysis/findings.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/app/tune/tune_replay.h"
#include "harness/app/wrap/wrap_record.h"
#include "harness/core/error.h"
#include "harness/trial/readings/utc_now.h"

namespace benchbench {
namespace {

// Throws StoreError where the plan lacks it.
std::uint32_t find_trial(const TuneGrid& grid, const Plan& plan, PointId point) {
  const std::uint32_t at = grid.points.at(grid.space.canonical(point));
  const auto trial =
      at < plan.points.size() ? trial_of(plan.points[at], Mode::pipeline) : std::nullopt;
  if (!trial) throw StoreError("the plan of a search lacks settings that it is to try");
  return *trial;
}

// Throws StoreError where the trial is of none of the points.
PointId find_point(const TuneGrid& grid, const Plan& plan, std::uint32_t trial) {
  for (const PointId p : grid.space.points())
    if (find_trial(grid, plan, p) == trial) return p;
  throw StoreError("the record of a search is of a trial that its plan does not search");
}

std::vector<std::string> list_refusals(const TrialRecord& record) {
  std::vector<std::string> why;
  for (const Reason& reason : record.reasons) why.push_back(reason.text);
  return why;
}

void add_trial(const TuneGrid& grid, const Plan& plan, const TrialRecord& record,
               ScriptSearch& search) {
  const SearchTrial trial{
      find_point(grid, plan, record.planned.trial), record.planned.round,
      record.planned.repeat == repeat_of(Purpose::recheck) ? Purpose::recheck : Purpose::search};
  if (record.status == Status::failed)
    search.add_refused(trial, list_refusals(record));
  else
    search.add(trial, read_stretch(record));
}

}  // namespace

ScriptSearch replay_search(const SearchedScript& script, const Plan& plan,
                           const std::vector<TrialRecord>& records) {
  ScriptSearch search(script.asked);
  for (const TrialRecord& record : script.records)
    if (record.took_ns) search.add_first(read_stretch(record));
  const TuneGrid grid = grid_of(plan);
  search.begin(grid.space, grid.present);
  for (const TrialRecord& record : records) add_trial(grid, plan, record, search);
  return search;
}

std::optional<ScriptSearch> read_search(const std::string& folder, const Journal& script) {
  const std::optional<ScriptSearchAsked> asked = read_search_asked(folder);
  if (!asked) return std::nullopt;
  const Journal journal = RunFolder::read(search_folder(folder));
  return replay_search({script.plan, script.records, *asked}, journal.plan, journal.records);
}

void leave_to_search(Findings& findings) {
  findings.conclusion.next = {};
  findings.conclusion.next.by_search = true;
  findings.depths.clear();
}

void KeptSearch::begin(const WrapProcess& process, const ScriptSearch& search) {
  planned_ = *process.planned;
  asked_ = search.asked();
  plan_ =
      wrap_search_plan(request_, process.hello, planned_, environment_, search.problem()->space);
  grid_ = grid_of(*plan_);
}

TrialRecord KeptSearch::record(const SearchTry& tried) const {
  const Trial& trial = plan_->trials.at(find_trial(*grid_, *plan_, tried.trial.point));
  const PlannedRun run{trial.index, tried.trial.round, repeat_of(tried.trial.purpose)};
  if (tried.seen) {
    TrialRecord record =
        record_of(*plan_, {trial, run}, *tried.seen, planned_, nullptr, environment_);
    record.raw_series.clear();  // each would be a file, synced while the script runs
    return record;
  }
  TrialRecord refused;
  refused.trial = trial;
  refused.planned = run;
  refused.status = Status::failed;
  for (const std::string& why : tried.refused) refused.reasons.push_back({"", true, why});
  refused.started_at = utc_now();
  refused.environment = environment_;
  return refused;
}

void KeptSearch::add(const WrapRun& run) {
  const WrapProcess* lead = run.lead();
  if (!lead || !lead->planned || !run.tune() || !run.tune()->search().problem()) return;
  if (!plan_) begin(*lead, run.tune()->search());
  const std::vector<SearchTry>& tries = run.tries();
  while (records_.size() < tries.size()) records_.push_back(record(tries[records_.size()]));
}

void KeptSearch::write(const std::string& folder) {
  if (!plan_) return;
  if (!session_) {
    session_.emplace(TrialPlace{}, begin_run(search_folder(folder), *plan_, environment_),
                     SessionKeeps{.records = false});
    write_search_asked(folder, asked_);
  }
  for (; written_ < records_.size(); ++written_) session_->store(records_[written_]);
}

void KeptSearch::forget() {
  std::error_code ignored;
  if (session_) {
    const std::string path = session_->folder().path();
    session_.reset();
    std::filesystem::remove_all(path, ignored);
  }
  plan_.reset(), grid_.reset(), records_.clear(), written_ = 0;
}

}  // namespace benchbench
