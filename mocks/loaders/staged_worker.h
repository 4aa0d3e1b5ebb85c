// A worker that makes batches up stage by stage, each stage in a known time.
#pragma once
#include "mocks/deadline_chain.h"
#include "mocks/loaders/made_images.h"
#include "mocks/loaders/stage_times.h"
#include "mocks/shared_lock.h"

namespace benchbench {

// A stretch that only one worker at a time can be in, in every fill.
class SerialSection {
 public:
  explicit SerialSection(Nanoseconds time) noexcept : time_(time) {}
  bool takes_time() const noexcept { return time_.count() > 0; }
  Nanoseconds time() const noexcept { return time_; }
  // Waits for its turn and holds it for the section's time. Counts from when the one before left,
  // so that waking up does not add to what is serial.
  void pass(DeadlineChain& chain, Runtime& runtime);

 private:
  Nanoseconds time_;
  SharedLock lock_;
  TimePoint free_at_ = TimePoint::min();  // guarded
};

// Throws ScenarioError where its images or its times contradict themselves.
inline void check_staged(const Settings& settings) {
  check_images(settings);
  check_times(settings);
}

// What all workers of a loader share; it outlives them.
struct StagedWork {
  explicit StagedWork(const LoaderContext& context, Nanoseconds lock_time = Nanoseconds{0},
                      bool images_needed = false)
      : images(context, images_needed),
        times(context.settings, context.seed),
        sample_bytes(context.settings.bytes("sample_bytes").value),
        store(context.store),
        section(lock_time) {}
  MadeImages images;
  StageTimeDraw times;
  std::uint64_t sample_bytes;
  EmulatedStorage* store;
  SerialSection section;
  MockTimeSum mock_time;  // of the workers that have ended
};

class StagedWorker final : public LoaderWorker {
 public:
  // Its times are `slowness` times those of the others.
  StagedWorker(StagedWork& work, Runtime& runtime, double slowness = 1)
      : work_(work),
        runtime_(runtime),
        slowness_(slowness),
        chain_(runtime, work.times.spend(), work.times.pace()) {}

  ~StagedWorker() override { work_.mock_time.add(chain_.time()); }

  void fill(const BatchRequest& request, StageMeter& meter) override { fill(request, meter, 0); }
  // With the images of samples `off` further on.
  void fill(const BatchRequest& request, StageMeter& meter, SampleId off);

 private:
  void fetch(const BatchRequest& request, StageMeter& meter);

  StagedWork& work_;
  Runtime& runtime_;
  double slowness_;
  DeadlineChain chain_;
};

}  // namespace benchbench
