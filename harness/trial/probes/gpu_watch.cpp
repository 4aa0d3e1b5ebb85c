#include "harness/trial/probes/gpu_watch.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/core/error.h"
#include "harness/cuda/open/cuda_open.h"
#include "harness/trial/probes/own_processes.h"

namespace benchbench {
namespace {

constexpr std::uint64_t kFaults = cuda::kThrottleHardware | cuda::kThrottleHot |
                                  cuda::kThrottleHotHardware | cuda::kThrottlePowerBrake;
// The share of a window's readings, and this many: each device is slowed down for a moment now and
// then.
constexpr double kOften = 0.05;
constexpr unsigned kLeastReadings = 2;

std::set<unsigned> pids_in(const cuda::NvmlReading& reading) {
  std::set<unsigned> pids;
  if (reading.users.value)
    for (const cuda::NvmlUser& user : *reading.users.value) pids.insert(user.pid);
  return pids;
}

std::optional<std::uint64_t> larger(std::optional<std::uint64_t> most,
                                    const cuda::Read<unsigned>& read) {
  return read.value ? std::max<std::optional<std::uint64_t>>(most, *read.value) : most;
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
  // In the order of GpuLevel.
  const Level levels[] = {
      times(r.busy, 100),      times(r.memory_busy, 100),      times(r.memory_used, 1),
      times(r.clock_mhz, 1e6), times(r.memory_clock_mhz, 1e6), times(r.power, 1),
      times(r.temperature, 1), times(r.received, 1),           times(r.sent, 1)};
  return levels[static_cast<std::size_t>(which)];
}

}  // namespace

GpuWatch::GpuWatch(std::unique_ptr<cuda::NvmlProbe> probe, Runtime& runtime, WatchedCard card,
                   Nanoseconds every)
    : runtime_(runtime),
      every_(every),
      probe_(std::move(probe)),
      card_(std::move(card)),
      lock_(runtime),
      own_(own_processes()) {
  reading_ = probe_->read(true);
  read_at_ = runtime_.now();
  for (const unsigned pid : card_.before.value_or(pids_in(reading_)))
    if (!is_own(pid)) before_.insert(pid);
  (void)take_facts();
}

std::unique_ptr<GpuWatch> GpuWatch::of(std::string_view device, Runtime& runtime) {
  const cuda::CudaEntry& entry = cuda::cuda_entry();
  const auto devices = entry.survey(cuda::CudaOptions{});
  const auto ordinal = static_cast<std::size_t>(cuda::ordinal_of(device));
  if (ordinal >= devices.size()) return nullptr;
  const cuda::CudaFacts& card = devices[ordinal];
  return std::make_unique<GpuWatch>(entry.make_probe(card.uuid, cuda::kNvmlLibrary), runtime,
                                    WatchedCard{card.name, card.model, card.uuid});
}

GpuWatch::~GpuWatch() {
  if (!task_) return;
  {
    const Guard guard(lock_);
    ended_ = true;
  }
  runtime_.unpark(waiter_);
  task_->join();
  remember_own(own_);
}

void GpuWatch::start() {
  if (task_ || !probe_->absent().empty()) return;
  task_ = runtime_.spawn("nvml", *this);
}

void GpuWatch::run() {
  for (TimePoint next = runtime_.now(); await_turn(next);
       next = std::max(next + every_, runtime_.now()))
    take(probe_->read(true));
}

// Returns false where no further one comes.
bool GpuWatch::await_turn(TimePoint next) {
  for (;;) {
    TimePoint until = next;
    {
      const Guard guard(lock_);
      if (ended_) return false;
      if (resting_) until = kForever;
    }
    if (until <= runtime_.now()) return true;
    runtime_.park(waiter_, until);
  }
}

void GpuWatch::take(cuda::NvmlReading reading) {
  const Guard guard(lock_);
  reading_ = std::move(reading);
  read_at_ = runtime_.now();
  if (!had_window_) take_own();
  if (counting_) judge();
}

// With the lock held, as all below.
void GpuWatch::take_own() {
  for (const unsigned pid : pids_in(reading_))
    if (!before_.contains(pid)) own_.insert(pid);
}

// A process that began meanwhile below this one is the trial's, such as a worker with a context.
bool GpuWatch::is_own(unsigned pid) {
  if (own_.contains(pid)) return true;
  if (!is_below_this_process(pid)) return false;
  own_.insert(pid);
  return true;
}

void GpuWatch::count_reasons(std::uint64_t bits) {
  ++reason_readings_;
  std::uint64_t often = 0;
  for (unsigned i = 0; i < reasons_.size(); ++i) {
    reasons_[i] += bits >> i & 1;
    if (reasons_[i] >= kLeastReadings && reasons_[i] > kOften * reason_readings_)
      often |= std::uint64_t{1} << i;
  }
  facts_.throttled = cuda::throttle_text(often & kFaults);
  facts_.limited = cuda::throttle_text(often & ~kFaults & ~cuda::kThrottleIdle);
  facts_.power_capped_share =
      static_cast<double>(reasons_[std::countr_zero(cuda::kThrottlePowerCap)]) / reason_readings_;
}

void GpuWatch::note_strangers() {
  if (!reading_.users.value) return;
  const auto strangers = static_cast<std::uint64_t>(
      std::ranges::count_if(pids_in(reading_), [&](unsigned pid) { return !is_own(pid); }));
  facts_.foreign = std::max(facts_.foreign.value_or(0), strangers);
}

// The counter moves between readings: what it grew by from one to the next within a segment.
void GpuWatch::note_energy() {
  if (!reading_.energy.value || read_at_ < begin_) return;
  if (energy_at_) {
    joules_ += *reading_.energy.value - energy_at_->second;
    metered_ += read_at_ - energy_at_->first;
  }
  energy_at_ = {read_at_, *reading_.energy.value};
}

void GpuWatch::judge() {
  if (reading_.throttle.value) count_reasons(*reading_.throttle.value);
  note_strangers();
  note_energy();
  facts_.pcie_generation = larger(facts_.pcie_generation, reading_.pcie_generation);
  facts_.pcie_width = larger(facts_.pcie_width, reading_.pcie_width);
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
  begin_ = runtime_.now();
  energy_at_.reset();
  if (begin_ - read_at_ <= every_ * kStale) judge();
  resting_ = false;
  runtime_.unpark(waiter_);
}

void GpuWatch::end_window() {
  const Guard guard(lock_);
  if (counting_) counted_ += runtime_.now() - begin_;
  counting_ = false;
}

void GpuWatch::rest() {
  const Guard guard(lock_);
  resting_ = true;
}

// The power between the readings holds for the whole window, whose ends lie between readings.
GpuFacts GpuWatch::facts() const {
  const Guard guard(lock_);
  GpuFacts facts = facts_;
  if (metered_.count() > 0) facts.joules = joules_ / to_seconds(metered_) * to_seconds(counted_);
  return facts;
}

GpuFacts GpuWatch::take_facts() {
  GpuFacts taken = facts();
  const Guard guard(lock_);
  facts_ = {.name = card_.name, .model = card_.model, .uuid = card_.uuid};
  facts_.absent = probe_->absent();
  facts_.divided = reading_.divided.value;
  facts_.memory_bytes = reading_.memory_total.value;
  facts_.power_limit_watts = reading_.power_limit.value;
  reasons_ = {};
  reason_readings_ = 0;
  errors_before_.reset();
  joules_ = 0;
  metered_ = counted_ = Nanoseconds{0};
  return taken;
}

}  // namespace benchbench
