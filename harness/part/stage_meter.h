// Where a part says what its time went to. Time is billed where it is waited for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/core/runtime.h"
#include "harness/part/batch.h"

namespace benchbench {

// In the order they happen. Loader side up to slot_wait, then the trainer's.
enum class Stage : std::uint8_t {
  read, parse, decode, transform, collate, pin, slot_wait,
  get_blocked, h2d, forward, backward, optimizer, d2h, enqueue, sync_blocked, postprocess, checkpoint,
};
inline constexpr std::size_t kStages = 17;
constexpr std::string_view name_of(Stage s) noexcept {
  constexpr std::string_view names[kStages] = {"read", "parse", "decode", "transform", "collate", "pin",
      "slot_wait", "get_blocked", "h2d", "forward", "backward", "optimizer", "d2h", "enqueue", "sync_blocked",
      "postprocess", "checkpoint"};
  return names[static_cast<int>(s)];
}

// What went wrong with one sample without ending the batch.
enum class SampleFault : std::uint8_t { decode_error, truncated, warning, short_read };

// One thread's meter; never shared between threads. Values may come late (device events read later).
class StageMeter {
 public:
  virtual ~StageMeter() = default;
  virtual void record(StepNumber step, Stage stage, Nanoseconds time) = 0;
  // The stored bytes of a sample as the loader got them: feeds the byte counts and the content check. `stored` must
  // be valid during the call only.
  virtual void payload(SampleId id, std::span<const std::byte> stored) = 0;
  // Bytes asked of the storage by read calls.
  virtual void bytes_read(std::uint64_t bytes) = 0;
  // Elements (tokens) put into rows: of samples, and as padding around them.
  virtual void elements(std::uint64_t of_samples, std::uint64_t padding) {
    static_cast<void>(of_samples);
    static_cast<void>(padding);
  }
  // `where` names the file or the member; `what` the decoder's words.
  virtual void fault(SampleId id, SampleFault kind, std::string_view where, std::string_view what) = 0;
  // False at observer level 0: a part may skip its clock reads.
  virtual bool stages_wanted() const noexcept = 0;
};

// Bills the time from construction to destruction (or stop()) to one stage.
class StageScope {
 public:
  StageScope(StageMeter& meter, const Runtime& runtime, StepNumber step, Stage stage) noexcept
      : meter_(meter), runtime_(runtime), step_(step), stage_(stage), on_(meter.stages_wanted()) {
    if (on_) start_ = runtime.now();
  }
  ~StageScope() { stop(); }
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;
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
