// A trainer that goes wrong on purpose, to prove what a fault costs and that it is seen.
#include <string>
#include <vector>

#include "harness/part/part_maker.h"
#include "mocks/fault.h"
#include "mocks/trainers/mock_trainer.h"
#include "mocks/trainers/step_pace.h"
#include "mocks/trainers/step_times.h"

namespace benchbench::parts {
namespace {

constexpr std::string_view kFaults[] = {"none", "throw", "exit",     "abort",
                                        "segv", "hang",  "nan_loss", "holds_lease"};

constexpr std::array kOwnParameters = {
    choice_parameter(
        "fault", "none",
        "The fault: the step throws, the process exits, aborts or crashes, or a step never "
        "ends; nan_loss: the loss becomes NaN; holds_lease: each step keeps its batch.",
        kFaults),
    Parameter{"after", ParameterType::integer, "3", "Steps done correctly before the fault.", 0,
              1e12},
    Parameter{"slow_step_every", ParameterType::integer, "0",
              "One step in this many is slow, at equal distances; 0: none.", 0, 1e12},
    time_parameter("slow_step_time", "Factor by which a slow step takes longer."),
};
constexpr auto kParameters = joined(kStepTimeParameters, kOwnParameters);
constexpr Stage kStages[] = {Stage::forward};

class Faulty final : public MockTrainer {
 public:
  explicit Faulty(const TrainerContext& context)
      : runtime_(context.runtime),
        fault_(context.settings.text("fault")),
        after_(static_cast<std::uint64_t>(context.settings.integer("after"))),
        slow_every_(static_cast<std::uint64_t>(context.settings.integer("slow_step_every"))),
        slow_time_(context.settings.duration("slow_step_time")),
        times_(context.settings, context.seed),
        pace_(context.runtime, times_.spend(), times_.pace()) {}

  void step(BatchLease batch, StepContext& context) override {
    const bool wrong = steps_++ >= after_;
    if (wrong) end_by(fault_, runtime_);
    Nanoseconds time = times_.of(batch);
    if (slow_every_ > 0 && steps_ % slow_every_ == 0) time += slow_time_;
    pace_.begin(context, time);
    pace_.spend(context, Stage::forward, time);
    pace_.end();
    if (wrong && fault_ == "holds_lease") kept_.push_back(std::move(batch));
  }
  // Gives back what it kept, so that its end is not another fault.
  void finish() override { kept_.clear(); }
  // Falls as 1/steps where nan_loss is to come; else there is none.
  double loss() override {
    if (fault_ != "nan_loss" || steps_ > after_) return std::numeric_limits<double>::quiet_NaN();
    return 1 / static_cast<double>(steps_ + 1);
  }
  MockTime mock_time() const noexcept override { return pace_.mock_time(); }

 private:
  Runtime& runtime_;
  std::string fault_;
  std::uint64_t after_;
  std::uint64_t slow_every_;
  Nanoseconds slow_time_;
  StepTimeDraw times_;
  StepPace pace_;
  std::uint64_t steps_ = 0;
  std::vector<BatchLease> kept_;
};

}  // namespace

extern const PartDescription trainer_faulty_description{
    .kind = PartKind::trainer,
    .name = "faulty",
    .summary =
        "The timed trainer with an injected fault: one that ends it, a NaN loss, batches it keeps, "
        "a periodic stall.",
    .parameters = kParameters,
    .stages = kStages,
    .simulated = true,
    .mock = true,
    .check = check_times,
};

PartMaker trainer_faulty_maker() { return part_maker<Faulty>(); }

}  // namespace benchbench::parts
