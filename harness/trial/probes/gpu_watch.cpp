#include "harness/trial/probes/gpu_watch.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/cuda/open/cuda_open.h"

namespace benchbench {
namespace {

// An idle device is slow, and so is one whose user wants it so: neither is a fault of the machine.
constexpr std::uint64_t kNoFault = cuda::kThrottleIdle | cuda::kThrottleSettings |
                                   cuda::kThrottleDisplay | cuda::kThrottleSyncBoost;
// The share of a window's readings, and this many: power is capped for a moment on every busy
// device.
constexpr double kOften = 0.05;
constexpr unsigned kLeastReadings = 2;

std::set<unsigned> pids_of(const cuda::NvmlReading& reading) {
  std::set<unsigned> pids;
  if (reading.users.value)
    for (const cuda::NvmlUser& user : *reading.users.value) pids.insert(user.pid);
  return pids;
}

struct Level {
  std::optional<double> value;
  const std::string* absent;
};
template <class T>
Level times(const cuda::Read<T>& read, double factor) {
  return {read.value ? std::optional(static_cast<double>(*read.value) * factor) : std::nullopt,
          &read.absent};
}

Level level_of(const cuda::NvmlReading& r, GpuLevel which) {
  switch (which) {
    case GpuLevel::busy:
      return times(r.busy, 100);
    case GpuLevel::memory_busy:
      return times(r.memory_busy, 100);
    case GpuLevel::memory:
      return times(r.memory_used, 1);
    case GpuLevel::clock:
      return times(r.clock_mhz, 1e6);
    case GpuLevel::memory_clock:
      return times(r.memory_clock_mhz, 1e6);
    case GpuLevel::power:
      return times(r.power, 1);
    case GpuLevel::temperature:
      return times(r.temperature, 1);
    case GpuLevel::received:
      return times(r.received, 1);
    case GpuLevel::sent:
      return times(r.sent, 1);
  }
  return times(r.busy, 100);
}

}  // namespace

GpuWatch::GpuWatch(std::unique_ptr<cuda::NvmlProbe> probe, Runtime& runtime, Nanoseconds every)
    : runtime_(runtime), every_(every), probe_(std::move(probe)), lock_(runtime) {
  reading_ = probe_->read(true);
  read_at_ = runtime_.now();
  before_ = pids_of(reading_);
  own_.insert(static_cast<unsigned>(::getpid()));
  facts_.absent = probe_->absent();
  facts_.divided = reading_.divided.value;
  facts_.memory_bytes = reading_.memory_total.value;
}

std::unique_ptr<GpuWatch> GpuWatch::of(std::string_view device, Runtime& runtime) {
  const cuda::CudaEntry& entry = cuda::cuda_entry();
  const auto devices = entry.survey(cuda::CudaOptions{});
  const auto ordinal = static_cast<std::size_t>(cuda::ordinal_of(device));
  if (ordinal >= devices.size()) return nullptr;
  return std::make_unique<GpuWatch>(entry.make_probe(devices[ordinal].uuid, cuda::kNvmlLibrary),
                                    runtime);
}

GpuWatch::~GpuWatch() {
  if (!task_) return;
  {
    const Guard guard(lock_);
    ended_ = true;
  }
  runtime_.unpark(waiter_);
  task_->join();
}

void GpuWatch::start() {
  if (task_ || !probe_->absent().empty()) return;
  task_ = runtime_.spawn("nvml", *this);
}

void GpuWatch::run() {
  for (TimePoint next = runtime_.now();; next = std::max(next + every_, runtime_.now())) {
    runtime_.park(waiter_, next);
    {
      const Guard guard(lock_);
      if (ended_) return;
    }
    take(probe_->read(true));
  }
}

void GpuWatch::take(cuda::NvmlReading reading) {
  const Guard guard(lock_);
  reading_ = std::move(reading);
  read_at_ = runtime_.now();
  if (!had_window_) take_own();
  if (counting_) judge();
}

// With the lock held.
void GpuWatch::take_own() {
  for (const unsigned pid : pids_of(reading_))
    if (!before_.contains(pid)) own_.insert(pid);
}

void GpuWatch::count_throttled(std::uint64_t bits) {
  ++throttle_readings_;
  std::uint64_t often = 0;
  for (unsigned i = 0; i < throttled_.size(); ++i) {
    throttled_[i] += bits >> i & 1;
    if (throttled_[i] >= kLeastReadings && throttled_[i] > kOften * throttle_readings_)
      often |= std::uint64_t{1} << i;
  }
  facts_.throttled = cuda::throttle_text(often);
}

// With the lock held.
void GpuWatch::judge() {
  if (reading_.throttle.value) count_throttled(*reading_.throttle.value & ~kNoFault);
  if (reading_.users.value) {
    const std::set<unsigned> now = pids_of(reading_);
    const auto strangers = static_cast<std::uint64_t>(
        std::ranges::count_if(now, [&](unsigned pid) { return !own_.contains(pid); }));
    facts_.foreign = std::max(facts_.foreign.value_or(0), strangers);
  }
  if (const auto& errors = reading_.uncorrected_errors.value) {
    if (!errors_before_) errors_before_ = *errors;
    facts_.uncorrected = *errors - std::min(*errors, *errors_before_);
  }
}

std::optional<std::int64_t> GpuWatch::level(GpuLevel which) const {
  const Guard guard(lock_);
  if (runtime_.now() - read_at_ > every_ * kStale) return std::nullopt;
  const Level level = level_of(reading_, which);
  return level.value ? std::optional(std::llround(*level.value)) : std::nullopt;
}

std::string GpuWatch::absent(GpuLevel which) const {
  const Guard guard(lock_);
  return *level_of(reading_, which).absent;
}

// What the last reading says holds as the window begins.
void GpuWatch::begin_window() {
  const Guard guard(lock_);
  counting_ = had_window_ = true;
  judge();
}

void GpuWatch::end_window() {
  const Guard guard(lock_);
  counting_ = false;
}

GpuFacts GpuWatch::facts() const {
  const Guard guard(lock_);
  return facts_;
}

}  // namespace benchbench
