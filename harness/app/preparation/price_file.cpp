#include "harness/app/preparation/price_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>

#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/plan/price.h"
#include "harness/plan/starts.h"
#include "harness/record/setting_keys.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

std::string price_path(const std::string& cache_folder, const std::string& machine) {
  return fmt::format("{}/prices-{}.tsv", cache_folder, machine);
}

std::string timed_runs_path(const std::string& cache_folder, const std::string& machine) {
  return fmt::format("{}/runs-{}.tsv", cache_folder, machine);
}

// Twice this and a half of it were seen on a quiet machine; anything beyond is a trial that was
// disturbed.
constexpr double kMostWarmUp = 20;

// Beyond these no trial that ran here is: a week, an hour, twice the memory.
constexpr double kMostStartup = 7 * 86400, kMostStep = 3600;

std::uint64_t most_memory() {
  return 2 * static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

bool is_possible(const PriceEntry& e) {
  // False for nan, too.
  const auto within = [](double value, double most) { return value >= 0 && value <= most; };
  return within(e.startup_seconds, kMostStartup) && within(e.step_seconds, kMostStep) &&
         e.memory_bytes <= most_memory() && within(e.warm_up_factor, 2 * kMostWarmUp);
}

template <class... Numbers>
bool read_fields(std::string_view& rest, Numbers&... numbers) {
  const auto one = [&rest](auto& number) {
    if (!rest.starts_with('\t')) return false;
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), number);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return error == std::errc{};
  };
  return (one(numbers) && ...);
}

std::optional<std::pair<std::string, PriceEntry>> price_of(std::string_view line) {
  const std::string_view key = line.substr(0, line.find('\t'));
  PriceEntry e;
  std::string_view rest = line.substr(key.size());
  e.warm_up_factor = 1;
  if (key.empty() || !read_fields(rest, e.startup_seconds, e.step_seconds, e.memory_bytes))
    return std::nullopt;
  if (!rest.empty() && !read_fields(rest, e.warm_up_factor)) return std::nullopt;
  if (!rest.empty() || !is_possible(e)) return std::nullopt;
  return std::pair{std::string(key), e};
}

// The lines of a file of ours; of one that is larger than any of ours none.
std::vector<std::string> lines_of(const std::string& path) {
  constexpr std::uintmax_t kMostBytes = 16u << 20;
  std::vector<std::string> lines;
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return lines;
  if (const auto size = std::filesystem::file_size(path, failed); failed || size > kMostBytes) {
    tell_once(fmt::format(
                  "warning: {} is not used: it has {} bytes, at most {} are expected; remove it\n",
                  path, size, kMostBytes),
              path);
    return lines;
  }
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

void keep(const std::string& path, const std::string& text) {
  try {
    make_folders(std::filesystem::path(path).parent_path().string());
    write_whole_shared(path, text);
  } catch (const StoreError& e) {
    tell_once(fmt::format("warning: what this run teaches of time is not kept: {}\n", e.message()),
              path);
  }
}

// Returns what the user's interpreter took until its code was loaded; nullopt where an earlier
// trial had started it, or where no other may follow in it: a hand-over.
std::optional<double> start_seconds_of(const Facts& f) {
  if (!f.external || !f.external->spawn_ns || f.external->way == ExternalWay::hand_over)
    return std::nullopt;
  const ExternalFacts& e = *f.external;
  return 1e-9 * static_cast<double>(*e.spawn_ns + e.import_ns.value_or(0) + e.call_ns.value_or(0));
}

PriceEntry entry_of(const TrialRecord& record, double wall_seconds) {
  const Facts& f = record.facts;
  PriceEntry entry;
  const double window = static_cast<double>(f.window.ns) * 1e-9,
               warm_up = static_cast<double>(f.start.warmup_ns) * 1e-9;
  entry.step_seconds = window / static_cast<double>(f.window.steps);
  entry.startup_seconds = std::max(0.0, wall_seconds - warm_up - window);
  entry.memory_bytes = f.peak_memory_bytes.value_or(0);
  const double shortest = shortest_warm_up(record.trial.settings, entry.step_seconds);
  // A fixed warm-up says nothing of another.
  const bool fixed = parse_duration(record.trial.settings.get(keys::measure.warmup)).has_value();
  if (shortest > 0 && !fixed) entry.warm_up_factor = std::min(warm_up / shortest, kMostWarmUp);
  return entry;
}

}  // namespace

Prices read_prices(const std::string& cache_folder, const std::string& machine) {
  Prices prices;
  const std::string path = price_path(cache_folder, machine);
  std::size_t damaged = 0;
  for (const std::string& line : lines_of(path)) {
    const auto price = price_of(line);
    damaged += !price;
    if (price) prices.insert_or_assign(price->first, price->second);
  }
  if (damaged)
    tell_once(fmt::format("warning: {}: {} left out: no trial costs that\n", path,
                          counted(damaged, "line")),
              path);
  return prices;
}

void write_prices(const std::string& cache_folder, const std::string& machine,
                  const Prices& prices) {
  std::string text;
  for (const auto& [key, p] : prices)
    text += fmt::format("{}\t{:.6g}\t{:.6g}\t{}\t{:.4g}\n", key, p.startup_seconds, p.step_seconds,
                        p.memory_bytes, p.warm_up_factor);
  keep(price_path(cache_folder, machine), text);
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
  const bool ended = record.status == Status::valid || record.status == Status::noisy ||
                     record.status == Status::invalid;
  if (!ended || f.window.steps == 0) return false;
  if (f.simulated) {
    put(simulated_key(record.trial), {.startup_seconds = wall_seconds});
    return true;
  }
  const PriceEntry entry = entry_of(record, wall_seconds);
  put(price_key(record.trial), entry);
  const std::string start = start_key(record.trial.settings);
  if (const auto seconds = start_seconds_of(f); !start.empty() && seconds)
    put(start, {.startup_seconds = *seconds});
  return true;
}

std::vector<TimedRun> read_timed_runs(const std::string& cache_folder, const std::string& machine) {
  std::vector<TimedRun> runs;
  for (const std::string& line : lines_of(timed_runs_path(cache_folder, machine))) {
    std::istringstream fields(line);
    TimedRun run;
    if (fields >> run.file_digest >> run.plan_digest >> run.estimated >> run.took >> run.earlier >>
            std::ws &&
        std::getline(fields, run.name) && run.estimated > 0 && run.took > 0)
      runs.push_back(std::move(run));
  }
  return runs;
}

void add_timed_run(const std::string& cache_folder, const std::string& machine, TimedRun run) {
  std::vector<TimedRun> runs = read_timed_runs(cache_folder, machine);
  run.earlier = static_cast<int>(std::ranges::count(runs, run.plan_digest, &TimedRun::plan_digest));
  runs.push_back(std::move(run));
  std::string text;
  for (const TimedRun& r : std::span(runs).last(std::min(runs.size(), kMostTimedRuns)))
    text += fmt::format("{}\t{}\t{:.6g}\t{:.6g}\t{}\t{}\n", r.file_digest, r.plan_digest,
                        r.estimated, r.took, r.earlier, r.name);
  keep(timed_runs_path(cache_folder, machine), text);
}

double off_by(const TimedRun& run) noexcept {
  const double ratio = run.took / run.estimated;
  return std::max(ratio, 1 / ratio);
}

bool estimate_holds(const TimedRun& run) noexcept {
  return off_by(run) <= (run.earlier > 0 ? kLaterEstimate : kFirstEstimate);
}

}  // namespace benchbench
