#include "harness/trial/probes/sampler.h"

#include <fmt/format.h>

#include <algorithm>

namespace benchbench {

// --- one probe's readings
// -----------------------------------------------------------------------------------------

void ProbeReadings::begin(TimePoint now, std::optional<std::int64_t> reading) {
  last_ = row_.kind == ProbeKind::counter ? reading : std::nullopt;
  last_at_ = now;
}

void ProbeReadings::add(TimePoint now, std::optional<std::int64_t> reading, bool short_interval) {
  ++samples_;
  // A counter that steps back was set up anew: its group or its device is not what it was.
  const bool counts = row_.kind == ProbeKind::counter;
  if (!reading || (counts && last_ && *reading < *last_)) {
    ++lost_;
    series_.push_back(0);
  } else if (counts) {
    add_growth(last_ ? *reading - *last_ : 0, to_seconds(now - last_at_), !short_interval);
  } else {
    series_.push_back(*reading);
    count(static_cast<double>(*reading) * (row_.base == ProbeBase::percent ? 0.01 : 1), 1, true);
  }
  last_ = reading;
  last_at_ = now;
}

void ProbeReadings::add_growth(std::int64_t by, double seconds, bool extreme) {
  series_.push_back(by);
  const double in_seconds = row_.base == ProbeBase::ns ? 1e-9 : 1;
  if (last_ && seconds > 0) count(static_cast<double>(by) * in_seconds / seconds, seconds, extreme);
}

void ProbeReadings::count(double value, double weight, bool extreme) {
  sum_ += value * weight;
  weight_ += weight;
  if (!extreme && any_extreme_) return;
  min_ = any_extreme_ ? std::min(min_, value) : value;
  max_ = any_extreme_ ? std::max(max_, value) : value;
  any_extreme_ = true;
}

ProbeFacts ProbeReadings::facts(const std::string& why_lost) const {
  ProbeFacts facts;
  facts.name = row_.name;
  facts.unit = row_.unit;
  facts.samples = samples_ - lost_;
  facts.lost = lost_;
  facts.mean = weight_ > 0 ? sum_ / weight_ : 0;
  facts.min = min_;
  facts.max = max_;
  const bool gone =
      static_cast<double>(lost_) > ProbeSampler::kMaxLost * static_cast<double>(samples_);
  facts.state = gone ? ProbeState::lost : ProbeState::measured;
  if (gone) {
    facts.why = fmt::format("{} of {} samples failed", lost_, samples_);
    if (!why_lost.empty()) facts.why += ": " + why_lost;
  }
  return facts;
}

// --- all of them
// --------------------------------------------------------------------------------------------------

ProbeSampler::ProbeSampler(Runtime& runtime, Nanoseconds every, ProbeContext& context,
                           std::span<const ProbeRow> rows)
    : runtime_(runtime), every_(std::max(every, kMinInterval)), context_(context), lock_(runtime) {
  context_.probes_cpu = [this] { return std::optional(cost()); };
  add(rows);
  if (context_.gpu) add(gpu_probe_rows());
}

void ProbeSampler::add_gpu(const GpuWatch& gpu) {
  const Guard guard(lock_);
  context_.gpu = &gpu;
  add(gpu_probe_rows());
}

void ProbeSampler::add(std::span<const ProbeRow> rows) {
  for (const ProbeRow& row : rows) {
    One one{&row, nullptr, "", ProbeReadings(row)};
    one.probe = row.make(context_, one.why);
    probes_.push_back(std::move(one));
  }
}

void ProbeSampler::start() {
  if (!task_) task_ = runtime_.spawn("probes", *this);
}

void ProbeSampler::begin_segment() {
  Guard guard(lock_);
  begin_ = last_ = runtime_.now();
  sample(true, begin_);
  counting_ = true;
  next_ = begin_ + every_;
  runtime_.unpark(waiter_);
}

void ProbeSampler::end_segment() {
  Guard guard(lock_);
  if (!counting_) return;
  counting_ = false;
  const TimePoint now = runtime_.now();
  sample(false, now);
  counted_ += now - begin_;
}

void ProbeSampler::stop() {
  if (!task_) return;
  {
    Guard guard(lock_);
    ended_ = true;
    counting_ = false;
  }
  runtime_.unpark(waiter_);
  task_->join();
  task_.reset();
}

void ProbeSampler::run() {
  Guard guard(lock_);
  while (!ended_) {
    const TimePoint until = counting_ ? next_ : kForever;
    guard.release();
    runtime_.park(waiter_, until);
    guard.acquire();
    const TimePoint now = runtime_.now();
    if (!counting_ || now < next_) continue;
    sample(false, now);
    cost_.store(runtime_.thread_cpu_time().count(), std::memory_order_relaxed);
    // Late by more than an interval: those that were missed are not made up for.
    next_ += every_ * ((now - next_) / every_ + 1);
  }
}

void ProbeSampler::sample(bool begins, TimePoint now) {
  context_.files.next_tick();
  const bool short_interval = now - last_ < every_ / 4;
  for (One& one : probes_) {
    if (!one.probe) continue;
    const auto reading = one.probe->sample();
    if (begins)
      one.readings.begin(now, reading);
    else
      one.readings.add(now, reading, short_interval);
  }
  last_ = now;
  if (!begins) times_.push_back((counted_ + (now - begin_)).count());
}

std::vector<ProbeFacts> ProbeSampler::facts() const {
  std::vector<ProbeFacts> all;
  for (const One& one : probes_) {
    ProbeFacts facts;
    if (one.probe) {
      facts = one.readings.facts(one.probe->why());
    } else {
      facts.name = one.row->name;
      facts.unit = one.row->unit;
      facts.state = ProbeState::not_available;
      facts.why = one.why;
    }
    all.push_back(std::move(facts));
  }
  return all;
}

void ProbeSampler::hand_over_series(std::map<std::string, std::vector<std::int64_t>>& into) {
  for (One& one : probes_)
    if (one.probe) into["probe_" + std::string(one.row->name)] = std::move(one.readings.series());
  into["probe_time"] = std::move(times_);
}

}  // namespace benchbench
