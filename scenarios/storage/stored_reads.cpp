#include "scenarios/storage/stored_reads.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/byte_span.h"
#include "harness/core/error.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {
namespace {

// A small read takes more than its bytes: a buffer, a place in the handler's table.
std::uint64_t cost_of(std::uint64_t bytes) noexcept {
  return std::max<std::uint64_t>(bytes, 16 << 10);
}

}  // namespace

// Keeps one read in flight.
class StoredReads::Thread final : public Job {
 public:
  explicit Thread(StoredReads& reads) : reads_(reads) {}
  void run() override {
    Guard guard(reads_.lock_);
    for (;;) {
      while (!reads_.ending_ && !reads_.may_start()) reads_.idle_.wait(guard, reads_.runtime_);
      if (reads_.ending_) return;
      const Start start = reads_.next_start();
      if (!start.read) continue;
      guard.release();
      reads_.fetch(*start.read);
      guard.acquire();
      reads_.arrived(start);
    }
  }

 private:
  StoredReads& reads_;
};

// Keeps all reads in flight that may be.
class StoredReads::Ring final : public Job {
 public:
  Ring(StoredReads& reads, AsyncReads& ring, std::uint32_t depth)
      : reads_(reads), ring_(ring), starts_(depth) {
    for (Start& start : starts_) free_.push_back(&start);
  }

  void run() override {
    Guard guard(reads_.lock_);
    for (;;) {
      while (!reads_.ending_ && !reads_.may_start() && ring_.in_flight() == 0)
        reads_.idle_.wait(guard, reads_.runtime_);
      if (reads_.ending_ && ring_.in_flight() == 0) return;
      take_starts();
      reads_.ring_waits_ = true;
      guard.release();
      for (Start* const start : begun_) ring_.start(start->read->request.extent, start);
      finish_some();
      guard.acquire();
      reads_.ring_waits_ = false;
      for (AsyncReads::Finished& one : finished_) arrived(one);
      finished_.clear();
      if (broken_ && reads_.options_.gave_up) *reads_.options_.gave_up = true;
      if (broken_) return;  // what is not started yet the workers read, and hear the same
    }
  }

 private:
  void take_starts() {
    begun_.clear();
    while (!reads_.ending_ && !free_.empty() && reads_.may_start()) {
      const Start start = reads_.next_start();
      if (!start.read) return;
      begun_.push_back(free_.back());
      *free_.back() = start;
      free_.pop_back();
    }
  }
  // A ring that fails altogether fails every read it holds; its memory stays until the ring has
  // ended.
  void finish_some() {
    try {
      if (ring_.in_flight() > 0 || !begun_.empty()) ring_.wait(finished_);
    } catch (...) {
      broken_ = std::current_exception();
    }
    if (!broken_) return;
    for (Start& start : starts_)
      if (std::ranges::find(free_, &start) == free_.end() &&
          std::ranges::find(finished_, static_cast<void*>(&start), &AsyncReads::Finished::token) ==
              finished_.end())
        finished_.push_back({.token = &start, .got = {}, .failure = broken_});
  }
  void arrived(AsyncReads::Finished& one) {
    auto* const start = static_cast<Start*>(one.token);
    start->read->got = std::move(one.got);
    start->read->failure = std::move(one.failure);
    reads_.arrived(*start);
    free_.push_back(start);
  }

  StoredReads& reads_;
  AsyncReads& ring_;
  std::vector<Start> starts_;
  std::vector<Start*> free_, begun_;
  std::vector<AsyncReads::Finished> finished_;
  std::exception_ptr broken_;
};

void StoredReads::RequestReads::make(const SampleExtents& extents,
                                     std::span<const SampleRef> samples, std::uint64_t max) {
  plan.make(extents, samples, max);
  reads.clear();
  for (const ReadRequest& request : plan.requests()) {
    Read& read = reads.emplace_back();
    read.request = request;
    read.left = request.samples;
  }
  next = 0;
  left = reads.size();
}

StoredReads::StoredReads(const SampleArchive& archive, const ReadOptions& options,
                         EmulatedStorage* store, ReadOrder& order, Runtime& runtime,
                         const EngineMaker& make)
    : archive_(archive),
      extents_(*archive.extents()),
      options_(options),
      max_ahead_(std::max(kMaxAhead, 2 * options.depth * options.max)),
      store_(store),
      order_(order),
      runtime_(runtime),
      engine_(make ? make(extents_, runtime) : make_engine(options.engine, extents_, runtime)),
      lock_(runtime) {
  if (runtime.simulated()) options_.depth = 0;
  if (options_.depth == 0) return;
  if (!store_) async_ = engine_->async(options_.depth);
  if (async_) {
    jobs_.push_back(std::make_unique<Ring>(*this, *async_, options_.depth));
  } else {
    for (std::uint32_t i = 0; i < options_.depth; ++i)
      jobs_.push_back(std::make_unique<Thread>(*this));
  }
  try {
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      tasks_.push_back(runtime_.spawn(fmt::format("read-{}", i), *jobs_[i]));
  } catch (...) {
    end();
    throw;
  }
}

StoredReads::~StoredReads() { end(); }

void StoredReads::end() {
  {
    const Guard guard(lock_);
    ending_ = true;
    idle_.wake_all(runtime_);
    if (ring_waits_) async_->wake();
  }
  tasks_.clear();
}

void StoredReads::let_go() { engine_->let_go(); }

void StoredReads::expect(const BatchRequest& batch_request) {
  if (options_.depth == 0 || batch_request.samples.empty()) return;
  std::unique_ptr<RequestReads> reads;
  {
    const Guard guard(lock_);
    if (!spare_.empty()) {
      reads = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!reads) reads = std::make_unique<RequestReads>();
  reads->make(extents_, batch_request.samples, options_.max);
  reads->epoch = batch_request.epoch;
  reads->batch = batch_request.batch;
  const Guard guard(lock_);
  spare_.reserve(spare_.size() + expected_.size() + 1);  // giving back cannot fail
  expected_.push_back(std::move(reads));
  wake();
}

// With the lock.
void StoredReads::wake() {
  if (async_ && ring_waits_) return async_->wake();
  idle_.wake_all(runtime_);
}

StoredReads::RequestReads* StoredReads::find(const BatchRequest& batch_request) {
  const Guard guard(lock_);
  const std::size_t first = batch_request.rows.first();
  for (const auto& reads : expected_) {
    if (reads->epoch != batch_request.epoch || reads->batch != batch_request.batch) continue;
    const auto planned = reads->plan.samples();
    if (first + batch_request.samples.size() > planned.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < batch_request.samples.size(); ++i)
      same = same && planned[first + i].id == batch_request.samples[i].id;
    if (same) return reads.get();
  }
  return nullptr;
}

bool StoredReads::may_start() const noexcept {
  if (ahead_ >= max_ahead_) return false;
  for (const auto& reads : expected_)
    if (reads->next < reads->reads.size()) return true;
  return false;
}

// With the lock. None where only what somebody else has started was left.
StoredReads::Start StoredReads::next_start() {
  for (const auto& reads : expected_)
    while (reads->next < reads->reads.size()) {
      Read& read = reads->reads[reads->next++];
      if (read.state != State::waiting) continue;
      read.state = State::under_way;
      const std::uint64_t length = read.request.extent.length;
      read.ahead = cost_of(length == Extent::kToTheEnd ? 0 : length);
      ahead_ += read.ahead;
      return {reads.get(), &read};
    }
  return {};
}

// With the lock.
void StoredReads::arrived(const Start& start) {
  Read& read = *start.read;
  // A mapping of its own keeps a descriptor: as many as the files that stay open elsewhere.
  const std::uint64_t taken =
      std::max(cost_of(read.got.bytes.size()), read.got.own ? max_ahead_ / kMaxKeptFiles : 0);
  ahead_ += taken - read.ahead;
  read.ahead = taken;
  read.state = State::there;
  start.batch_request->arrived.wake_all(runtime_);
}

ReadBytes StoredReads::fetch_one(const Extent& extent, SampleId first, SampleId last) {
  const TimePoint asked = store_ ? runtime_.now() : TimePoint{};
  ReadBytes got = engine_->read(extent);
  if (store_) store_->fetch_since(asked, got.bytes.size(), order_.follows(first, last));
  return got;
}

void StoredReads::fetch(Read& read) noexcept try {
  read.got = fetch_one(read.request.extent, read.request.first, read.request.last);
} catch (...) {
  read.failure = std::current_exception();
}

StoredReads::Read& StoredReads::await(RequestReads& reads, std::size_t number, StageMeter& meter) {
  Guard guard(lock_);
  Read& read = reads.reads[number];
  while (read.state == State::under_way) reads.arrived.wait(guard, runtime_);
  if (read.state == State::waiting) {
    read.state = State::under_way;
    guard.release();
    fetch(read);
    guard.acquire();
    read.state = State::there;
    reads.arrived.wake_all(runtime_);
  }
  tell(read, meter);
  return read;
}

// In the meter of the one that needed it first.
void StoredReads::tell(Read& read, StageMeter& meter) {
  if (!read.told) meter.bytes_read(read.got.bytes.size());
  read.told = true;
}

void StoredReads::done_with(RequestReads& reads, std::size_t number) {
  ReadBytes got;  // dropped without the lock
  const Guard guard(lock_);
  Read& read = reads.reads[number];
  if (--read.left > 0) return;
  std::swap(got, read.got);
  if (read.ahead > 0) {
    const bool full = ahead_ >= max_ahead_;
    ahead_ -= read.ahead;
    if (full) wake();
  }
  if (--reads.left > 0) return;
  const auto at = std::ranges::find(expected_, &reads, &std::unique_ptr<RequestReads>::get);
  spare_.push_back(std::move(*at));
  expected_.erase(at);
}

// What it holds of a request nobody expected is its own.
class EngineLane final : public SampleLane {
 public:
  explicit EngineLane(std::shared_ptr<StoredReads> reads)
      : kept_(std::move(reads)), reads_(*kept_) {}

  void begin(const BatchRequest& batch_request, StageMeter& meter) override {
    const StageScope scope(meter, reads_.runtime_, batch_request.batch, Stage::read);
    first_ = batch_request.rows.first();
    last_ = nullptr;
    shared_ = reads_.options_.depth > 0 ? reads_.find(batch_request) : nullptr;
    if (shared_) return;
    first_ = 0;
    own_.make(reads_.extents_, batch_request.samples, reads_.options_.max);
  }

  StoredSample read(const BatchRequest& batch_request, std::size_t i, StageMeter& meter) override
      try {
    const PlannedSample& sample = planned(i);
    const StoredSample got =
        reads_.extents_.unwrap(sample.id, stored(sample, batch_request.batch, meter), scratch_,
                               reads_.runtime_, batch_request.batch, meter);
    meter.payload(sample.id, got.payload);
    return got;
  } catch (const PartError&) {
    finish(i);
    throw;
  }

  std::string_view done(const BatchRequest&, std::size_t i) override {
    const std::string_view problem =
        mapping_ ? mapping_->problem(at_, length_) : std::string_view();
    finish(i);
    return problem;
  }

 private:
  using Read = StoredReads::Read;
  const PlannedSample& planned(std::size_t i) const {
    return (shared_ ? shared_->plan : own_.plan).samples()[first_ + i];
  }

  // Got for another of the request's samples: nothing is waited for, and two looks at a clock would
  // take longer than that.
  const Read* at_hand(std::size_t number) const {
    if (shared_) return last_ == &shared_->reads[number] ? last_ : nullptr;
    const Read& read = own_.reads[number];
    return read.state == StoredReads::State::there && !read.failure ? &read : nullptr;
  }

  ByteSpan stored(const PlannedSample& sample, StepNumber step, StageMeter& meter) {
    if (const Read* const read = at_hand(sample.request))
      return part(read->got, read->request.extent, sample);
    const StageScope scope(meter, reads_.runtime_, step, Stage::read);
    Read& read = request(sample.request, meter);
    const ReadBytes* got = &read.got;
    Extent begin = read.request.extent;
    if (read.failure) {
      got = &read_alone(read, sample, meter);
      begin = sample.extent;
    } else {
      last_ = &read;
    }
    return part(*got, begin, sample);
  }

  Read& request(std::size_t number, StageMeter& meter) {
    if (shared_) return reads_.await(*shared_, number, meter);
    Read& read = own_.reads[number];
    if (read.state == StoredReads::State::waiting) reads_.fetch(read);
    read.state = StoredReads::State::there;
    StoredReads::tell(read, meter);
    return read;
  }

  // A request that failed says nothing of each of its samples.
  const ReadBytes& read_alone(const Read& read, const PlannedSample& sample, StageMeter& meter) {
    if (read.request.samples == 1) std::rethrow_exception(read.failure);
    try {
      std::rethrow_exception(read.failure);
    } catch (const PartError&) {
    }
    alone_ = reads_.fetch_one(sample.extent, sample.id, sample.id);
    meter.bytes_read(alone_.bytes.size());
    return alone_;
  }

  ByteSpan part(const ReadBytes& got, const Extent& begin, const PlannedSample& sample) {
    const Extent& wanted = sample.extent;
    const std::uint64_t skip = wanted.offset - begin.offset;
    const std::uint64_t there = got.bytes.size() - std::min<std::uint64_t>(skip, got.bytes.size());
    const std::uint64_t length = wanted.length == Extent::kToTheEnd ? there : wanted.length;
    if (length > there)
      refuse_short(reads_.archive_.name_of(sample.id), length, wanted.offset, there);
    mapping_ = got.mapping;
    at_ = wanted.offset;
    length_ = static_cast<std::size_t>(length);
    return got.bytes.subspan(static_cast<std::size_t>(skip), length_);
  }

  void finish(std::size_t i) {
    mapping_ = nullptr;
    alone_ = {};
    const std::size_t number = planned(i).request;
    if (shared_) return reads_.done_with(*shared_, number);
    if (--own_.reads[number].left == 0) own_.reads[number].got = {};
  }

  std::shared_ptr<StoredReads> kept_;  // until the buffers below are back
  StoredReads& reads_;
  StoredReads::RequestReads* shared_ = nullptr;
  StoredReads::RequestReads own_;
  std::size_t first_ = 0;                    // of the request's samples in the plan
  const StoredReads::Read* last_ = nullptr;  // got whole for this request, the latest
  ReadBytes alone_;
  const MappedFile* mapping_ = nullptr;  // of the sample in use
  std::uint64_t at_ = 0;
  std::size_t length_ = 0;
  GrowingScratch scratch_;
};

std::unique_ptr<SampleLane> StoredReads::lane(std::shared_ptr<StoredReads> reads) {
  return std::make_unique<EngineLane>(std::move(reads));
}

}  // namespace benchbench
