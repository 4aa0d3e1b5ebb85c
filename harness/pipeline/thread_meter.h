// What one thread of a trial says its time went to, kept without sharing.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "harness/core/digest.h"
#include "harness/part/stage_meter.h"
#include "harness/pipeline/trace_recorder.h"
#include "harness/record/trial_record.h"

namespace benchbench {

// What the content check compares with: digest of sample `id`'s payload as (high, low), nullopt
// where unknown.
using ExpectedDigest = std::function<std::optional<Digest>(SampleId)>;

// Sums of one thread's meter, or of many.
struct MeterTotals {
  std::array<StageTotal, kStages> stages{};
  std::uint64_t payload_bytes = 0;
  std::uint64_t payloads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t reads = 0;  // of the storage, that got some bytes
  std::uint64_t content_checked = 0;
  std::uint64_t content_wrong = 0;
  std::uint64_t decode_errors = 0;
  std::uint64_t decode_warnings = 0;
  std::uint64_t elements = 0;
  std::uint64_t padding = 0;
  std::uint64_t scopes() const noexcept;
  MeterTotals& operator+=(const MeterTotals& o) noexcept;
  friend MeterTotals operator-(MeterTotals a, const MeterTotals& b) noexcept;
};

// Adds a fault to a list of at most kMaxFaults: a sample is named once, and a warning gives way to
// an error, of its own sample or for want of room, so that bad files are named however many others
// make a decoder grumble.
void keep_fault(std::vector<FaultySample>& faults, FaultySample fault);

struct MeterOptions {
  int observer = 1;                                 // 0 rates, 1 stages, 2 also every single value
  std::uint64_t content_every = 16;                 // one payload in so many is checked
  const ExpectedDigest* expected_digest = nullptr;  // called from every worker's thread
};

// The meter of one thread: it alone calls the StageMeter's members. Its totals may be read by any
// thread at any time: each is an atomic that only its owner writes, so writing one costs what
// writing an integer does.
class alignas(64) ThreadMeter final : public StageMeter {
 public:
  explicit ThreadMeter(const MeterOptions& options);

  void record(StepNumber step, Stage stage, Nanoseconds time) override;
  void record_on_device(StepNumber step, Stage stage, Nanoseconds time) override;
  void payload(SampleId id, std::span<const std::byte> stored) override;
  void bytes_read(std::uint64_t bytes) override {
    read_bytes_.add(bytes);
    reads_.add(bytes > 0);
  }
  void elements(std::uint64_t of_samples, std::uint64_t padding) override {
    elements_.add(of_samples);
    padding_.add(padding);
  }
  void fault(SampleId id, SampleFault kind, std::string_view where, std::string_view what) override;
  bool stages_wanted() const noexcept override { return options_.observer > 0; }

  // Owner only: stages start again at nothing, and values of earlier steps count no more, however
  // late they come. For the trainer's meter at a window's start.
  void count_from(StepNumber step) noexcept;
  // Every stage is told to it too. Before the owner begins.
  void trace(TraceTrack& track) noexcept { track_ = &track; }
  // Single values are kept from now on, or no more (observer level 2). Any thread.
  void keep_values(bool keep) noexcept { keeping_.store(keep, std::memory_order_relaxed); }

  MeterTotals totals() const noexcept;
  Nanoseconds time_in(Stage stage) const noexcept {
    return Nanoseconds{static_cast<std::int64_t>(ns_[static_cast<std::size_t>(stage)])};
  }
  // Only after the owner's end:
  const std::vector<FaultySample>& faults() const noexcept { return faults_; }
  const std::vector<std::int64_t>& values(Stage stage) const noexcept {
    return values_[static_cast<std::size_t>(stage)];
  }

  static constexpr std::size_t kMaxFaults = 32;
  static constexpr std::size_t kMaxValues = 65536;  // of each stage and thread

 private:
  void add(Stage stage, Nanoseconds time);

  struct Counter {
    std::atomic<std::uint64_t> value{0};
    void add(std::uint64_t n) noexcept {
      value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    operator std::uint64_t() const noexcept { return value.load(std::memory_order_relaxed); }
  };

  const MeterOptions options_;
  TraceTrack* track_ = nullptr;
  StepNumber first_step_ = 0;
  std::uint64_t until_check_ = 0;
  std::array<Counter, kStages> ns_;
  std::array<Counter, kStages> counts_;
  Counter payload_bytes_, payloads_, read_bytes_, reads_, checked_, wrong_, errors_, warnings_,
      elements_, padding_;
  std::vector<FaultySample> faults_;
  std::atomic<bool> keeping_{false};
  std::array<std::vector<std::int64_t>, kStages> values_;
};

}  // namespace benchbench
