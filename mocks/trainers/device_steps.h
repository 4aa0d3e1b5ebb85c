// Steps of a mock trainer on a device with memory of its own: kernels.
#pragma once
#include <cstdint>

#include "harness/part/device_times.h"
#include "harness/part/trainer.h"
#include "mocks/trainers/mock_trainer.h"
#include "mocks/trainers/step_normalizer.h"

namespace benchbench {

// One thread.
class DeviceSteps {
 public:
  // `kernels`: launches that a step of a known time consists of, at least 1.
  explicit DeviceSteps(const TrainerContext& context, std::uint32_t kernels = 1);
  ~DeviceSteps();
  DeviceSteps(const DeviceSteps&) = delete;
  DeviceSteps& operator=(const DeviceSteps&) = delete;

  // False: batches stay on the host, and steps are the thread's own work.
  explicit operator bool() const noexcept { return on_ != nullptr; }

  // Launching is billed to enqueue, in both. Images that the loader left to normalise are
  // normalised first.

  // Kernels that are to take `time` together, the last one the nanoseconds that are left over. What
  // they took is billed to `stage` of the device once it is known.
  void enqueue(BatchLease batch, StepContext& context, Stage stage, Nanoseconds time);
  // One kernel that reads each byte of the batch. Its time is billed to `stage` of the device once
  // it is known.
  void enqueue_reads(BatchLease batch, StepContext& context, Stage stage);
  // Reads four bytes back, as a training loop that prints its loss: waits for all steps. After
  // reads 1 + the sum of all bytes read, modulo 2^32, / 2^32; NaN where nothing was read, or on an
  // emulated device.
  double read_back();
  void finish();

 private:
  void launch(Nanoseconds time);
  void begin_sum();

  Device& device_;
  Accelerator* const on_;
  const std::uint32_t kernels_;
  Runtime& runtime_;
  StepNormalizer normalizer_;
  DeviceTimes times_;
  DeviceStream* stream_ = nullptr;  // of the last step
  std::byte* loss_ = nullptr;       // of the device
  bool sums_ = false;               // the bytes of batches are added to it
  std::byte read_[4] = {};
};

// A mock whose steps may run on such a device; its loss is then what DeviceSteps::read_back() says.
class DeviceMockTrainer : public MockTrainer {
 public:
  void finish() override {
    if (on_device_) on_device_.finish();
  }
  double loss() override { return on_device_ ? on_device_.read_back() : host_loss(); }

 protected:
  explicit DeviceMockTrainer(const TrainerContext& context, std::uint32_t kernels = 1)
      : on_device_(context, kernels) {}
  virtual double host_loss() { return MockTrainer::loss(); }

  DeviceSteps on_device_;
};

}  // namespace benchbench
