#include "harness/app/run/run_place.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include "harness/analysis/judged_trials.h"
#include "harness/app/run/code_seal.h"
#include "harness/app/tell.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
Key key_of(const PlannedRun& s) { return {s.trial, s.round, s.repeat}; }

constexpr std::size_t kTimeWidth = 15;  // 20261231-235959

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// When it began, and which of that second it is; none of a folder that fresh_path() did not name.
std::optional<std::pair<std::string, int>> began_of(const std::string& folder,
                                                    const std::string& scenario) {
  if (!folder.starts_with(scenario + "-") || folder.size() < scenario.size() + 1 + kTimeWidth)
    return std::nullopt;
  const std::string time = folder.substr(scenario.size() + 1, kTimeWidth),
                    rest = folder.substr(scenario.size() + 1 + kTimeWidth);
  if (!is_digits(time.substr(0, 8)) || time[8] != '-' || !is_digits(time.substr(9)))
    return std::nullopt;
  if (rest.empty()) return std::pair{time, 1};
  if (rest.size() > 9 || rest[0] != '.' || !is_digits(rest.substr(1))) return std::nullopt;
  return std::pair{time, std::stoi(rest.substr(1))};
}

std::string newest_of(const std::string& scenario) {
  std::pair<std::string, int> last;
  std::string newest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(kRuns, error)) {
    const auto began = began_of(entry.path().filename().string(), scenario);
    if (!began || *began < last) continue;
    last = *began;
    newest = entry.path().string();
  }
  return newest;
}

std::string fresh_path(const std::string& scenario) {
  const std::string base =
      fmt::format("{}/{}-{:%Y%m%d-%H%M%S}", kRuns, scenario, fmt::localtime(std::time(nullptr)));
  std::string path = base;
  for (int i = 2; is_there(path); ++i) path = fmt::format("{}.{}", base, i);
  return path;
}

}  // namespace

std::string run_path(const Arguments& arguments, const std::string& scenario) {
  if (arguments.flag("--out")) return arguments.text("--out");
  if (arguments.flag("--resume"))
    if (std::string newest = newest_of(scenario); !newest.empty()) return newest;
  return fresh_path(scenario);
}

bool resumes(const Arguments& arguments, const std::string& scenario) {
  if (!arguments.flag("--resume")) return false;
  const std::string path = run_path(arguments, scenario);
  const bool there = is_there(path);
  if (there && !RunFolder::is_only_begun(path)) return true;
  if (there)
    tell(fmt::format("nothing was measured in {} yet: starting afresh\n", path));
  else
    tell(fmt::format("no earlier run{} in {}: starting afresh\n",
                     scenario.empty() ? "" : " of " + scenario,
                     arguments.text("--out", std::string(kRuns))));
  return false;
}

std::string run_command_text(const Arguments& arguments, std::span<const Option> options) {
  std::string text = "benchbench run";
  for (const std::string& file : arguments.positional()) text += " " + shell_word(file);
  for (const Option& o : options) {
    if (o.name == "--resume" || o.name == "--out" || !arguments.flag(o.name)) continue;
    if (o.value.empty()) text += fmt::format(" {}", o.name);
    // If an option does not repeat, the last one counts.
    const std::vector<std::string> given = arguments.list(o.name);
    for (std::size_t i = o.repeats || given.empty() ? 0 : given.size() - 1; i < given.size(); ++i)
      text += fmt::format(" {} {}", o.name, shell_word(given[i]));
  }
  return text;
}

std::string resume_command(const Arguments& arguments, std::span<const Option> options,
                           const std::string& folder) {
  return run_command_text(arguments, options) + " --resume --out " + shell_word(folder);
}

Plan with_budget_of(Plan stored, const Plan& now) {
  constexpr std::string_view key = keys::measure.budget;
  stored.scenario.base.erase(key);
  if (const Value* budget = now.scenario.base.find(key)) stored.scenario.base.set(key, *budget);
  return stored;
}

// "loader.batch_size was 32, is 16"; empty where no setting of the base differs.
std::string changed_settings(const SettingsMap& then, const SettingsMap& now) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> changed;
  const auto text = [](const Value* value) {
    return value ? value->text() : std::string("not set");
  };
  for (const auto& [key, value] : then.all())
    if (text(now.find(key)) != value.text())
      changed.push_back(fmt::format("{} was {}, is {}", key, value.text(), text(now.find(key))));
  for (const auto& [key, value] : now.all())
    if (!then.find(key)) changed.push_back(fmt::format("{} was not set, is {}", key, value.text()));
  const std::size_t more = changed.size() > kNamed ? changed.size() - kNamed : 0;
  changed.resize(changed.size() - more);
  return fmt::format("{}{}", fmt::join(changed, "; "), more ? fmt::format("; {} more", more) : "");
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

std::vector<PlannedRun> still_to_do(const Plan& plan, const std::vector<TrialRecord>& records,
                                    bool retry_failed) {
  std::map<Key, Status> have;
  for (const TrialRecord& r : records)
    if (belongs(plan, r)) have[key_of(r.planned)] = r.status;
  std::vector<PlannedRun> todo;
  for (const PlannedRun& planned : plan.order) {
    const auto found = have.find(key_of(planned));
    const bool again = found == have.end() || found->second == Status::aborted ||
                       (retry_failed && found->second == Status::failed);
    if (again) todo.push_back(planned);
  }
  return todo;
}

}  // namespace benchbench
