#include "harness/app/run/price_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/plan/price.h"

namespace benchbench {
namespace {

std::string price_path(const std::string& cache_folder, const std::string& machine) {
  return fmt::format("{}/prices-{}.tsv", cache_folder, machine);
}

std::string timed_runs_path(const std::string& cache_folder, const std::string& machine) {
  return fmt::format("{}/runs-{}.tsv", cache_folder, machine);
}

// Twice this and a half of it were seen on a quiet machine; anything beyond is a trial that was disturbed.
constexpr double kMostWarmUp = 20;

PriceEntry entry_of(const TrialRecord& record, double wall_seconds) {
  const Facts& f = record.facts;
  PriceEntry entry;
  const double window = static_cast<double>(f.window.ns) * 1e-9, warm_up = static_cast<double>(f.start.warmup_ns) * 1e-9;
  entry.step_seconds = window / static_cast<double>(f.window.steps);
  entry.startup_seconds = std::max(0.0, wall_seconds - warm_up - window);
  entry.memory_bytes = f.peak_memory_bytes.value_or(0);
  const double shortest = shortest_warm_up(record.trial.settings, entry.step_seconds);
  const bool fixed = parse_duration(record.trial.settings.text("measure.warmup")).has_value();  // says nothing of another
  if (shortest > 0 && !fixed) entry.warm_up_factor = std::min(warm_up / shortest, kMostWarmUp);
  return entry;
}

}  // namespace

Prices read_prices(const std::string& cache_folder, const std::string& machine) {
  Prices prices;
  std::ifstream in(price_path(cache_folder, machine));
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string key;
    PriceEntry entry;
    if (!(fields >> key >> entry.startup_seconds >> entry.step_seconds >> entry.memory_bytes)) continue;
    if (!(fields >> entry.warm_up_factor)) entry.warm_up_factor = 1;
    prices[key] = entry;
  }
  return prices;
}

void write_prices(const std::string& cache_folder, const std::string& machine, const Prices& prices) {
  std::error_code ignored;
  std::filesystem::create_directories(cache_folder, ignored);
  const std::string path = price_path(cache_folder, machine), beside = fmt::format("{}.{}", path, ::getpid());
  {
    std::ofstream out(beside);
    for (const auto& [key, p] : prices)
      out << fmt::format("{}\t{:.6g}\t{:.6g}\t{}\t{:.4g}\n", key, p.startup_seconds, p.step_seconds, p.memory_bytes,
                         p.warm_up_factor);
    if (!out) return;
  }
  std::filesystem::rename(beside, path, ignored);
}

void PriceLesson::put(const std::string& key, const PriceEntry& seen) {
  const int before = runs_[key]++;
  if (before == 0) {
    prices_[key] = seen;
    return;
  }
  PriceEntry& mean = prices_[key];
  const double share = 1.0 / (before + 1);
  mean.startup_seconds += (seen.startup_seconds - mean.startup_seconds) * share;
  mean.step_seconds += (seen.step_seconds - mean.step_seconds) * share;
  mean.warm_up_factor += (seen.warm_up_factor - mean.warm_up_factor) * share;
  mean.memory_bytes = std::max(mean.memory_bytes, seen.memory_bytes);
}

bool PriceLesson::learn(const TrialRecord& record, double wall_seconds) {
  const Facts& f = record.facts;
  const bool ended = record.status == Status::valid || record.status == Status::noisy || record.status == Status::invalid;
  if (!ended || f.window.steps == 0) return false;
  if (f.simulated)
    put(simulated_key(record.trial), {.startup_seconds = wall_seconds});
  else
    put(price_key(record.trial), entry_of(record, wall_seconds));
  return true;
}

std::vector<TimedRun> read_timed_runs(const std::string& cache_folder, const std::string& machine) {
  std::vector<TimedRun> runs;
  std::ifstream in(timed_runs_path(cache_folder, machine));
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    TimedRun run;
    if (fields >> run.file_digest >> run.plan_digest >> run.estimated >> run.took >> run.earlier >> std::ws &&
        std::getline(fields, run.name))
      runs.push_back(std::move(run));
  }
  return runs;
}

void add_timed_run(const std::string& cache_folder, const std::string& machine, TimedRun run) {
  const auto before = read_timed_runs(cache_folder, machine);
  run.earlier = static_cast<int>(std::ranges::count(before, run.plan_digest, &TimedRun::plan_digest));
  std::ofstream(timed_runs_path(cache_folder, machine), std::ios::app)
      << fmt::format("{}\t{}\t{:.6g}\t{:.6g}\t{}\t{}\n", run.file_digest, run.plan_digest, run.estimated, run.took,
                     run.earlier, run.name);
}

double off_by(const TimedRun& run) noexcept {
  const double ratio = run.took / run.estimated;
  return std::max(ratio, 1 / ratio);
}

bool estimate_holds(const TimedRun& run) noexcept {
  return off_by(run) <= (run.earlier > 0 ? kLaterEstimate : kFirstEstimate);
}

}  // namespace benchbench
