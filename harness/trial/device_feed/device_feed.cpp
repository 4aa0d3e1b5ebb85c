#include "harness/trial/device_feed/device_feed.h"

#include <algorithm>
#include <functional>

namespace benchbench {

namespace {

void combine(DeviceTotals& a, const DeviceTotals& b, auto with) noexcept {
  using D = DeviceTotals;
  for (const auto member : {&D::steps, &D::copies, &D::bytes, &D::calls})
    a.*member = with(a.*member, b.*member);
  for (const auto member : {&D::copying, &D::copy_exposed, &D::idle_for_data, &D::span, &D::gaps})
    a.*member = with(a.*member, b.*member);
}

}  // namespace

DeviceTotals& DeviceTotals::operator+=(const DeviceTotals& o) noexcept {
  combine(*this, o, std::plus<>());
  return *this;
}
DeviceTotals operator-(DeviceTotals a, const DeviceTotals& b) noexcept {
  combine(a, b, std::minus<>());
  return a;
}

// Of one step under way.
struct DeviceFeed::StepEvents {
  explicit StepEvents(Accelerator& on)
      : copy_begin(on.make_event()),
        copied(on.make_event()),
        begin(on.make_event()),
        done(on.make_event()) {}
  std::unique_ptr<DeviceEvent> copy_begin, copied;  // on the copying stream
  // On the compute stream: the batch is there, the step is done.
  std::unique_ptr<DeviceEvent> begin, done;
  bool uploaded = false;  // else its buffer had the bytes
  std::uint64_t bytes = 0;
  TimePoint asked = kNotKnown, got = kNotKnown;  // of the host
  BatchLease host;                               // until the copy from it is done
};

DeviceFeed::DeviceFeed(const Order& order)
    : device_(order.device),
      on_(*order.device.accelerator()),
      runtime_(order.runtime),
      meter_(order.meter),
      settings_(order.settings),
      uploads_(order.uploads),
      making_(order.making),
      compute_(on_.make_stream()),
      own_copies_(settings_.own_stream ? on_.make_stream() : nullptr),
      copies_(own_copies_ ? own_copies_.get() : compute_.get()),
      anchor_(on_.make_event()) {
  for (std::uint32_t i = 0; i < settings_.in_flight && uploads_; ++i)
    buffers_.push_back(std::make_unique<DeviceBuffer>(device_, order.spec, order.batch_size));
  for (std::uint32_t i = 0; i <= settings_.in_flight; ++i)
    events_.push_back(std::make_unique<StepEvents>(on_));
  done_ = runtime_.now();
  edge(done_);
}

DeviceFeed::~DeviceFeed() {
  try {
    finish();
  } catch (...) {  // the device is lost: nothing of it is under way any more
  }
}

void DeviceFeed::wait_for_buffer(StepNumber step) {
  if (step < settings_.in_flight) return;
  const StepNumber before = step - settings_.in_flight;
  {
    const StageScope scope(meter_, runtime_, step, Stage::sync_blocked);
    events_of(before).done->wait();
  }
  read_until(before + 1);
}

BatchLease DeviceFeed::upload(BatchLease batch, StepNumber step, TimePoint asked, TimePoint got) {
  StepEvents& events = events_of(step);
  events.asked = asked;
  events.got = got;
  events.uploaded = false;
  drop_copied();
  if (!uploads_) {
    on_.record(*events.begin, *compute_);
    return batch;
  }
  DeviceBuffer& buffer = *buffers_[step % buffers_.size()];
  if (!settings_.copy_once || !buffer.filled()) copy_billed(batch, buffer, step);
  on_.record(*events.begin, *compute_);
  BatchLease uploaded = buffer.lease(batch, events.copied.get());
  if (events.uploaded && !copied(events, batch.where())) events.host = std::move(batch);
  return uploaded;
}

void DeviceFeed::end_step(StepNumber step) {
  on_.record(*events_of(step).done, *compute_);
  next_ = step + 1;
}

void DeviceFeed::synchronize(StepNumber step) {
  const StageScope scope(meter_, runtime_, step, Stage::sync_blocked);
  on_.synchronize(*compute_);
}

void DeviceFeed::finish() {
  on_.synchronize(*compute_);
  if (own_copies_) on_.synchronize(*own_copies_);
  for (const auto& events : events_) events->host.drop();
  read_until(next_);
}

void DeviceFeed::edge(TimePoint now) {
  totals_.gaps += std::max(Nanoseconds{0}, now - done_);
  on_.record(*anchor_, *compute_);
  latest_ = anchor_.get();
  latest_at_ = done_ = now;
}

DeviceTotals DeviceFeed::totals() const noexcept {
  DeviceTotals totals = totals_;
  totals.calls = on_.calls().made();
  return totals;
}

void DeviceFeed::trace(TraceTrack& compute, TraceTrack& copies) noexcept {
  compute_track_ = &compute;
  copies_track_ = own_copies_ ? &copies : &compute;
}

// What holds the host is its own work (h2d); what is only called is enqueued; waiting for the copy
// to end is the setting's doing.
void DeviceFeed::copy_billed(const BatchLease& batch, DeviceBuffer& buffer, StepNumber step) {
  const bool pinned = batch.where() == Memory::pinned;
  StepEvents& events = events_of(step);
  events.uploaded = true;
  {
    const StageScope scope(meter_, runtime_, step, pinned ? Stage::enqueue : Stage::h2d);
    on_.record(*events.copy_begin, *copies_);
    events.bytes = making_ ? making_->make(*copies_, batch, buffer, meter_) : copy(batch, buffer);
    on_.record(*events.copied, *copies_);
    if (own_copies_) on_.wait(*compute_, *events.copied);
  }
  if (settings_.non_blocking) return;
  const StageScope scope(meter_, runtime_, step, Stage::sync_blocked);
  on_.synchronize(*copies_);
}

std::uint64_t DeviceFeed::copy(const BatchLease& batch, DeviceBuffer& buffer) {
  std::uint64_t bytes = 0;
  for (const CopyPiece& piece : buffer.take(batch)) {
    on_.copy(*copies_, buffer.data() + piece.at, piece.from, piece.bytes, DeviceCopy::h2d,
             batch.where());
    bytes += piece.bytes;
  }
  return bytes;
}

// A driver may hold the host until pageable memory is copied, or only until it is staged: the event
// says.
bool DeviceFeed::copied(const StepEvents& events, Memory from) const {
  return !settings_.non_blocking || (from != Memory::pinned && events.copied->done());
}

void DeviceFeed::drop_copied() {
  for (const auto& events : events_)
    if (events->host && events->copied->done()) events->host.drop();
}

void DeviceFeed::read_until(StepNumber end) {
  for (; read_ < end; ++read_) {
    StepEvents& events = events_of(read_);
    events.host.drop();
    read(events);
  }
}

// Times from neighbour to neighbour: a driver's are single precision.
TimePoint DeviceFeed::time_of(const DeviceEvent& event) {
  return latest_at_ + on_.between(*latest_, event);
}

// `begin`: of the step's work.
void DeviceFeed::read_copy(const StepEvents& events, TimePoint begin) {
  const TimePoint from = time_of(*events.copy_begin), to = time_of(*events.copied);
  ++totals_.copies;
  totals_.bytes += events.bytes;
  totals_.copying += to - from;
  if (copies_track_) copies_track_->span(kTraceCopy, from, to);
  totals_.copy_exposed += std::max(Nanoseconds{0}, std::min(to, begin) - std::max(from, done_));
}

void DeviceFeed::read(const StepEvents& events) {
  const TimePoint begin = std::max(done_, time_of(*events.begin));
  ++totals_.steps;
  totals_.gaps += begin - done_;
  if (events.uploaded) read_copy(events, begin);
  if (events.got != kNotKnown)
    totals_.idle_for_data +=
        std::clamp(events.got - std::max(done_, events.asked), Nanoseconds{0}, begin - done_);
  const TimePoint done = std::max(begin, time_of(*events.done));
  totals_.span += done - begin;
  if (compute_track_) compute_track_->span(kTraceWork, begin, done);
  latest_ = events.done.get();
  latest_at_ = done_ = done;
}

}  // namespace benchbench
