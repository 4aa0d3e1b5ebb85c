#include "harness/trial/external/device_elsewhere.h"

namespace benchbench {
namespace {

constexpr const char* kNotPinned =
    "batches are not pinned in this process: the step's own process has the device, and copies "
    "them";

class DeviceElsewhere final : public Device {
 public:
  explicit DeviceElsewhere(std::string name) : name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  std::string_view model() const noexcept override { return ""; }
  std::byte* allocate(std::size_t bytes, Memory where) override {
    pinned_ = pinned_ || where == Memory::pinned;
    return host_->allocate(bytes, where == Memory::pinned ? Memory::host : where);
  }
  void deallocate(std::byte* data, std::size_t bytes, Memory where) noexcept override {
    host_->deallocate(data, bytes, where == Memory::pinned ? Memory::host : where);
  }
  DeviceTraits traits() const override {
    DeviceTraits traits;
    if (pinned_) traits.notes.emplace_back(kNotPinned);
    return traits;
  }

 private:
  const std::string name_;
  const std::unique_ptr<Device> host_ = make_cpu_device();
  bool pinned_ = false;
};

}  // namespace

std::unique_ptr<Device> make_device_elsewhere(std::string name) {
  return std::make_unique<DeviceElsewhere>(std::move(name));
}

}  // namespace benchbench
