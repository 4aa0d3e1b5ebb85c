// A driver that returns from a copy of pageable memory once it is staged, as CUDA's may for small
// ones: the copy is over when its event says so, and the host's batch is kept until then.
#include <catch2/catch.hpp>
#include <functional>
#include <memory>

#include "harness/pipeline/thread_meter.h"
#include "harness/trial/device_feed/device_feed.h"

namespace benchbench::test::device {
namespace staging_test {

constexpr std::uint64_t kBytes = 6400;
constexpr Nanoseconds kCopy{64000};

class StagingAccelerator final : public Accelerator {
 public:
  explicit StagingAccelerator(Accelerator& on) : on_(on) {}
  int ordinal() const noexcept override { return on_.ordinal(); }
  std::unique_ptr<DeviceStream> make_stream() override { return on_.make_stream(); }
  std::unique_ptr<DeviceEvent> make_event() override { return on_.make_event(); }
  void record(DeviceEvent& event, DeviceStream& stream) override { on_.record(event, stream); }
  void wait(DeviceStream& stream, const DeviceEvent& event) override { on_.wait(stream, event); }
  void copy(DeviceStream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
            DeviceCopy way, Memory) override {
    on_.copy(stream, to, from, bytes, way, Memory::pinned);
  }
  void launch(DeviceStream& stream, const DeviceKernel& kernel) override {
    on_.launch(stream, kernel);
  }
  void normalize(DeviceStream& stream, const DeviceNormalization& job) override {
    on_.normalize(stream, job);
  }
  void synchronize(DeviceStream& stream) override { on_.synchronize(stream); }
  Nanoseconds between(const DeviceEvent& from, const DeviceEvent& to) override {
    return on_.between(from, to);
  }
  DeviceCalls calls() const noexcept override { return on_.calls(); }
  void gather(DeviceStream& stream, const DeviceGather& job) override { on_.gather(stream, job); }

 private:
  Accelerator& on_;
};

class StagingDevice final : public Device {
 public:
  explicit StagingDevice(Runtime& runtime)
      : on_(make_emulated_device({.pinned = kBytes / (1e-9 * static_cast<double>(kCopy.count())),
                                  .copy_call = {},
                                  .launch_call = {}},
                                 runtime, false)),
        staging_(*on_->accelerator()) {}
  std::string_view name() const noexcept override { return on_->name(); }
  std::string_view model() const noexcept override { return on_->model(); }
  std::byte* allocate(std::size_t bytes, Memory where) override {
    return on_->allocate(bytes, where);
  }
  void deallocate(std::byte* data, std::size_t bytes, Memory where) noexcept override {
    on_->deallocate(data, bytes, where);
  }
  Accelerator* accelerator() noexcept override { return &staging_; }

 private:
  std::unique_ptr<Device> on_;
  StagingAccelerator staging_;
};

struct Host final : SlotOwner {
  void give_back(BatchSlot& slot) noexcept override { returned[&slot - slots] = true; }
  BatchSlot slots[3];
  bool returned[3] = {};
};

// Calls `steps(feed, upload)`, in which upload(k) hands over pageable memory as the k-th batch.
template <class Steps>
void with_feed(bool non_blocking, const Steps& steps) {
  struct Trial final : Job {
    void run() override { body(); }
    std::function<void()> body;
  } trial;
  const auto runtime = make_simulated_runtime();
  trial.body = [&] {
    StagingDevice device(*runtime);
    BatchSpec spec;
    spec.count = 1;
    spec.tensor[0] = {.name = "x", .dtype = DType::uint8, .row = {{kBytes}, 1}, .ragged = false};
    ThreadMeter meter({});
    Host host;
    std::byte bytes[kBytes] = {};
    DeviceFeed feed({.device = device,
                     .runtime = *runtime,
                     .meter = meter,
                     .settings = {.non_blocking = non_blocking, .own_stream = true, .in_flight = 3},
                     .spec = spec,
                     .batch_size = 1});
    feed.edge(runtime->now());
    steps(*runtime, host, feed, [&](std::size_t k) {
      BatchSlot& slot = host.slots[k];
      slot.tensor_count = 1;
      slot.tensors[0] = {.spec = spec.tensor[0], .rows = 1, .data = bytes};
      slot.samples = 1;
      slot.where = Memory::host;
      const TimePoint now = runtime->now();
      feed.upload(BatchLease(slot, host), k, now, now).drop();
      feed.end_step(k);
    });
    feed.finish();
    for (std::size_t k = 0; k < 3; ++k) CHECK(host.returned[k]);
  };
  runtime->run(trial);
}

TEST_CASE("device: a batch of pageable memory that is only staged is kept until its copy is done",
          "[known_answer][device]") {
  with_feed(true, [](Runtime& runtime, const Host& host, DeviceFeed&, const auto& upload) {
    upload(0);
    CHECK(!host.returned[0]);
    runtime.spend(kCopy - Nanoseconds{1}, Spend::sleep);
    upload(1);
    CHECK(!host.returned[0]);
    runtime.spend(Nanoseconds{1}, Spend::sleep);
    upload(2);
    CHECK(host.returned[0]);
    CHECK(!host.returned[1]);
  });
}

TEST_CASE("device: without non_blocking the host waits for pageable memory that is only staged",
          "[known_answer][device]") {
  with_feed(false, [](Runtime& runtime, const Host& host, DeviceFeed&, const auto& upload) {
    const TimePoint begin = runtime.now();
    for (std::size_t k = 0; k < 3; ++k) {
      upload(k);
      CHECK(host.returned[k]);
      CHECK(runtime.now() - begin == (k + 1) * kCopy);
    }
  });
}

}  // namespace staging_test
}  // namespace benchbench::test::device
