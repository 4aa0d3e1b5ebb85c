#include "scenarios/trainers/torch_device.h"

#include <unistd.h>

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

// On a machine with a driver of CUDA: before torch's first step, since torch counts its devices
// then and never again, and a later trial of the process may step on one. Where the libraries
// cannot be loaded, that trial says so.
void look_for_cuda_once() {
  static const bool looked = [] {
    if (access("/dev/nvidiactl", F_OK) != 0 && access("/dev/dxg", F_OK) != 0) return false;
    try {
      module_rows("torch_cuda");
    } catch (const DeviceError&) {
      return false;
    }
    return true;
  }();
  static_cast<void>(looked);
}

}  // namespace

std::unique_ptr<TorchDevice> make_torch_cpu() { return std::make_unique<TorchCpu>(); }

std::unique_ptr<TorchDevice> make_torch_device(const Device& device) {
  const std::string name(device.name());
  look_for_cuda_once();
  if (name == "cpu") return make_torch_cpu();
  if (name.starts_with("cuda:")) return make_torch_cuda(std::stoi(name.substr(5)));
  throw DeviceError("the torch trainers cannot use the device " + name,
                    "trainer.device: cpu or cuda:N");
}

}  // namespace benchbench
