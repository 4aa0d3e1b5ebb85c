// In which order a step uses a device with memory of its own, seen on one that computes on the CPU.
#include "tests/skip.h"
#include "tests/unit/torch/test_module.h"

namespace benchbench::test {
namespace {

class DoneEvent final : public DeviceEvent {
 public:
  void wait() override {}
  bool done() const override { return true; }
};

class PlainStream final : public DeviceStream {
 public:
  void* native() const noexcept override { return nullptr; }
};

// Notes events and waits in the log, and before each event whether the weights have moved.
class RecordedAccelerator final : public Accelerator {
 public:
  RecordedAccelerator(std::string& log, void (*note_weights)(std::string&))
      : log_(log), note_weights_(note_weights) {}
  int ordinal() const noexcept override { return 0; }
  std::unique_ptr<DeviceStream> make_stream() override { return std::make_unique<PlainStream>(); }
  std::unique_ptr<DeviceEvent> make_event() override { return std::make_unique<DoneEvent>(); }
  void record(DeviceEvent&, DeviceStream&) override {
    note_weights_(log_);
    log_ += "event ";
  }
  void wait(DeviceStream&, const DeviceEvent&) override {}
  void copy(DeviceStream&, std::byte*, const std::byte*, std::size_t, DeviceCopy, Memory) override {
  }
  void launch(DeviceStream&, const DeviceKernel&) override {}
  void normalize(DeviceStream&, const DeviceNormalization&) override {}
  void synchronize(DeviceStream&) override { log_ += "wait "; }
  Nanoseconds between(const DeviceEvent&, const DeviceEvent&) override { return Nanoseconds{7}; }
  DeviceCalls calls() const noexcept override { return {}; }
  void gather(DeviceStream&, const DeviceGather&) override {}

 private:
  std::string& log_;
  void (*const note_weights_)(std::string&);
};

class RecordedHostDevice final : public Device {
 public:
  explicit RecordedHostDevice(Accelerator& accelerator) : accelerator_(accelerator) {}
  std::string_view name() const noexcept override { return "recorded"; }
  std::string_view model() const noexcept override { return "of a test"; }
  std::byte* allocate(std::size_t bytes, Memory) override { return new std::byte[bytes]; }
  void deallocate(std::byte* data, std::size_t, Memory) noexcept override { delete[] data; }
  Accelerator* accelerator() noexcept override { return &accelerator_; }

 private:
  Accelerator& accelerator_;
};

// A trainer mlp on a recorded device. `log` has what it did since it was last cleared.
class RecordedJob {
 public:
  explicit RecordedJob(const std::string& key = "pass", const std::string& value = "train")
      : batches({.trainer = "mlp", .settings = {{key, value}}}),
        accelerator_(log, reinterpret_cast<void (*)(std::string&)>(
                              find_test_function("benchbench_test_note_weights"))),
        device_(accelerator_) {
    using Maker = Trainer* (*)(const TrainerContext&, std::string&);
    const auto make =
        reinterpret_cast<Maker>(find_test_function("benchbench_test_recorded_trainer"));
    trainer.reset(make(batches.context(device_), log));
  }

  std::string step() {
    log.clear();
    StepContext context{steps_++, meter};
    context.stream = &stream_;
    trainer->step(batches.lease(), context);
    return log;
  }

  std::string log;
  TrainingJob batches;
  CountingMeter meter;
  std::unique_ptr<Trainer> trainer;

 private:
  RecordedAccelerator accelerator_;
  RecordedHostDevice device_;
  PlainStream stream_;
  StepNumber steps_ = 0;
};

}  // namespace

TEST_CASE("torch: a step on a device is guarded, its parts are between events, nothing waits",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  RecordedJob job;
  // Weights are copied on another stream than that of the steps.
  CHECK(job.log == "synchronize ");
  CHECK(job.step() == "guard event event event event event moved event unguard ");
  CHECK(job.batches.given_back == 1);
  job.log.clear();
  job.trainer->finish();
  CHECK(job.log == "wait ");
  const std::map<Stage, int> billed = {
      {Stage::forward, 1}, {Stage::backward, 1}, {Stage::optimizer, 1}, {Stage::enqueue, 1}};
  CHECK(job.meter.times == billed);
  CHECK(job.meter.total[Stage::backward].count() == 7);  // by the events, not by the host's clock
  job.log.clear();
  CHECK(job.trainer->loss() > 0);
  CHECK(job.log == "guard unguard ");
  job.log.clear();
  job.trainer.reset();
  CHECK(job.log == "release ");
}

TEST_CASE("torch: inference on a device is one part, and moves no weight", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  RecordedJob job("pass", "forward");
  CHECK(job.step() == "guard event event unguard ");
  CHECK(job.step() == "guard event event unguard ");
}

TEST_CASE("torch: a graph is captured part by part after 11 steps, and replayed between events",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  RecordedJob job("graph", "true");
  const std::string eager = "guard event event event event event moved event unguard ";
  for (int step = 0; step < 11; ++step) CHECK(job.step() == eager);
  CHECK(job.trainer->first_steps() == 11);
  const auto replayed = [](int first) {
    std::string all;
    for (int part = first; part < first + 3; ++part)
      all += "event replay" + std::to_string(part) + " event ";
    return all + "unguard ";
  };
  CHECK(job.step() ==
        "guard capture1 captured capture2 captured capture3 captured moved " + replayed(1));
  CHECK(job.step() == "guard " + replayed(1));
  // Another buffer of the device has graphs of its own.
  job.batches.change_buffer();
  CHECK(job.step() ==
        "guard capture4 captured capture5 captured capture6 captured moved " + replayed(4));
  job.batches.change_buffer();
  CHECK(job.step() == "guard " + replayed(1));
  job.batches.change_buffer();
  CHECK(job.step() == "guard " + replayed(4));
}

TEST_CASE("torch: a capture that fails is given up, and the error says why", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  RecordedJob job("graph", "true");
  for (int step = 0; step < 11; ++step) job.step();
  job.batches.labels()[0] = 10;  // of ten classes
  CHECK_THROWS_WITH(job.step(), Catch::StartsWith("trainer.graph: the forward part cannot be "
                                                  "captured: "));
  CHECK(job.log == "guard capture1 gave_up unguard ");
}

TEST_CASE("torch: a graph takes whole batches alone", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  RecordedJob job("graph", "true");
  for (int step = 0; step < 11; ++step) job.step();
  job.batches.set_samples(3);
  CHECK_THROWS_WITH(job.step(), "trainer.graph takes whole batches, not one of 3 samples");
}

TEST_CASE("torch: a graph takes batches of one width alone, whenever another one comes",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const int before = GENERATE(11, 12);  // none was captured yet, or one was
  RecordedJob job("graph", "true");
  for (int step = 0; step < before; ++step) job.step();
  job.batches.set_width(8);
  CHECK_THROWS_WITH(job.step(),
                    "trainer.graph takes batches of one width, but \"image\" is as wide as its "
                    "longest row");
  CHECK(job.batches.given_back == before + 1);
}

}  // namespace benchbench::test
