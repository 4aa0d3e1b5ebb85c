#include "harness/trial/watched_steps.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/record/store_presets.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kReportEvery = std::chrono::milliseconds{300};
// Under the simulated clock; fewer where each step is real work.
constexpr std::uint64_t kMaxStandingSteps = 100'000, kMaxStandingRealSteps = 300;

}  // namespace

TimePoint WatchedSteps::step() {
  const TimePoint before = parts_.loop->last_end();
  context_.interruption.check(before);
  if (parts_.background) parts_.background->check();
  const TimePoint end = parts_.loop->step(context_.interruption);
  if (parts_.own_epochs)
    parts_.own_epochs->stepped(parts_.loop->next_step(), parts_.loop->epoch_began());
  if (context_.runtime.simulated()) check_clock(end > before);
  return end;
}

// A virtual clock that stands still would never see the window's end.
void WatchedSteps::check_clock(bool moved) {
  const std::uint64_t samples = parts_.loop->totals().samples;
  standing_steps_ = moved || samples < samples_before_ ? 0 : standing_steps_ + 1;
  if (standing_steps_ == 0) samples_before_ = samples;
  const bool real = parts_.reads_dataset && !parts_.mock_loader;
  if (standing_steps_ < (real ? kMaxStandingRealSteps : kMaxStandingSteps)) return;
  // With emulated storage, all that these steps read was in memory already: no limit, as of a mock.
  if (!real || emulated_figures(context_.trial.settings))
    throw ClockStands{standing_steps_, samples - samples_before_};
  throw PartError(fmt::format("{} steps took no virtual time", standing_steps_),
                  "of a loader that reads data only emulated storage takes time: set "
                  "dataset.storage, such as like: nvme");
}

void WatchedSteps::report(Phase phase, double share, Nanoseconds counted) {
  if (!context_.executor.progress) return;
  const TimePoint now = parts_.loop->last_end();
  const bool same = next_report_ != TimePoint{} && phase != Phase::finishing;
  if (same && now < next_report_) return;
  next_report_ = now + kReportEvery;
  const double seconds = to_seconds(counted);
  const auto samples = static_cast<double>(parts_.loop->totals().samples);
  context_.executor.progress({phase, share, seconds > 0 ? samples / seconds : 0});
  parts_.loop->reported_until(context_.runtime.now());  // ours: the loader did not cost it
}

}  // namespace benchbench
