#include "scenarios/trainers/torch_trainer.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <limits>
#include <optional>
#include <string>

#include "harness/core/error.h"
#include "harness/part/device_times.h"
#include "scenarios/trainers/precision.h"
#include "scenarios/trainers/sgd.h"
#include "scenarios/trainers/step_graphs.h"
#include "scenarios/trainers/tile_registers.h"

namespace benchbench {
namespace {

// Steps before one is captured: by then torch has made what it makes once.
constexpr std::uint32_t kEagerSteps = 11;

// Once per process: torch refuses to change the number of inter-op threads after their first use.
void use_one_inter_op_thread() {
  static const bool done = [] {
    if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

void set_up_cuda(const Precision& precision, const Settings& settings) {
  at::globalContext().setAllowTF32CuDNN(precision.tf32_convolutions);
  at::globalContext().setAllowTF32CuBLAS(precision.tf32_products);
  at::globalContext().setBenchmarkCuDNN(settings.boolean("cudnn_benchmark"));
}

at::MemoryFormat find_format(const Settings& settings) {
  const bool contiguous =
      settings.has("memory_format") && settings.text("memory_format") == "contiguous";
  return contiguous ? at::MemoryFormat::Contiguous : at::MemoryFormat::ChannelsLast;
}

class TorchTrainer final : public Trainer {
 public:
  TorchTrainer(const TrainerContext& context, const NetworkKind& kind,
               std::unique_ptr<TorchDevice> device)
      : runtime_(context.runtime),
        batch_size_(context.batch_size),
        batch_(context.batch),
        precision_(find_precision(context.settings.text("precision"))),
        trains_(context.settings.text("pass") == "train"),
        on_(std::move(device)),
        accelerator_(context.device.accelerator()),
        times_(accelerator_) {
    avoid_unusable_amx();
    at::set_num_threads(static_cast<int>(context.intra_op_threads));
    use_one_inter_op_thread();
    const Settings& settings = context.settings;
    if (on_->device().is_cuda()) set_up_cuda(precision_, settings);
    const at::MemoryFormat format = find_format(settings);
    network_ = kind.make({.settings = settings,
                          .batch = context.batch,
                          .classes = context.classes,
                          .initial = {at::detail::createCPUGenerator(context.seed), format}});
    network_->move_to(on_->device(), precision_.weights);
    input_ = kind.make_input(context.batch, {on_->device(), format, precision_.weights});
    for (const NamedTensor& p : network_->parameters())
      parameters_ += static_cast<std::uint64_t>(p.tensor.numel());
    if (trains_) sgd_.emplace(settings, network_->parameters(), find_loop(settings, on_->device()));
    if (precision_.scales_gradients && trains_) scaler_.emplace(on_->device());
    if (settings.boolean("graph")) graphs_.emplace(*on_);
    // The weights were copied on torch's own stream, which orders nothing on the steps' one.
    on_->synchronize();
  }

  // A device that has failed may refuse to take its memory back.
  ~TorchTrainer() override {
    try {
      drop_tensors();
      on_->release_memory();
    } catch (...) {
    }
  }

  void step(BatchLease batch, StepContext& context) override {
    try {
      stream_ = context.stream;
      if (!stream_ && batch.ready()) batch.ready()->wait();
      const auto scope = on_->use_stream(stream_);
      // One batch for ever drives gradients into the denormals, where a CPU is a hundred times
      // slower. Per thread, a few nanoseconds; OpenMP's threads inherit it from the one that starts
      // them.
      at::globalContext().setFlushDenormal(true);
      if (!stream_) return step_now(batch, context);
      const StageScope enqueueing(context.meter, runtime_, context.step, Stage::enqueue);
      graphs_&& steps_ >= kEagerSteps ? replay(batch, context) : step_now(batch, context);
      ++steps_;
    } catch (...) {
      throw_as_part_error("training step");
    }
  }

  void finish() override {
    if (!stream_) return;  // nothing is in flight after step()
    accelerator_->synchronize(*stream_);
    times_.finish();
  }

  // On the steps' stream: on another one torch would read it before the step has written it.
  double loss() override {
    try {
      if (!loss_.defined()) return std::numeric_limits<double>::quiet_NaN();
      const auto scope = on_->use_stream(stream_);
      return loss_.item<double>();
    } catch (...) {
      throw_as_part_error("reading the loss");
    }
  }

  std::uint64_t parameters() const noexcept override { return parameters_; }
  std::uint32_t holds() const noexcept override { return 0; }
  std::uint32_t first_steps() const noexcept override { return graphs_ ? kEagerSteps : 0; }

 private:
  // Bills what `work` takes to `stage`: by events around it where the device has a stream, since
  // the call returns before it is done.
  template <class Work>
  void run_part(StepContext& context, Stage stage, const Work& work) {
    if (stream_) return times_.around(context, stage, work);
    const StageScope scope(context.meter, runtime_, context.step, stage);
    work();
  }

  void step_now(BatchLease& batch, StepContext& context) {
    at::Tensor loss;
    run_part(context, Stage::forward, [&] { loss = compute_loss(batch); });
    if (trains_) run_part(context, Stage::backward, [&] { go_backward(loss); });
    loss_ = loss.detach();
    // Not before: the first layer may have kept the slot's own memory for its gradient. On a device
    // the buffer is written again only after all that is on the stream.
    batch.drop();
    if (trains_) run_part(context, Stage::optimizer, [&] { move_weights(); });
  }

  at::Tensor compute_loss(BatchLease& batch) {
    const c10::AutoGradMode gradients(trains_);
    NetworkInput input = input_->make(batch);
    // The loader may have the slot as soon as its bytes are taken over.
    if (!input.in_place && !stream_) batch.drop();
    const Autocast autocast(on_->device().type(), precision_.autocast);
    const at::Tensor outputs = network_->forward(std::move(input.data), trains_);
    return at::cross_entropy_loss(outputs, input.target);
  }

  void go_backward(const at::Tensor& loss) { (scaler_ ? scaler_->scale(loss) : loss).backward(); }
  void move_weights() { sgd_->step(scaler_ ? &*scaler_ : nullptr); }

  void replay(BatchLease& batch, StepContext& context) {
    refuse_smaller(batch);
    StepGraphs::Captured& captured = graphs_->find(batch.tensors().front().data);
    if (!captured.loss.defined()) capture(batch, captured);
    constexpr Stage stages[] = {Stage::forward, Stage::backward, Stage::optimizer};
    for (std::size_t part = 0; part < StepGraphs::kParts; ++part)
      if (TorchGraph* graph = captured.parts[part].get())
        run_part(context, stages[part], [&] { graph->replay(); });
    loss_ = captured.loss;
    batch.drop();
  }

  // A graph repeats the sizes that it was captured with.
  void refuse_smaller(const BatchLease& batch) const {
    if (batch.samples().value != batch_size_)
      throw PartError("trainer.graph takes whole batches, not one of " +
                          std::to_string(batch.samples().value) + " samples",
                      "set loader.drop_last: true");
    for (std::size_t i = 0; i < batch_.count; ++i) {
      const TensorSpec &widest = batch_.tensor[i], &given = batch.tensors()[i].spec;
      if (given.row.extent[0] != widest.row.extent[0])
        throw PartError("trainer.graph takes batches of one width, but \"" +
                            std::string(given.name) + "\" is as wide as its longest row",
                        "set loader.transform.pad_to_multiple_of to the longest of all");
    }
  }

  void capture(BatchLease& batch, StepGraphs::Captured& captured) {
    at::Tensor loss;
    graphs_->capture(captured, StepGraphs::forward, [&] { loss = compute_loss(batch); });
    if (trains_) {
      graphs_->capture(captured, StepGraphs::backward, [&] { go_backward(loss); });
      graphs_->capture(captured, StepGraphs::optimizer, [&] { move_weights(); });
    }
    captured.loss = loss.detach();
  }

  void drop_tensors() {
    graphs_.reset();
    sgd_.reset();
    scaler_.reset();
    input_.reset();
    network_.reset();
    loss_.reset();
  }

  const Runtime& runtime_;
  const std::uint64_t batch_size_;
  const BatchSpec batch_;
  const Precision precision_;
  const bool trains_;
  const std::unique_ptr<TorchDevice> on_;
  Accelerator* const accelerator_;
  DeviceTimes times_;
  DeviceStream* stream_ = nullptr;  // of the last step
  StepNumber steps_ = 0;
  std::unique_ptr<Network> network_;
  std::unique_ptr<BatchInput> input_;
  std::optional<Sgd> sgd_;
  std::optional<GradientScaler> scaler_;
  std::optional<StepGraphs> graphs_;
  at::Tensor loss_;
  std::uint64_t parameters_ = 0;
};

}  // namespace

std::unique_ptr<Trainer> make_torch_trainer(const TrainerContext& context, const NetworkKind& kind,
                                            std::unique_ptr<TorchDevice> device) try {
  return std::make_unique<TorchTrainer>(context, kind, std::move(device));
} catch (...) {
  throw_as_part_error("making the trainer");
}

std::unique_ptr<Trainer> make_torch_trainer(const TrainerContext& context,
                                            const NetworkKind& kind) {
  return make_torch_trainer(context, kind, make_torch_device(context.device));
}

void throw_as_part_error(const char* doing) {
  std::string text = std::string(doing) + ": ";
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const c10::OutOfMemoryError& e) {
    throw PartError(text + e.what_without_backtrace(), "reduce loader.batch_size");
  } catch (const c10::Error& e) {
    text += e.what_without_backtrace();
    if (text.find("device-side assert") != text.npos)
      throw PartError(
          text,
          "an index was out of range, as a label that is not below the number of classes "
          "or a token that is not below trainer.vocab_size");
  } catch (const std::bad_alloc&) {
    text += "out of memory";
  } catch (const std::exception& e) {
    text += e.what();
  } catch (...) {
    text += "an exception of unknown type";
  }
  throw PartError(text);
}

}  // namespace benchbench
