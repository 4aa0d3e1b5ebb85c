#include "harness/app/history/alert_stages.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "harness/analysis/history/moved_between.h"
#include "harness/app/history/history_runs.h"
#include "harness/core/error.h"
#include "harness/store/run_folder.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;
class StageReader {
 public:
  StageReader(const std::vector<std::string>& folders, const KeptHistory& kept)
      : folders_(folders) {
    for (const auto& [digest, series] : kept.series) digests_.emplace(series.name(), digest);
  }

  void look(const MachineHistory& machine, const SeriesHistory& series, Alert& alert) {
    const bool drift = alert.kind == ChangeKind::drift;
    const std::size_t half =
        drift ? std::min(kNightsOfAStage, (alert.last - alert.first + 1) / 2) : kNightsOfAStage;
    // The end of the nights before.
    const std::size_t before = drift ? alert.first + half : alert.last_before + 1;
    const std::size_t after = drift ? alert.last + 1 - half : alert.first,
                      end = drift ? alert.last + 1 : machine.nights.size();
    const auto a = stages(machine, series, before - std::min(before, half), before);
    const auto b = stages(machine, series, after, std::min(end, after + half));
    alert.stage = moved_between(a, b, alert.worse());
  }

 private:
  std::vector<NamedTimes> stages(const MachineHistory& machine, const SeriesHistory& series,
                                 std::size_t from, std::size_t to) {
    std::vector<NamedTimes> out;
    for (std::size_t night = from; night < to; ++night) {
      if (machine.nights[night].canaries.moved) continue;
      for (const std::string& folder : machine.nights[night].folders)
        if (NamedTimes found = stages_of_run(folder, series.series.name()); !found.empty()) {
          out.push_back(std::move(found));
          break;
        }
    }
    return out;
  }

  // Series of one name and other settings: whichever of them this run has.
  NamedTimes stages_of_run(const std::string& folder, const std::string& name) {
    const Journal* journal = journal_of(folder);
    if (!journal) return {};
    for (auto [at, end] = digests_.equal_range(name); at != end; ++at)
      if (NamedTimes found = stages_of_night(journal->plan, journal->records, at->second);
          !found.empty())
        return found;
    return {};
  }

  const Journal* journal_of(const std::string& folder) {
    if (!journals_.contains(folder) && journals_.size() >= kStoresRead) return nullptr;
    const auto [at, is_new] = journals_.try_emplace(folder);
    if (is_new) at->second = read_run(folder);
    return at->second ? &*at->second : nullptr;
  }

  std::optional<Journal> read_run(const std::string& folder) const {
    for (const std::string& place : folders_) {
      const std::string path = is_run_folder(place) ? place : (fs::path(place) / folder).string();
      if (!is_run_folder(path) || fs::path(path).lexically_normal().filename() != folder) continue;
      try {
        return RunFolder::read(path);
      } catch (const Error&) {  // told where the runs were read
      }
    }
    return std::nullopt;
  }

  const std::vector<std::string>& folders_;
  std::multimap<std::string, std::string> digests_;
  std::map<std::string, std::optional<Journal>> journals_;
};

}  // namespace

void add_stages(const std::vector<std::string>& folders, const KeptHistory& kept,
                History& history) {
  StageReader reader(folders, kept);
  for (MachineHistory& machine : history.machines) {
    std::vector<std::pair<SeriesHistory*, Alert*>> alerts;
    for (SeriesHistory& series : machine.series)
      for (Alert& alert : series.alerts) alerts.emplace_back(&series, &alert);
    std::ranges::stable_sort(alerts, std::greater{}, [](const auto& a) { return a.second->told; });
    for (const auto& [series, alert] : alerts) reader.look(machine, *series, *alert);
  }
}

}  // namespace benchbench
