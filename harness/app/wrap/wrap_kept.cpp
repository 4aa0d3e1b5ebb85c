#include "harness/app/wrap/wrap_kept.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/external/script_end.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/analysis/rules/rules.h"
#include "harness/app/preparation/run_place.h"
#include "harness/app/tell.h"
#include "harness/app/wrap/wrap_step_words.h"
#include "harness/core/called_as.h"
#include "harness/core/files/folder_paths.h"
#include "harness/trial/readings/utc_now.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

std::string state_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
    return std::string(state) + "/benchbench";
  if (const char* home = std::getenv("HOME"); home && *home)
    return fmt::format("{}/.local/state/benchbench", home);
  return temporary_folder() + "/benchbench";
}

std::string folder_for(const WrapRequest& request, const std::string& name) {
  return request.folder.empty() ? fresh_path(state_folder() + "/wrap", name) : request.folder;
}

// Of a round the order is the script's side's, at random; this one tells which there are to be.
std::vector<PlannedRun> all_stretches(const Plan& plan) {
  std::vector<PlannedRun> order;
  for (std::uint32_t round = 0; round < plan.rounds; ++round)
    for (const Trial& trial : plan.trials) order.push_back({trial.index, round, 0});
  return order;
}

}  // namespace

void check_folder(const std::string& path) {
  fs::path made;  // the first folder above it that is not there
  std::error_code failed;
  for (fs::path at = fs::absolute(path); !at.empty() && !fs::exists(at, failed);
       at = at.parent_path())
    made = at;
  try {
    RunFolder::refuse_used(path);
  } catch (const StoreError& e) {
    throw StoreError(e.message(), "choose another folder with --out");
  }
  fs::create_directories(path, failed);
  const std::error_code why = !failed && ::access(path.c_str(), W_OK) != 0
                                  ? std::error_code(errno, std::generic_category())
                                  : failed;
  for (fs::path at = fs::absolute(path); !made.empty() && fs::remove(at, failed) && at != made;)
    at = at.parent_path();  // empty ones
  if (why)
    throw StoreError(fmt::format("{}: no record could be kept there: {}", path, why.message()),
                     "choose another folder with --out");
}

void WrapKept::begin(const WrapHello& process, const WrapPlanned& planned, TimePoint planned_at) {
  plan_ = wrap_plan(request_, process, planned, environment_);
  if (!request_.order.keep_going) plan_->order = all_stretches(*plan_);
  planned_ = planned;
  planned_at_ = planned_at;
  records_.clear(), written_ = 0;
  search_.forget();
  if (!session_) folder_path_ = folder_for(request_, plan_->scenario.name);
}

void WrapKept::begin_if_other(const WrapProcess& process) {
  if (!plan_ || planned_at_ != process.planned_at)
    begin(process.hello, *process.planned, process.planned_at);
}

TrialRecord WrapKept::record(const SeenStretch& seen, const WrapEnd* end) const {
  TrialRecord record = record_of(*plan_, seen, planned_, end, environment_);
  judge_record(record);
  return record;
}

void WrapKept::tell_not_written(const Error& error, const char* what_goes_on) {
  if (!told_)
    tell("error: the record was not written: {}{}\n{}", error.what(), what_goes_on,
         error.hint().empty() ? "" : fmt::format("hint: {}\n", as_called(error.hint())));
  told_ = true;
}

void WrapKept::write(TrialRecord& record) {
  if (!session_)
    session_.emplace(TrialPlace{}, begin_run(folder_path_, *plan_, environment_),
                     SessionKeeps{.records = false});
  session_->store(record);
  ++written_;
}

// The script and what is measured of it are worth more than what is kept of it.
void WrapKept::keep(WrapRun& run) noexcept try {
  const WrapProcess* lead = run.lead();
  if (waits_ || run.heard() == heard_ || !lead || !lead->planned || !lead->planned->loader.trains)
    return;  // one that trains may be found yet
  heard_ = run.heard();
  const std::vector<const SeenStretch*> stretches = run.stretches(WhichRank::lead);
  if (stretches.empty()) return;
  begin_if_other(*lead);
  if (session_ && written_ == 0) session_->replace(*plan_, {});
  while (records_.size() < stretches.size()) {
    records_.push_back(record(*stretches[records_.size()], nullptr));
    write(records_.back());
  }
  search_.add(run);
  search_.write(folder_path_);
} catch (const StoreError& e) {
  waits_ = true;
  run.clear_line();
  tell_not_written(e, "; the measuring goes on");
} catch (const std::exception&) {
  waits_ = true;  // finish() meets it again
}

bool WrapKept::is_answer_open(WrapRun& run) noexcept try {
  keep(run);
  if (!plan_ || waits_) return false;
  return needs_another_round(analyse(*plan_, records_, &built_in_catalog()));
} catch (const std::exception&) {
  return false;
}

std::uint32_t WrapKept::rounds() const {
  std::uint32_t rounds = 0;
  std::map<std::uint32_t, std::size_t> of_round;
  for (const TrialRecord& r : records_)
    if (r.status != Status::aborted) rounds += ++of_round[r.planned.round] == plan_->trials.size();
  return rounds;
}

void WrapKept::write_all() {
  if (session_) session_->replace(*plan_, std::span(records_).first(written_));
  while (written_ < records_.size()) write(records_[written_]);
  search_.write(folder_path_);
}

namespace {

bool says_anything(const ExternalFacts& facts) {
  ExternalPoint seen;
  seen.facts = facts;
  return !findings_without_window(seen).empty() || is_known_without_stretch(seen) ||
         (facts.ledger && facts.ledger->batches >= kLeastSteps);
}

void add_noticed(const std::vector<ExternalNoticed>& more, std::optional<ExternalFacts>& facts) {
  if (facts) facts->noticed.insert(facts->noticed.end(), more.begin(), more.end());
}

// Returns the loader that has served the training most; without one, a loader without settings.
WrapLoader find_trained(const WrapEnd& end) {
  WrapLoader found;
  for (const WrapLoader& loader : end.loaders)
    if (loader.trains && loader.served >= found.served) found = loader;
  return found;
}

}  // namespace

void WrapKept::write_what_is_there() {
  try {
    write_all();
  } catch (const StoreError& e) {
    tell_not_written(e, "");
    if (written_ > 0)
      tell("benchbench: of {} the first {} can be read: benchbench report {}\n",
           counted(records_.size(), "record"), written_, folder_path_);
    folder_path_.clear();
  }
  session_.reset();
}

std::optional<ScriptSearch> WrapKept::search() const {
  if (!search_.plan()) return std::nullopt;
  return replay_search({*plan_, records_, search_.asked()}, *search_.plan(), search_.records());
}

bool WrapKept::keep_ending(const WrapRun& run, const std::vector<ExternalNoticed>& at_end,
                           const std::string& early) {
  const WrapProcess* of = run.shown() ? run.shown() : run.ended_first();
  std::optional<ExternalFacts> facts(std::in_place);
  if (of && of->end && is_reported(of->end->reason)) facts = of->end->served.facts;
  add_noticed(at_end, facts);
  WrapHello process = of ? of->hello : WrapHello{};
  if (process.interpreter.empty()) process.interpreter = request_.words.front();
  WrapPlanned planned = of && of->planned ? *of->planned : WrapPlanned{};
  planned.kinds = "F";
  if (planned.loader.own.empty() && of && of->end) planned.loader = find_trained(*of->end);
  // A rate is of samples: how many a batch has is not known without it.
  if (!planned.loader.own.contains("batch_size")) facts->ledger.reset();
  if (!says_anything(*facts)) return false;
  begin(process, planned, {});
  TrialRecord& made = records_.emplace_back();
  made.trial = trial_of(*plan_, WrapKind::full);
  made.planned = {made.trial.index, 0, 0};
  made.status = Status::aborted;
  made.reasons = {{"", false, "the script ended before a stretch of its loop was over"}};
  made.started_at = utc_now();
  made.environment = environment_;
  made.facts.external = std::move(facts);
  if (!early.empty()) made.facts.notices.push_back(early);
  plan_->order = {made.planned};
  plan_->rounds = 1;
  write_what_is_there();
  return true;
}

bool WrapKept::finish(const WrapRun& run, const std::vector<ExternalNoticed>& at_end,
                      const std::string& early) {
  const WrapProcess* shown = run.shown();
  const auto stretches = run.stretches(WhichRank::slowest);
  if (!shown || stretches.empty()) return keep_ending(run, at_end, early);
  begin_if_other(*shown);
  plan_->order.clear();
  plan_->ranks = rank_rates(run.ranks(), shown);
  const std::vector<TrialRecord> kept = std::exchange(records_, {});
  for (const SeenStretch* seen : stretches) {
    TrialRecord& made = records_.emplace_back(record(*seen, shown->end ? &*shown->end : nullptr));
    made.sequence = records_.size() - 1;
    if (made.trial.mode != Mode::trainer) add_noticed(at_end, made.facts.external);
    auto& notices = made.facts.notices;  // few of them are on the page
    if (!early.empty()) notices.insert(notices.begin(), early);
    if (made.sequence < written_) made.series = kept[made.sequence].series, made.raw_series.clear();
    plan_->order.push_back(made.planned);
  }
  plan_->rounds = std::max(
      1u, request_.order.keep_going ? static_cast<std::uint32_t>(records_.size()) : rounds());
  search_.add(run);
  write_what_is_there();
  return true;
}

}  // namespace benchbench
