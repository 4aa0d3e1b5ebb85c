// A trainer that takes the times another one took: step k the time number first + k of a series,
// round and round.
#include "harness/part/part_maker.h"
#include "mocks/replayed_times.h"
#include "mocks/trainers/mock_trainer.h"
#include "mocks/trainers/step_pace.h"

namespace benchbench::parts {
namespace {

constexpr Stage kStages[] = {Stage::forward};

class Replay final : public MockTrainer {
 public:
  explicit Replay(const TrainerContext& context)
      : times_(context.times, context.first_time, "step"),
        pace_(context.runtime, spend_from(context.settings)) {}

  void step(BatchLease, StepContext& context) override {
    const Nanoseconds time = times_.of(context.step);
    pace_.begin(context, time);
    pace_.spend(context, Stage::forward, time);
    pace_.end();
  }
  MockTime mock_time() const noexcept override { return pace_.mock_time(); }

 private:
  ReplayedTimes times_;
  StepPace pace_;
};

}  // namespace

extern const PartDescription trainer_replay_description{
    .kind = PartKind::trainer,
    .name = "replay",
    .summary = "Steps that each take the time of a measured one, from a CSV file or a stored run.",
    .parameters = kReplayParameters,
    .stages = kStages,
    .simulated = true,
    .mock = true,
};

PartMaker trainer_replay_maker() { return part_maker<Replay>(); }

}  // namespace benchbench::parts
