// What is made of NVML's readings, in virtual time, with an NVML that says what the test wants.
#include "harness/trial/probes/gpu_watch.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>

#include "harness/trial/probes/probe.h"
#include "harness/trial/probes/sampler.h"

namespace benchbench::gpu_watch_test {
namespace {

using namespace std::chrono_literals;
using cuda::NvmlReading;
using cuda::NvmlUser;

// What NVML says from now on, and how long a question takes.
struct Says {
  NvmlReading reading;
  std::string absent;
  Nanoseconds takes{0};
  int asked = 0;
};

class ScriptedNvml final : public cuda::NvmlProbe {
 public:
  ScriptedNvml(Says& says, Runtime& runtime) : says_(says), runtime_(runtime) {}
  const std::string& absent() const noexcept override { return says_.absent; }
  const cuda::Read<std::string>& driver() const noexcept override { return driver_; }
  NvmlReading read(bool) const override {
    ++says_.asked;
    if (says_.takes.count() > 0) runtime_.spend(says_.takes, Spend::sleep);
    return says_.reading;
  }

 private:
  Says& says_;
  Runtime& runtime_;
  cuda::Read<std::string> driver_;
};

NvmlReading plain() {
  NvmlReading r;
  r.busy = {0.87, ""};
  r.memory_busy = {0.42, ""};
  r.memory_used = {400, ""};
  r.memory_total = {1000, ""};
  r.clock_mhz = {1980u, ""};
  r.memory_clock_mhz = {2619u, ""};
  r.power = {345.678, ""};
  r.temperature = {61u, ""};
  r.throttle = {std::uint64_t{0}, ""};
  r.uncorrected_errors = {std::uint64_t{3}, ""};
  r.users = {std::vector<NvmlUser>{}, ""};
  r.sent = {1e6, ""};
  r.received = {2.5e10, ""};
  r.divided = {false, ""};
  return r;
}

void users(NvmlReading& r, std::initializer_list<unsigned> pids) {
  r.users.value->clear();
  for (const unsigned pid : pids) r.users.value->push_back({pid, {}});
}

class Scene final : public Job {
 public:
  explicit Scene(std::function<void(Scene&)> body) : body_(std::move(body)), runtime(*simulated_) {
    says.reading = plain();
    simulated_->run(*this);
  }
  void run() override { body_(*this); }
  std::unique_ptr<GpuWatch> watch() {
    auto made = std::make_unique<GpuWatch>(std::make_unique<ScriptedNvml>(says, runtime), runtime);
    return made;
  }
  // Some readings later.
  void later() { runtime.spend(3 * GpuWatch::kEvery, Spend::sleep); }

 private:
  std::function<void(Scene&)> body_;
  std::unique_ptr<SimulatedRuntime> simulated_ = make_simulated_runtime();

 public:
  Runtime& runtime;
  Says says;
};

}  // namespace

TEST_CASE("gpu watch: levels are NVML's, in whole units", "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    s.later();
    CHECK(watch->level(GpuLevel::busy) == 87);
    CHECK(watch->level(GpuLevel::memory_busy) == 42);
    CHECK(watch->level(GpuLevel::memory) == 400);
    CHECK(watch->level(GpuLevel::clock) == 1'980'000'000);
    CHECK(watch->level(GpuLevel::memory_clock) == 2'619'000'000);
    CHECK(watch->level(GpuLevel::power) == 346);
    CHECK(watch->level(GpuLevel::temperature) == 61);
    CHECK(watch->level(GpuLevel::received) == 25'000'000'000);
    CHECK(watch->level(GpuLevel::sent) == 1'000'000);
    CHECK(watch->facts().memory_bytes == 1000u);
    CHECK(watch->facts().divided == false);
    s.says.reading.power = {{}, "no power today"};
    s.later();
    CHECK_FALSE(watch->level(GpuLevel::power));
    CHECK(watch->absent(GpuLevel::power) == "no power today");
    CHECK(watch->absent(GpuLevel::clock).empty());
  });
}

TEST_CASE("gpu watch: NVML is asked until the end, and not at all where it is absent",
          "[unit][trial]") {
  Scene([](Scene& s) {
    {
      const auto watch = s.watch();
      watch->start();
      s.runtime.spend(1s, Spend::sleep);
      CHECK(s.says.asked >= 11);
      CHECK(s.says.asked <= 13);
    }
    const int asked = s.says.asked;
    s.later();
    CHECK(s.says.asked == asked);
    s.says.absent = "there is no NVML";
    const auto watch = s.watch();
    watch->start();
    s.later();
    CHECK(s.says.asked == asked + 1);
    CHECK(watch->facts().absent == "there is no NVML");
  });
}

TEST_CASE("gpu watch: an answer that is long overdue is none", "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    s.later();
    s.says.takes = 5s;
    s.runtime.spend(500ms, Spend::sleep);
    CHECK(watch->level(GpuLevel::busy) == 87);
    s.runtime.spend(1s, Spend::sleep);
    CHECK_FALSE(watch->level(GpuLevel::busy));
    s.says.takes = 0s;
    s.runtime.spend(5s, Spend::sleep);
    CHECK(watch->level(GpuLevel::busy) == 87);
  });
}

TEST_CASE("gpu watch: strangers are those before the trial and those that come without it",
          "[unit][trial]") {
  Scene([](Scene& s) {
    users(s.says.reading, {1, 2});
    const auto watch = s.watch();
    users(s.says.reading, {1, 2, 77});
    watch->start();  // 77 is the trial's own
    s.later();
    CHECK_FALSE(watch->facts().foreign);
    watch->begin_window();
    CHECK(watch->facts().foreign == 2u);  // by what was read last
    s.later();
    CHECK(watch->facts().foreign == 2u);
    users(s.says.reading, {77});
    s.later();
    CHECK(watch->facts().foreign == 2u);  // the most that there were
    users(s.says.reading, {1, 2, 77, 78});
    s.later();
    CHECK(watch->facts().foreign == 3u);
    watch->end_window();
    users(s.says.reading, {1, 2, 3, 4, 77});
    s.later();
    CHECK(watch->facts().foreign == 3u);
  });
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    s.later();
    users(s.says.reading, {77, static_cast<unsigned>(::getpid())});  // NVML lists them late
    s.later();
    watch->begin_window();
    s.later();
    CHECK(watch->facts().foreign == 0u);
    watch->end_window();
    users(s.says.reading, {77, 78});
    s.later();
    watch->begin_window();
    s.later();
    CHECK(watch->facts().foreign == 1u);
  });
  Scene([](Scene& s) {
    // A user of the trial before, in this process.
    users(s.says.reading, {static_cast<unsigned>(::getpid())});
    const auto watch = s.watch();
    watch->start();
    watch->begin_window();
    s.later();
    CHECK(watch->facts().foreign == 0u);
  });
}

TEST_CASE("gpu watch: what slows the GPU down counts in a window, idleness and settings do not",
          "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    s.says.reading.throttle.value = cuda::kThrottleHot;
    s.later();
    CHECK_FALSE(watch->facts().throttled);
    s.says.reading.throttle.value =
        cuda::kThrottleIdle | cuda::kThrottleSettings | cuda::kThrottleDisplay;
    s.later();
    watch->begin_window();
    s.later();
    CHECK(watch->facts().throttled == "none");
    s.says.reading.throttle.value = cuda::kThrottlePowerCap | cuda::kThrottleIdle;
    s.later();
    s.says.reading.throttle.value = 0;
    s.later();
    CHECK(watch->facts().throttled == "power cap");
    watch->end_window();
    s.says.reading.throttle.value = cuda::kThrottleHot;
    s.later();
    CHECK(watch->facts().throttled == "power cap");
  });
}

TEST_CASE(
    "gpu watch: what slows the GPU down for a moment does not count, nor what its user had it do",
    "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    watch->begin_window();
    for (int i = 0; i < 2; ++i) s.later();  // 6 readings
    s.says.reading.throttle.value = cuda::kThrottlePowerCap;
    s.runtime.spend(GpuWatch::kEvery, Spend::sleep);
    s.says.reading.throttle.value = 0;
    CHECK(watch->facts().throttled == "none");
    watch->end_window();
  });
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    watch->begin_window();
    for (int i = 0; i < 20; ++i) s.later();  // 60 readings
    s.says.reading.throttle.value = cuda::kThrottlePowerCap;
    s.runtime.spend(GpuWatch::kEvery, Spend::sleep);
    s.says.reading.throttle.value = 0;
    s.later();
    s.says.reading.throttle.value = cuda::kThrottlePowerCap | cuda::kThrottleSyncBoost;
    s.runtime.spend(GpuWatch::kEvery, Spend::sleep);
    s.says.reading.throttle.value = cuda::kThrottleSyncBoost;
    s.later();
    CHECK(watch->facts().throttled == "none");
    s.says.reading.throttle.value = cuda::kThrottlePowerCap;
    s.later();
    CHECK(watch->facts().throttled == "power cap");
  });
}

TEST_CASE("gpu watch: memory errors are those of the window", "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    s.says.reading.uncorrected_errors.value = 5;
    s.later();
    watch->begin_window();
    s.later();
    CHECK(watch->facts().uncorrected == 0u);
    s.says.reading.uncorrected_errors.value = 7;
    s.later();
    CHECK(watch->facts().uncorrected == 2u);
  });
}

TEST_CASE("gpu watch: its levels are probes of a trial that has one, percents as shares",
          "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    ProbeContext without, with;
    with.gpu = watch.get();
    const ProbeSampler none(s.runtime, 10ms, without);
    CHECK(none.facts().size() == probe_rows().size());
    ProbeSampler sampler(s.runtime, 10ms, with);
    CHECK(sampler.facts().size() == probe_rows().size() + gpu_probe_rows().size());
    sampler.begin_segment();
    sampler.end_segment();
    for (const ProbeFacts& facts : sampler.facts()) {
      if (facts.name == "gpu_busy") CHECK(facts.mean == Approx(0.87));
      if (facts.name == "gpu_power") CHECK(facts.mean == 346);
      if (facts.name.starts_with("gpu_")) CHECK(facts.state == ProbeState::measured);
    }
  });
}

}  // namespace benchbench::gpu_watch_test
