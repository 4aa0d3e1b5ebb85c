#include "scenarios/trainers/torch_trainer.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>

#include <limits>
#include <optional>
#include <string>

#include "harness/core/error.h"
#include "scenarios/trainers/sgd.h"
#include "scenarios/trainers/tile_registers.h"

namespace benchbench {
namespace {

// torch.autocast on the CPU for one scope. The cache holds the weights cast to bfloat16: once a
// step, not once a use.
class Autocast {
 public:
  explicit Autocast(bool on) : on_(on) {
    if (!on_) return;
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!on_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
};

// Which tensors of a batch are the image and the label.
struct BatchLayout {
  std::size_t image = 0, label = 0;
  TensorSpec spec;  // of the image
};

BatchLayout layout_of(const BatchSpec& batch) {
  std::optional<std::size_t> image, label;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const std::string_view name = batch.tensor[i].name;
    if (name == "image") image = i;
    if (name == "label") label = i;
  }
  if (!image || !label)
    throw PartError("this trainer takes batches with an \"image\" and a \"label\" tensor");
  const TensorSpec& spec = batch.tensor[*image];
  if (spec.row.rank != 3 || (spec.dtype != DType::uint8 && spec.dtype != DType::float32)) {
    throw PartError(
        "this trainer takes images of uint8 or float32 [height, width, channels], not " +
        std::string(name_of(spec.dtype)) + " of rank " + std::to_string(spec.row.rank));
  }
  if (batch.tensor[*label].dtype != DType::int64 || batch.tensor[*label].row.rank != 0) {
    throw PartError("this trainer takes one int64 label per sample");
  }
  return {*image, *label, spec};
}

// Once per process: torch refuses to change the number of inter-op threads after their first use.
void use_one_inter_op_thread() {
  static const bool done = [] {
    if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

void check_device(const Device& device) {
  if (device.name() == "cpu") return;
  throw DeviceError("the torch trainers cannot use " + std::string(device.name()) +
                        ": this build steps on the CPU only",
                    "trainer.device: cpu");
}

class TorchTrainer final : public Trainer {
 public:
  TorchTrainer(const TrainerContext& context, HasMemoryFormat layout, NetworkFactory make)
      : runtime_(context.runtime),
        layout_(layout_of(context.batch)),
        format_(layout == HasMemoryFormat::yes &&
                        context.settings.text("memory_format") == "contiguous"
                    ? at::MemoryFormat::Contiguous
                    : at::MemoryFormat::ChannelsLast),  // as rows lie
        mixed_(context.settings.text("precision") == "bf16-mixed") {
    avoid_unusable_amx();
    at::set_num_threads(static_cast<int>(context.intra_op_threads));
    use_one_inter_op_thread();
    const Shape& row = layout_.spec.row;
    network_ = make({.settings = context.settings,
                     .channels = row.extent[2],
                     .height = row.extent[0],
                     .width = row.extent[1],
                     .classes = context.classes,
                     .initial = {at::detail::createCPUGenerator(context.seed), format_}});
    sgd_ = Sgd(context.settings, network_->parameters());
    for (const NamedTensor& p : network_->parameters())
      parameters_ += static_cast<std::uint64_t>(p.tensor.numel());
    set_up_normalisation(row.extent[2]);
  }

  void step(BatchLease batch, StepContext& context) override {
    try {
      if (batch.ready()) batch.ready()->wait();
      // One batch for ever drives gradients into the denormals, where a CPU is a hundred times
      // slower. Per thread, a few nanoseconds; OpenMP's threads inherit it from the one that starts
      // them.
      at::globalContext().setFlushDenormal(true);
      at::Tensor loss = forward(batch, context);
      {
        StageScope scope(context.meter, runtime_, context.step, Stage::backward);
        loss.backward();
      }
      loss_ = loss.detach();
      // Not before: the first layer may have kept the slot's own memory for its gradient.
      batch.drop();
      StageScope scope(context.meter, runtime_, context.step, Stage::optimizer);
      sgd_.step();
    } catch (...) {
      throw_as_part_error("training step");
    }
  }

  void finish() override {}  // nothing is in flight after step()

  double loss() override {
    try {
      return loss_.defined() ? loss_.item<double>() : std::numeric_limits<double>::quiet_NaN();
    } catch (...) {
      throw_as_part_error("reading the loss");
    }
  }

  std::uint64_t parameters() const noexcept override { return parameters_; }
  std::uint32_t holds() const noexcept override { return 0; }

 private:
  at::Tensor forward(BatchLease& batch, StepContext& context) {
    StageScope scope(context.meter, runtime_, context.step, Stage::forward);
    const TensorView& label = batch.tensors()[layout_.label];
    // Cloned: 8 bytes a sample, and the loss keeps it.
    const at::Tensor target = at::from_blob(label.data, {label.rows}, at::kLong).clone();
    at::Tensor input = input_of(batch.tensors()[layout_.image]);
    const bool aliases = input.data_ptr() == batch.tensors()[layout_.image].data;
    if (!aliases) batch.drop();  // the loader may have the slot as soon as its bytes are taken over
    const Autocast autocast(mixed_);
    return at::cross_entropy_loss(network_->forward(std::move(input), true), target);
  }

  // [N, C, H, W] in the trainer's memory format. Rows lie as [H, W, C], which is what torch calls
  // channels_last: a view, no copy; float32 rows come normalised and are used where they lie.
  at::Tensor input_of(const TensorView& image) const {
    const Shape& row = layout_.spec.row;
    const bool bytes = layout_.spec.dtype == DType::uint8;
    const at::Tensor view =
        at::from_blob(image.data, {image.rows, row.extent[0], row.extent[1], row.extent[2]},
                      bytes ? at::kByte : at::kFloat)
            .permute({0, 3, 1, 2});
    if (!bytes) return view.contiguous(format_);
    at::Tensor input = view.to(at::kFloat, false, true, format_);
    return input.sub_(mean_).mul_(scale_);
  }

  // ImageNet's mean and deviation, in units of a byte, for uint8 batches; other channel counts are
  // only scaled to 0..1.
  void set_up_normalisation(std::int64_t channels) {
    if (channels == 3) {
      mean_ = at::tensor({0.485f * 255, 0.456f * 255, 0.406f * 255}).view({1, 3, 1, 1});
      scale_ = at::tensor({1 / (0.229f * 255), 1 / (0.224f * 255), 1 / (0.225f * 255)})
                   .view({1, 3, 1, 1});
    } else {
      mean_ = at::tensor({0.0f}).view({1, 1, 1, 1});
      scale_ = at::tensor({1 / 255.0f}).view({1, 1, 1, 1});
    }
  }

  const Runtime& runtime_;
  BatchLayout layout_;
  at::MemoryFormat format_;
  bool mixed_;
  std::unique_ptr<Network> network_;
  Sgd sgd_;
  at::Tensor mean_, scale_, loss_;
  std::uint64_t parameters_ = 0;
};

}  // namespace

std::unique_ptr<Trainer> make_torch_trainer(const TrainerContext& context, HasMemoryFormat layout,
                                            NetworkFactory make) {
  try {
    check_device(context.device);
    return std::make_unique<TorchTrainer>(context, layout, make);
  } catch (...) {
    throw_as_part_error("making the trainer");
  }
}

void throw_as_part_error(const char* doing) {
  std::string text = std::string(doing) + ": ";
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& e) {
    text += e.what_without_backtrace();
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
