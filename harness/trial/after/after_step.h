// What a training loop does between steps, on any trainer: trainer.postprocess.*,
// trainer.checkpoint.*, trainer.log_every.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/part/trainer.h"
#include "harness/record/value.h"
#include "harness/trial/after/checkpoint_file.h"
#include "harness/trial/after/images_read_back.h"
#include "harness/trial/device_feed/device_feed.h"

namespace benchbench {

// In the trainer's thread, which pays for it. `every: 10` is after the 10th step of the trial, the
// 20th, ... Bills Stage::postprocess, Stage::checkpoint, and Stage::d2h for reading the loss.
class AfterStep {
 public:
  struct Parts {
    Trainer& trainer;
    StageMeter& meter;
    Runtime& runtime;
    // Things that could not be done as asked; told once, and the trial goes on.
    std::vector<std::string>& notices;
    DeviceFeed* feed = nullptr;  // where the device has memory of its own
  };
  // ScenarioError where the settings contradict each other, or where a checkpoint is to be as large
  // as the model of a trainer that has none.
  AfterStep(const SettingsMap& settings, const Parts& parts);

  // False: nothing ever follows a step.
  bool any() const noexcept {
    return postprocess_every_ > 0 || checkpoint_every_ > 0 || log_every_ > 0;
  }
  // Copies of the batch what will be needed once it is gone. False, at once, where that is nothing.
  bool before(const BatchLease& batch, StepNumber step);
  // Everything that is due after this step. False, at once, where nothing is.
  bool after(StepNumber step);

  // Written whole, since the trial began.
  std::uint64_t checkpoints() const noexcept { return written_; }
  // One could not be written, and no more were tried.
  bool checkpoint_failed() const noexcept { return failed_; }
  std::uint64_t bytes_of_checkpoint() const noexcept { return checkpoint_bytes_; }
  // Of all images read back so far.
  std::uint64_t image_sum() const noexcept { return image_sum_; }
  const CheckpointFile* checkpoint_file() const noexcept { return file_.get(); }

 private:
  void read_postprocess(const SettingsMap& settings);
  void read_checkpoint(const SettingsMap& settings);
  void postprocess(StepNumber step);
  void checkpoint(StepNumber step);
  void log(StepNumber step);

  Parts parts_;
  std::uint64_t postprocess_every_ = 0;
  Nanoseconds postprocess_time_{0};
  std::uint64_t images_ = 0;
  ImagesReadBack read_back_;
  Nanoseconds copied_{0};  // billed with the rest of it
  bool fewer_told_ = false;
  std::uint64_t image_sum_ = 0;
  bool failed_ = false;
  std::uint64_t checkpoint_every_ = 0;
  std::uint64_t checkpoint_bytes_ = 0;
  std::unique_ptr<CheckpointFile> file_;  // none under the simulated clock, and after a failure
  std::uint64_t written_ = 0;
  std::uint64_t log_every_ = 0;
  volatile double last_loss_ = 0;  // read, whatever becomes of it
};

}  // namespace benchbench
