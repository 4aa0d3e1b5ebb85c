#include "scenarios/python/hand_over_trainer.h"

#include <fmt/format.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "harness/core/error.h"
#include "scenarios/python/answers.h"
#include "scenarios/python/batch_ring.h"
#include "scenarios/python/interpreter.h"
#include "scenarios/python/python_child.h"
#include "scenarios/python/requests.h"

namespace benchbench::python_part {
namespace {

constexpr Nanoseconds kEndOfStepsPatience = std::chrono::seconds{3};

class HandOverTrainer final : public Trainer {
 public:
  explicit HandOverTrainer(const TrainerContext& context)
      : runtime_(context.runtime), terms_(context.external ? *context.external : ExternalTerms{}) {
    result_.facts.way = ExternalWay::hand_over;
    result_.facts.trainer_call = call_of(context.settings);
    child_ = start_child(interpreter_for(nullptr, &context.settings), patience(), result_.facts);
    load_code(*child_, load_request("load", nullptr, &context.settings, terms_.root, terms_.device),
              patience(), result_.facts);
    take(context);
  }

  void step(BatchLease batch, StepContext& context) override {
    if (batch.ready()) batch.ready()->wait();
    const StageScope scope(context.meter, runtime_, context.step, Stage::forward);
    const auto rows = static_cast<std::uint32_t>(batch.samples().value);
    const std::uint32_t slot = next_slot_;
    next_slot_ = (slot + 1) % ring_->slots();
    copy(batch, slot);
    batch.drop();
    ask({{"type", "step"}, {"slot", slot}, {"rows", rows}}, "stepped", "was in the step");
  }
  void finish() override { ask({{"type", "edge"}}, "reached", "was finishing steps"); }
  double loss() override {
    const Message loss = ask({{"type", "loss"}}, "loss", "was reading the loss");
    return read_from(loss, [](const Json& body) { return member_or<double>(body, "loss", NAN); });
  }
  std::uint64_t parameters() const noexcept override { return parameters_; }
  std::uint32_t holds() const noexcept override { return 0; }
  std::optional<ExternalResult> external_result() override {
    if (std::exchange(healthy_, false)) hear_the_end();
    return result_;
  }

 private:
  Patience patience() const { return {Nanoseconds{0}, terms_.look}; }

  Message ask(const Json& request, std::string_view answer, std::string_view doing) {
    healthy_ = false;  // until it has answered
    Message answered = child_->ask(request, answer, doing, patience());
    healthy_ = true;
    return answered;
  }

  void take(const TrainerContext& context) {
    const SlotLayout layout = layout_of(context.batch, context.batch_size);
    const std::uint32_t slots = terms_.in_flight + 1;  // one is filled while the others are in use
    if (::ftruncate(child_->memory(), static_cast<off_t>(layout.slot_bytes * slots)) != 0)
      throw PartError(fmt::format("cannot get {} bytes for batches: {}", layout.slot_bytes * slots,
                                  strerrordesc_np(errno)));
    ring_ = std::make_unique<BatchRing>(child_->memory(), layout, slots);
    Json request = members_of(layout);
    request.update({{"type", "take"},
                    {"slots", slots},
                    {"device", terms_.device},
                    {"seed", context.seed},
                    {"intra_op_threads", context.intra_op_threads},
                    {"keys", text_or_null(context.settings, "batch_keys")},
                    {"own_batch", text_or_null(context.settings, kOwnBatch)}});
    const Message ready = child_->ask(request, "ready", "was setting up the step", patience());
    read_from(ready, [&](const Json& body) {
      parameters_ = member_or<std::uint64_t>(body, "parameters", 0);
      result_.notices = member_or<std::vector<std::string>>(body, "notes", {});
    });
    healthy_ = true;
  }

  void copy(const BatchLease& batch, std::uint32_t slot) {
    for (std::size_t t = 0; t < batch.tensors().size(); ++t)
      std::memcpy(ring_->tensor(slot, t), batch.tensors()[t].data, batch.tensors()[t].bytes());
  }

  void hear_the_end() noexcept try {
    const std::function<void()> none;
    const Message served =
        child_->ask({{"type", "end"}}, "served", "was ending", {kEndOfStepsPatience, none});
    child_->be_idle();
    read_from(served, [&](const Json& body) {
      note_device(body, result_.facts);
      for (std::string& note : member_or<std::vector<std::string>>(body, "notes", {}))
        result_.notices.push_back(std::move(note));
    });
  } catch (const std::exception&) {  // what was measured is kept; the process is killed
  }

  Runtime& runtime_;
  const ExternalTerms terms_;
  ExternalResult result_;
  std::unique_ptr<PythonChild> child_;
  std::unique_ptr<BatchRing> ring_;
  std::uint64_t parameters_ = 0;
  std::uint32_t next_slot_ = 0;
  bool healthy_ = false;
};

}  // namespace

std::unique_ptr<Trainer> make_hand_over_trainer(const TrainerContext& context) {
  return std::make_unique<HandOverTrainer>(context);
}

}  // namespace benchbench::python_part
