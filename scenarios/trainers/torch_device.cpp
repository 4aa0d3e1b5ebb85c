#include "scenarios/trainers/torch_device.h"

#include <string>

#include "harness/core/error.h"
#include "harness/part/module.h"

namespace benchbench {
namespace {

class TorchCpu final : public TorchDevice {
 public:
  c10::Device device() const noexcept override { return c10::Device(c10::kCPU); }
  std::unique_ptr<TorchScope> use_stream(DeviceStream*) override { return nullptr; }
  void synchronize() override {}
  std::unique_ptr<TorchGraph> make_graph() override {
    throw PartError("trainer.graph: true needs trainer.device: cuda:N, not cpu");
  }
  void release_memory() override {}
};

std::unique_ptr<TorchDevice> make_torch_cuda(int ordinal) {
  const auto make = reinterpret_cast<TorchCudaMaker>(module_symbol("torch_cuda", kTorchCudaMaker));
  char why[1024] = {};
  std::unique_ptr<TorchDevice> device(make(ordinal, why, sizeof why));
  if (!device) throw DeviceError("needs cuda:" + std::to_string(ordinal) + " in torch: " + why);
  return device;
}

}  // namespace

std::unique_ptr<TorchDevice> make_torch_cpu() { return std::make_unique<TorchCpu>(); }

std::unique_ptr<TorchDevice> make_torch_device(const Device& device) {
  const std::string name(device.name());
  if (name == "cpu") return make_torch_cpu();
  if (name.starts_with("cuda:")) return make_torch_cuda(std::stoi(name.substr(5)));
  throw DeviceError("the torch trainers cannot use the device " + name,
                    "trainer.device: cpu or cuda:N");
}

}  // namespace benchbench
