// Where a part says what its time went to, what it read, and which samples were bad. Time is billed
// where it is waited for.
//
// A part bills the stages that its description lists, where they happen, and no others. A stage
// that was never billed is "not measured" in the report, which is not 0.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/core/runtime.h"
#include "harness/core/words.h"
#include "harness/part/batch.h"

namespace benchbench {

// In the order they happen. Loaders bill `read` to `pin` and `lock`, trainers `h2d` to
// `sync_blocked`; slot_wait, get_blocked, postprocess and checkpoint are the harness's own. It
// bills `pin` too, where it copies the batches of a loader with memory of its own.
// harness/README.md says what each is. Their numbers are stored in traces, so that a new one is the
// last.
enum class Stage : std::uint8_t {
  read,
  parse,
  decode,
  transform,
  collate,
  pin,
  slot_wait,
  get_blocked,
  h2d,
  forward,
  backward,
  optimizer,
  d2h,
  enqueue,
  sync_blocked,
  postprocess,
  checkpoint,
  lock,
};
template <>
inline constexpr auto kWordsOf<Stage> = std::to_array<std::string_view>(
    {"read", "parse", "decode", "transform", "collate", "pin", "slot_wait", "get_blocked", "h2d",
     "forward", "backward", "optimizer", "d2h", "enqueue", "sync_blocked", "postprocess",
     "checkpoint", "lock"});
inline constexpr std::size_t kStages = kWordsOf<Stage>.size();

// What went wrong with one sample without ending the batch. A warning is a decoder's grumble over
// an image that it decoded all the same; the others are errors: the sample's row is blank or not
// what it should be. Too many errors make a trial NOISY or INVALID; warnings are counted and named.
enum class SampleFault : std::uint8_t { decode_error, truncated, warning, short_read };

// One thread's meter: made by the harness for a worker or for the trainer, and called on that
// thread alone, never shared. What a call is given need be valid during the call only. No call
// waits.
class StageMeter {
 public:
  virtual ~StageMeter() = default;
  // `time`, 0 or more, of this thread went to `stage`. No moment is billed twice; several calls for
  // one step and stage add up. `step` is BatchRequest::batch for a loader, StepContext::step for a
  // trainer. A trainer's values may come late (device events read later): those of steps before the
  // window are left out by their step.
  virtual void record(StepNumber step, Stage stage, Nanoseconds time) = 0;
  // The same of `time` that a device was at work, not this thread: a step's part of its timeline.
  virtual void record_on_device(StepNumber step, Stage stage, Nanoseconds time) {
    record(step, stage, time);
  }
  // The stored bytes of a sample as the loader got them, once each time it is read: feeds the byte
  // counts and, of one sample in so many, the check of the content against the manifest, whose
  // digest is computed here.
  virtual void payload(SampleId id, std::span<const std::byte> stored) = 0;
  // Bytes asked of the storage, once for each read of it: more than the payloads where headers or
  // whole chunks are read, fewer where they are stored compressed.
  virtual void bytes_read(std::uint64_t bytes) = 0;
  // Elements (tokens) put into rows: of samples, and as padding around them. Only where rows are
  // padded.
  virtual void elements(std::uint64_t of_samples, std::uint64_t padding) {
    static_cast<void>(of_samples);
    static_cast<void>(padding);
  }
  // The sample is bad; its row is written all the same. `where` names the file or the member;
  // `what` the decoder's words. All are counted; a few dozen are kept by name, errors before
  // warnings.
  virtual void fault(SampleId id, SampleFault kind, std::string_view where,
                     std::string_view what) = 0;
  // False at observer level 0: a part may skip its clock reads, and record(). Does not change as
  // long as the meter lives.
  virtual bool stages_wanted() const noexcept = 0;
};

// Bills the time from construction to destruction (or stop()) to one stage, where stages are
// wanted: two readings of the clock. Meter and runtime must outlive it. One thread. Scopes that
// overlap would bill a moment twice.
class StageScope {
 public:
  StageScope(StageMeter& meter, const Runtime& runtime, StepNumber step, Stage stage) noexcept
      : meter_(meter), runtime_(runtime), step_(step), stage_(stage), on_(meter.stages_wanted()) {
    if (on_) start_ = runtime.now();
  }
  ~StageScope() { stop(); }
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;
  // Bills now, once; nothing is left for the destructor.
  void stop() {
    if (on_) meter_.record(step_, stage_, runtime_.now() - start_);
    on_ = false;
  }

 private:
  StageMeter& meter_;
  const Runtime& runtime_;
  StepNumber step_;
  Stage stage_;
  bool on_;
  TimePoint start_{};
};

}  // namespace benchbench
