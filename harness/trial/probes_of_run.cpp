// TrialRun's probes: what they are made from, and what becomes of their readings.
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "harness/trial/trial_run.h"

namespace benchbench {
namespace {

std::optional<Nanoseconds> cpu_time_of(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::seconds{time.tv_sec} + Nanoseconds{time.tv_nsec};
}

std::function<std::optional<Nanoseconds>()> clock_of_this_thread() {
  clockid_t clock;
  if (pthread_getcpuclockid(pthread_self(), &clock) != 0) return {};
  return [clock] { return cpu_time_of(clock); };
}

// Only where what we write lands beside the data: in the working directory or the temporary folder.
bool written_beside(const std::string& dataset) {
  struct stat data {
  }, place{};
  if (dataset.empty() || ::stat(dataset.c_str(), &data) != 0) return false;
  const char* temporary = std::getenv("TMPDIR");
  for (const char* folder : {".", temporary ? temporary : "/tmp"})
    if (::stat(folder, &place) == 0 && place.st_dev == data.st_dev) return true;
  return false;
}

using Series = std::vector<std::int64_t>;

std::optional<std::uint64_t> sum_of(const std::map<std::string, Series>& all, const char* name) {
  const auto at = all.find(name);
  if (at == all.end()) return std::nullopt;
  return static_cast<std::uint64_t>(std::accumulate(at->second.begin(), at->second.end(), std::int64_t{0}));
}

// Each series is a file that is synced (3 ms on a virtual disk): a few values are told by mean, least and
// most, and those that are 0 throughout are told by that.
constexpr std::size_t kFewestValues = 8;
bool worth_keeping(const Series& series) {
  return series.size() >= kFewestValues &&
         std::any_of(series.begin(), series.end(), [](std::int64_t value) { return value != 0; });
}

}  // namespace

// Virtual time has no machine beside it.
void TrialRun::make_probes() {
  if (runtime_.simulated() || options_.probe_every.count() <= 0) return;
  probe_context_ = std::make_unique<ProbeContext>();
  ProbeContext& context = *probe_context_;
  if (storage_) context.dataset = std::string(context_.dataset.path);
  context.trainer_thread = ::gettid();
  context.trainer_cpu = clock_of_this_thread();
  context.process_cpu = [] { return cpu_time_of(CLOCK_PROCESS_CPUTIME_ID); };
  if (options_.num_workers > 0) context.loader_cpu = [this] { return supply_->cpu_time(); };
  probes_ = std::make_unique<ProbeSampler>(runtime_, options_.probe_every, context);
  probes_->start();
}

void TrialRun::note_probes() {
  if (!probes_) return;
  probes_->stop();
  if (window_.segments == 0) return;
  Facts& facts = record_->facts;
  facts.probes = probes_->facts();
  auto& series = record_->raw_series;
  probes_->hand_over_series(series);
  facts.bytes_written_there = sum_of(series, "probe_device_written");
  const auto written = sum_of(series, "probe_bytes_written");
  if (written && facts.bytes_written_there && written_beside(probe_context_->dataset))
    facts.bytes_logged = *written - std::min(*written, facts.checkpoint_bytes);
  std::erase_if(
      series, [](const auto& one) { return one.first.starts_with("probe_") && !worth_keeping(one.second); });
  const double thread_time = static_cast<double>(facts.window_ns) * (options_.num_workers + 1);
  if (thread_time > 0) facts.overhead_share += static_cast<double>(probes_->cost().count()) / thread_time;
}

}  // namespace benchbench
