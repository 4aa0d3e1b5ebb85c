#include "harness/app/session/opened_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <tuple>

#include "harness/analysis/choice/another_job.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/app/preparation/code_seal.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
Key key_of(const PlannedRun& s) { return {s.trial, s.round, s.repeat}; }

// "loader.batch_size was 32, is 16"; empty where no setting of the base differs.
std::string changed_settings(const SettingsMap& then, const SettingsMap& now) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> changed;
  const auto text = [](const Value* value) { return value ? value->text() : "not set"; };
  for (const std::string& key : keys_apart(then, now))
    changed.push_back(
        fmt::format("{} was {}, is {}", key, text(then.find(key)), text(now.find(key))));
  const std::size_t more = changed.size() > kNamed ? changed.size() - kNamed : 0;
  changed.resize(changed.size() - more);
  return fmt::format("{}{}", fmt::join(changed, "; "), more ? fmt::format("; {} more", more) : "");
}

// Reads the journal on a thread, which has a heap of its own: the little that the run needs later
// would else be spread over all that this took, and bring back page after page of it.
class Resuming final : public Job {
 public:
  explicit Resuming(const std::string& path) : path_(path) {}
  void run() override {
    try {
      folder_.emplace(RunFolder::resume(path_, stored));
    } catch (...) {
      failed_ = std::current_exception();
    }
  }
  RunFolder take_folder() {
    make_real_runtime()->spawn("journal", *this)->join();
    if (failed_) std::rethrow_exception(failed_);
    return std::move(*folder_);
  }
  Journal stored;

 private:
  const std::string& path_;
  std::optional<RunFolder> folder_;
  std::exception_ptr failed_;
};

}  // namespace

OpenedRun begin_run(const std::string& path, const Plan& plan, const Environment& environment) {
  return {RunFolder::create(path, plan, environment), {}};
}

OpenedRun resume_run(const std::string& path, PreparedPlan& p) {
  Resuming resuming(path);
  RunFolder folder = resuming.take_folder();
  Journal& stored = resuming.stored;
  for (const std::string& note : stored.notes) tell("note: {}\n", note);
  check_same(stored, p.plan, p.environment);
  take_plan(p, with_budget_of(std::move(stored.plan), p.plan));
  tell("resuming {}: {} found\n", path, counted(stored.records.size(), "record"));
  return {std::move(folder), latest_of_each(stored.records)};
}

Plan with_budget_of(Plan stored, const Plan& now) {
  constexpr std::string_view key = keys::measure.budget;
  stored.scenario.base.erase(key);
  if (const Value* budget = now.scenario.base.find(key)) stored.scenario.base.set(key, *budget);
  return stored;
}

void check_same(const Journal& stored, const Plan& plan, const Environment& environment) {
  const auto refuse = [](std::string_view what, const std::string& then, const std::string& now) {
    throw UsageError(fmt::format("--resume: the stored run has a different {}: {}, this one has {}",
                                 what, then, now),
                     "start a new run (without --resume, or with another --out)");
  };
  if (stored.plan.digest != plan.digest) {
    const std::string code = changed_code(stored.plan, plan);
    const std::string settings = changed_settings(stored.plan.scenario.base, plan.scenario.base);
    const std::string& file = code.empty() ? plan.scenario.source : code;
    const std::string differing =
        !code.empty() || stored.plan.scenario.source_digest != plan.scenario.source_digest
            ? fmt::format("{} differs from the file of that run", file)
        : !settings.empty() ? settings
                            : "the options or this machine's capabilities differ";
    refuse("scenario", stored.plan.digest.substr(0, 12),
           fmt::format("{} ({})", plan.digest.substr(0, 12), differing));
  }
  if (stored.records.empty()) return;
  const Environment& then = stored.records.front().environment;
  if (then.machine != environment.machine)
    refuse("machine", fmt::format("{} ({})", then.cpu_model, then.machine.substr(0, 8)),
           fmt::format("{} ({})", environment.cpu_model, environment.machine.substr(0, 8)));
  if (std::abs(then.cores_available - environment.cores_available) > 1e-6)
    refuse("number of cores", fmt::format("{:g}", then.cores_available),
           fmt::format("{:g}", environment.cores_available));
  if (then.build_digest != environment.build_digest)
    refuse("build", then.build, environment.build + ", rebuilt since");
}

std::vector<TrialRecord> latest_of_each(const std::vector<TrialRecord>& records) {
  // With its trial: a record of another plan replaces none of this one.
  const auto key = [](const TrialRecord& r) {
    return std::pair(key_of(r.planned), r.trial.digest);
  };
  std::map<std::pair<Key, std::string>, std::size_t> last;
  for (std::size_t i = 0; i < records.size(); ++i) last[key(records[i])] = i;
  std::vector<TrialRecord> kept;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (last[key(records[i])] == i) kept.push_back(records[i]);
  return kept;
}

std::size_t finished_trials(const std::vector<TrialRecord>& latest) {
  return latest.size() - static_cast<std::size_t>(
                             std::ranges::count(latest, Status::aborted, &TrialRecord::status));
}

std::vector<PlannedRun> still_to_do(const Plan& plan, std::span<const PlannedRun> order,
                                    std::span<const TrialRecord> records, bool retry_failed) {
  std::map<Key, Status> have;
  for (const TrialRecord& r : records)
    if (belongs(plan, r)) have[key_of(r.planned)] = r.status;
  std::vector<PlannedRun> todo;
  for (const PlannedRun& planned : order) {
    const auto found = have.find(key_of(planned));
    const bool again = found == have.end() || found->second == Status::aborted ||
                       (retry_failed && found->second == Status::failed);
    if (again) todo.push_back(planned);
  }
  return todo;
}

}  // namespace benchbench
