#include "harness/app/preparation/replay_times.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/analysis/rules/rules.h"
#include "harness/app/preparation/code_seal.h"
#include "harness/app/preparation/csv_times.h"
#include "harness/core/contains.h"
#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/store/run_folder.h"
#include "harness/store/series_file.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kLargestFile = 1u << 28;

Replayed replayed_in(std::string_view section) {
  return section == "trainer." ? Replayed::steps : Replayed::batches;
}

std::string text_of_file(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error)
    throw ScenarioError(fmt::format("{} cannot be read: {}", path, error.message()),
                        "relative paths start at the working directory");
  if (size > kLargestFile)
    throw ScenarioError(fmt::format("{} has {} bytes: too large to replay", path, size),
                        "allowed: at most 256 MiB");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw ScenarioError(fmt::format("{} cannot be read", path), "is it a readable file?");
  return std::move(text).str();
}

bool serves(const TrialRecord& record, Mode mode) {
  return is_usable(record.status) && record.trial.mode == mode && !record.trial.ablation &&
         contains(record.trial.points, 0u);
}

std::vector<std::int64_t> times_of_run(const std::string& folder, Replayed what) {
  const Mode mode = what == Replayed::batches ? Mode::loader : Mode::trainer;
  const std::string_view name = what == Replayed::batches ? "get_blocked" : "step";
  const Journal journal = RunFolder::read(folder);
  for (const TrialRecord& record : journal.records) {
    if (!serves(record, mode)) continue;
    for (const SeriesFile& series : record.series)
      if (series.name == name && series.length > 0) return read_series(folder, series);
  }
  throw ScenarioError(
      fmt::format("{} contains no series {} of a usable trial of its base point in mode {}", folder,
                  name, name_of(mode)),
      "record it with this mode in measure.modes and measure.observer of at least 1");
}

}  // namespace

std::vector<std::int64_t> read_replay_times(const std::string& path, const std::string& column,
                                            Replayed what) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return times_of_csv(text_of_file(path), path, column);
  try {
    return times_of_run(path, what);
  } catch (const ScenarioError&) {
    throw;
  } catch (const Error& e) {
    // Nothing was to be stored: it is the scenario that names the wrong place.
    throw ScenarioError(fmt::format("times of {}: {}", path, e.what()), e.hint());
  }
}

const ReplayTimes::Read& ReplayTimes::read(const SettingsMap& settings, const std::string& side,
                                           Replayed what) {
  const std::string path = settings.text(side + "times");
  const std::string column =
      settings.has(side + "column") ? settings.text(side + "column") : std::string{};
  const auto [at, is_new] =
      read_.try_emplace(fmt::format("{}\n{}\n{}", static_cast<int>(what), path, column));
  if (!is_new) return at->second;
  try {
    at->second.ns = read_replay_times(path, column, what);
  } catch (...) {
    read_.erase(at);
    throw;
  }
  at->second.digest = digest_of(std::as_bytes(std::span(at->second.ns))).text();
  return at->second;
}

const std::vector<std::int64_t>& ReplayTimes::of(const SettingsMap& settings, Replayed what) {
  static const std::vector<std::int64_t> none;
  for (const std::string section : kCodeSections)
    if (replayed_in(section) == what && settings.has(section + "times"))
      return read(settings, section, what).ns;
  return none;
}

void ReplayTimes::seal(SettingsMap& settings) {
  for (const std::string section : kCodeSections)
    if (settings.has(section + "times"))
      settings.set(section + "times_digest",
                   {ParameterType::text, read(settings, section, replayed_in(section)).digest});
}

void ReplayTimes::check_seal(const SettingsMap& trial) {
  check_seals(trial, "times_digest", [&](const std::string& side) -> std::optional<Sealed> {
    if (!trial.has(side + "times")) return std::nullopt;
    return Sealed{trial.text(side + "times"), read(trial, side, replayed_in(side)).digest};
  });
}

}  // namespace benchbench
