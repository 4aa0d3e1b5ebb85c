// Steps on a device that computes on the CPU and notes in which order it is used.
#include <ATen/core/Tensor.h>

#include <string>

#include "harness/part/trainer.h"
#include "scenarios/trainers/networks.h"

namespace benchbench::test {
namespace {

class RecordedScope final : public TorchScope {
 public:
  explicit RecordedScope(std::string& log) : log_(log) { log_ += "guard "; }
  ~RecordedScope() override { log_ += "unguard "; }

 private:
  std::string& log_;
};

// Runs what is captured as well, and nothing when it is replayed.
class RecordedGraph final : public TorchGraph {
 public:
  RecordedGraph(std::string& log, int number) : log_(log), number_(std::to_string(number)) {}
  void begin() override { log_ += "capture" + number_ + " "; }
  void end() override { log_ += "captured "; }
  void replay() override { log_ += "replay" + number_ + " "; }
  void give_up() noexcept override { log_ += "gave_up "; }

 private:
  std::string& log_;
  const std::string number_;
};

class RecordedDevice final : public TorchDevice {
 public:
  explicit RecordedDevice(std::string& log) : log_(log) {}
  c10::Device device() const noexcept override { return c10::Device(c10::kCPU); }
  std::unique_ptr<TorchScope> use_stream(DeviceStream* stream) override {
    if (!stream) return nullptr;
    return std::make_unique<RecordedScope>(log_);
  }
  void synchronize() override { log_ += "synchronize "; }
  std::unique_ptr<TorchGraph> make_graph() override {
    return std::make_unique<RecordedGraph>(log_, ++graphs_);
  }
  void release_memory() override { log_ += "release "; }

 private:
  int graphs_ = 0;
  std::string& log_;
};

// Notes in `log` each time that the weights have changed since it was last asked.
class WatchedWeights {
 public:
  void watch(const Network& network) {
    for (const NamedTensor& p : network.parameters()) weights_.push_back(p.tensor);
    version_ = count();
  }
  void note(std::string& log) {
    const std::uint64_t now = count();
    if (now != version_) log += "moved ";
    version_ = now;
  }
  void forget() { weights_.clear(); }

 private:
  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const at::Tensor& weight : weights_) sum += weight._version();
    return sum;
  }
  std::vector<at::Tensor> weights_;
  std::uint64_t version_ = 0;
};

WatchedWeights watched;

std::unique_ptr<Network> make_watched(const NetworkRequest& request) {
  auto network = parts::describe_mlp().make(request);
  watched.watch(*network);
  return network;
}

}  // namespace
}  // namespace benchbench::test

// A trainer mlp whose device writes to `log`; the caller owns it. `log` outlives it.
extern "C" benchbench::Trainer* benchbench_test_recorded_trainer(
    const benchbench::TrainerContext& context, std::string& log) {
  using namespace benchbench;
  test::watched.forget();
  return make_torch_trainer(context, {.make = test::make_watched},
                            std::make_unique<test::RecordedDevice>(log))
      .release();
}

// Writes "moved " to `log` where the weights of the last recorded trainer have changed.
extern "C" void benchbench_test_note_weights(std::string& log) {
  benchbench::test::watched.note(log);
}
