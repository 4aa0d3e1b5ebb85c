#include "harness/trial/after/after_step.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

std::uint64_t count_or_none(const SettingsMap& settings, const SettingKey<std::uint64_t>& key) {
  return settings.get_if(key).value_or(0);
}

// The n-th step is number n - 1.
bool due(std::uint64_t every, StepNumber step) { return every > 0 && (step + 1) % every == 0; }

std::uint64_t size_from(const SettingsMap& settings, const Trainer& trainer) {
  const std::string text = settings.get_if(keys::trainer.checkpoint.bytes).value_or("model");
  if (text != "model") {
    const auto bytes = parse_bytes(text);
    if (!bytes)
      throw ScenarioError(
          fmt::format("trainer.checkpoint.bytes: \"{}\" is neither \"model\" nor a size", text),
          "a size such as 64MiB");
    return bytes->value;
  }
  if (trainer.parameters() == 0)
    throw ScenarioError("trainer.checkpoint.bytes is model, but this trainer has no parameters",
                        "give a size, such as trainer.checkpoint.bytes: 64MiB");
  return trainer.parameters() * sizeof(float);
}

}  // namespace

AfterStep::AfterStep(const SettingsMap& settings, const Parts& parts) : parts_(parts) {
  read_postprocess(settings);
  read_checkpoint(settings);
  log_every_ = count_or_none(settings, keys::trainer.log_every);
}

void AfterStep::read_postprocess(const SettingsMap& settings) {
  postprocess_every_ = count_or_none(settings, keys::trainer.postprocess.every);
  if (postprocess_every_ == 0) return;
  if (settings.given(keys::trainer.postprocess.time))
    postprocess_time_ = settings.get(keys::trainer.postprocess.time);
  else if (!settings.given(keys::trainer.postprocess.images))
    throw ScenarioError("trainer.postprocess.every is set, but neither .time nor .images",
                        "set trainer.postprocess.time or trainer.postprocess.images");
  images_ = count_or_none(settings, keys::trainer.postprocess.images);
  if (images_ > 0 && settings.given(keys::trainer.postprocess.time))
    throw ScenarioError(
        "trainer.postprocess.time and trainer.postprocess.images are mutually exclusive");
  if (images_ > 0 && parts_.runtime.simulated())
    parts_.notices.push_back(
        "trainer.postprocess.images: not measured under the simulated clock, where it takes no "
        "time");
}

void AfterStep::read_checkpoint(const SettingsMap& settings) {
  checkpoint_every_ = count_or_none(settings, keys::trainer.checkpoint.every);
  if (checkpoint_every_ == 0) return;
  checkpoint_bytes_ = size_from(settings, parts_.trainer);
  if (parts_.runtime.simulated()) {
    parts_.notices.push_back(
        "trainer.checkpoint: not measured under the simulated clock, where no file is written");
    return;
  }
  file_ = std::make_unique<CheckpointFile>(
      CheckpointFile::Order{settings.text_or(keys::trainer.checkpoint.path), checkpoint_bytes_,
                            settings.get_if(keys::trainer.checkpoint.fsync).value_or(true)});
}

bool AfterStep::before(const BatchLease& batch, StepNumber step) {
  if (images_ == 0 || !due(postprocess_every_, step)) return false;
  const TimePoint start = parts_.runtime.now();
  const std::uint64_t kept = read_back_.copy(batch, images_);
  copied_ = parts_.runtime.now() - start;
  if (kept < images_ && !fewer_told_) {
    fewer_told_ = true;
    parts_.notices.push_back(
        fmt::format("trainer.postprocess.images: {} requested, but a batch has {}", images_, kept));
  }
  return true;
}

bool AfterStep::after(StepNumber step) {
  const bool process = due(postprocess_every_, step), save = file_ && due(checkpoint_every_, step),
             read_loss = due(log_every_, step);
  if (process) postprocess(step);
  if (save) checkpoint(step);
  if (read_loss) log(step);
  return process || save || read_loss;
}

// Ends at an absolute time counted from the call, as the timed trainer's steps do.
void AfterStep::postprocess(StepNumber step) {
  const TimePoint start = parts_.runtime.now();
  if (images_ > 0)
    image_sum_ += read_back_.sum();
  else
    parts_.runtime.spend_until(start + postprocess_time_, Spend::hybrid);
  parts_.meter.record(step, Stage::postprocess, copied_ + (parts_.runtime.now() - start));
  copied_ = {};
}

void AfterStep::checkpoint(StepNumber step) {
  std::optional<std::string> problem;
  {
    const StageScope scope(parts_.meter, parts_.runtime, step, Stage::checkpoint);
    problem = file_->write();
  }
  if (!problem) {
    ++written_;
    return;
  }
  parts_.notices.push_back(
      fmt::format("checkpoint {}: {}; this trial writes no more", written_ + 1, *problem));
  failed_ = true;
  file_.reset();
}

void AfterStep::log(StepNumber step) {
  if (parts_.feed) parts_.feed->synchronize(step);
  const StageScope scope(parts_.meter, parts_.runtime, step, Stage::d2h);
  last_loss_ = parts_.trainer.loss();
}

}  // namespace benchbench
