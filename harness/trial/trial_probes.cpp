#include "harness/trial/trial_probes.h"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "harness/pipeline/supply.h"
#include "harness/trial/probes/card_search.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kLookEvery = std::chrono::seconds{1};

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
  struct stat data{}, place{};
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
  return static_cast<std::uint64_t>(
      std::accumulate(at->second.begin(), at->second.end(), std::int64_t{0}));
}

// Each series is a file that is synced (3 ms on a virtual disk): a few values are told by mean,
// least and most, and those that are 0 throughout are told by that.
constexpr std::size_t kMinValues = 8;
bool worth_keeping(const Series& series) {
  return series.size() >= kMinValues &&
         std::ranges::any_of(series, [](std::int64_t value) { return value != 0; });
}

// Others look at this process, which only waits.
bool is_of_the_machine(std::string_view probe) {
  return std::ranges::none_of(probe_rows(), [&](const ProbeRow& row) {
    return row.name == probe && row.scope == ProbeScope::process;
  });
}

ProbeContext context_of(std::string dataset, const Supply* supply, const GpuWatch* gpu) {
  ProbeContext context;
  context.gpu = gpu;
  context.dataset = std::move(dataset);
  context.trainer_thread = ::gettid();
  context.trainer_cpu = clock_of_this_thread();
  context.process_cpu = [] { return cpu_time_of(CLOCK_PROCESS_CPUTIME_ID); };
  if (supply) context.loader_cpu = [supply] { return supply->cpu_time(); };
  return context;
}

}  // namespace

ProbeResults of_the_machine(ProbeResults results) {
  std::erase_if(results.probes,
                [](const ProbeFacts& probe) { return !is_of_the_machine(probe.name); });
  std::erase_if(results.series, [](const auto& one) {
    return !is_of_the_machine(
        std::string_view(one.first).substr(std::string_view("probe_").size()));
  });
  return results;
}

TrialProbes::TrialProbes(Order order)
    : runtime_(order.runtime),
      cards_(order.gpu ? nullptr : order.cards),
      root_(order.root > 0 ? order.root : ::getpid()),
      device_(order.device),
      gpu_(order.gpu),
      context_(context_of(std::move(order.dataset), order.supply, order.gpu)),
      sampler_(order.runtime, order.every, context_, order.rows) {
  sampler_.start();
}

TrialProbes::~TrialProbes() = default;

void TrialProbes::watch(std::unique_ptr<GpuWatch> found) {
  if (!found) return;
  found_ = std::move(found);
  gpu_ = found_.get();
  sampler_.add_gpu(*gpu_);
}

void TrialProbes::look_for_card() {
  if (!seeks_card() || runtime_.now() < next_look_) return;
  watch(cards_->find(root_));
  next_look_ = runtime_.now() + kLookEvery;
}

void TrialProbes::begin_segment() {
  if (seeks_card()) watch(cards_->find(root_));
  gpu_is_assumed_ |= seeks_card();
  if (seeks_card()) watch(cards_->watch_named(device_));
  begun_ = true;
  sampler_.begin_segment();
  if (gpu_) gpu_->begin_window();
}

void TrialProbes::end_segment() {
  sampler_.end_segment();
  if (gpu_) gpu_->end_window();
  measured_ = true;
}

ProbeResults TrialProbes::results() {
  ProbeResults results;
  results.measured = measured_;
  results.probes = sampler_.facts();
  sampler_.hand_over_series(results.series);
  results.bytes_written_there = sum_of(results.series, "probe_device_written");
  if (results.bytes_written_there && written_beside(context_.dataset))
    results.bytes_written = sum_of(results.series, "probe_bytes_written");
  std::erase_if(results.series, [](const auto& one) {
    return one.first.starts_with("probe_") && !worth_keeping(one.second);
  });
  results.cost_ns = sampler_.cost().count();
  if (gpu_) results.gpu = gpu_->take_facts();
  results.gpu_is_assumed = gpu_is_assumed_;
  return results;
}

}  // namespace benchbench
