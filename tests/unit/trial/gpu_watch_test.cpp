// What is made of NVML's readings, in virtual time, with an NVML that says what the test wants.
#include "harness/trial/probes/gpu_watch.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>

#include "harness/core/child_process.h"
#include "harness/trial/probes/card_search.h"
#include "harness/trial/probes/own_processes.h"
#include "harness/trial/probes/probe.h"
#include "harness/trial/probes/sampler.h"
#include "harness/trial/trial_probes.h"
#include "tests/variable.h"

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
  r.power_limit = {700.0, ""};
  r.energy = {1000.0, ""};
  r.pcie_generation = {5u, ""};
  r.pcie_width = {16u, ""};
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

TEST_CASE("gpu watch: at rest NVML is not asked, until the next window", "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    s.later();
    watch->rest();
    s.later();
    const int asked = s.says.asked;
    s.says.reading.throttle.value = cuda::kThrottleHot;
    s.runtime.spend(10s, Spend::sleep);
    CHECK(s.says.asked == asked);
    watch->begin_window();
    CHECK_FALSE(watch->facts().throttled);  // what was read last is of another time
    s.later();
    CHECK(s.says.asked >= asked + 3);
    CHECK(watch->facts().throttled == "hot");
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

TEST_CASE("gpu watch: faults that slow the GPU down count in a window, idleness does not",
          "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    s.says.reading.throttle.value = cuda::kThrottleHot;
    s.later();
    CHECK_FALSE(watch->facts().throttled);
    s.says.reading.throttle.value = cuda::kThrottleIdle;
    s.later();
    watch->begin_window();
    s.later();
    CHECK(watch->facts().throttled == "none");
    CHECK(watch->facts().limited == "none");
    s.says.reading.throttle.value = cuda::kThrottlePowerBrake | cuda::kThrottleIdle;
    s.later();
    s.says.reading.throttle.value = 0;
    s.later();
    CHECK(watch->facts().throttled == "power brake");
    watch->end_window();
    s.says.reading.throttle.value = cuda::kThrottleHot;
    s.later();
    CHECK(watch->facts().throttled == "power brake");
  });
}

TEST_CASE("gpu watch: a power cap is a fact with its share, and so are what its user had it do",
          "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    s.later();
    watch->begin_window();  // the reading before it counts
    s.says.reading.throttle.value = cuda::kThrottlePowerCap | cuda::kThrottleSettings;
    s.later();
    CHECK(watch->facts().throttled == "none");
    CHECK(watch->facts().limited == "application clocks, power cap");
    CHECK(watch->facts().power_capped_share == Approx(0.75));
    s.says.reading.throttle.value = cuda::kThrottleBoard | cuda::kThrottleReliability;
    s.later();
    CHECK(watch->facts().throttled == "none");
    CHECK(watch->facts().power_capped_share == Approx(3.0 / 7));
    CHECK(watch->facts().power_limit_watts == 700.0);
  });
}

TEST_CASE("gpu watch: what slows the GPU down for a moment does not count", "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    watch->begin_window();
    for (int i = 0; i < 2; ++i) s.later();  // 6 readings
    s.says.reading.throttle.value = cuda::kThrottleHot;
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
    for (int i = 0; i < 2; ++i) {
      s.says.reading.throttle.value = cuda::kThrottleHot;
      s.runtime.spend(GpuWatch::kEvery, Spend::sleep);
      s.says.reading.throttle.value = 0;
      s.later();
    }
    CHECK(watch->facts().throttled == "none");
    s.says.reading.throttle.value = cuda::kThrottleHot;
    s.later();
    CHECK(watch->facts().throttled == "hot");
  });
}

TEST_CASE("gpu watch: energy is that of the windows, by the power between their readings",
          "[unit][trial]") {
  Scene([](Scene& s) {
    const auto watch = s.watch();
    watch->start();
    const auto draw = [&](double watts, int readings) {  // a reading each 100 ms
      for (int i = 0; i < readings; ++i) {
        *s.says.reading.energy.value += watts / 10;
        s.runtime.spend(GpuWatch::kEvery, Spend::sleep);
      }
    };
    draw(50, 10);
    CHECK_FALSE(watch->facts().joules);
    watch->begin_window();
    draw(600, 20);
    watch->end_window();
    draw(50, 10);
    CHECK(*watch->facts().joules == Approx(1200));
    watch->begin_window();
    draw(300, 20);
    watch->end_window();
    CHECK(*watch->facts().joules == Approx(1800));
    CHECK(*watch->take_facts().joules == Approx(1800));
    CHECK_FALSE(watch->facts().joules);
    CHECK_FALSE(watch->facts().throttled);
    CHECK(watch->facts().memory_bytes == 1000u);
  });
}

TEST_CASE("gpu watch: the PCIe link is the fastest that was read: an idle GPU slows it down",
          "[unit][trial]") {
  Scene([](Scene& s) {
    s.says.reading.pcie_generation = {1u, ""};
    const auto watch = s.watch();
    watch->start();
    watch->begin_window();
    s.later();
    CHECK(watch->facts().pcie_generation == 1u);
    s.says.reading.pcie_generation = {5u, ""};
    s.later();
    s.says.reading.pcie_generation = {{}, "not today"};
    s.later();
    CHECK(watch->facts().pcie_generation == 5u);
    CHECK(watch->facts().pcie_width == 16u);
  });
}

TEST_CASE(
    "gpu watch: the trial's own process under a host's number is none of a later trial's "
    "strangers",
    "[unit][trial]") {
  constexpr unsigned kOnHost = 3'999'999'999;  // no process here has it
  Scene([](Scene& s) {
    const auto watch = s.watch();
    users(s.says.reading, {kOnHost});  // it comes as the trial gets its context
    watch->start();
    s.later();
    watch->begin_window();
    s.later();
    CHECK(watch->facts().foreign == 0u);
  });
  Scene([](Scene& s) {
    users(s.says.reading, {kOnHost});  // torch holds the context of the trial before
    const auto watch = s.watch();
    watch->start();
    watch->begin_window();
    s.later();
    CHECK(watch->facts().foreign == 0u);
    users(s.says.reading, {kOnHost, kOnHost - 1});
    s.later();
    CHECK(watch->facts().foreign == 1u);
  });
}

TEST_CASE("card search: the card that a process of the trial uses, whatever the scenario says",
          "[unit][trial]") {
  constexpr unsigned kOnHost = 3'999'999'998;  // no process here has it
  const auto own = static_cast<unsigned>(::getpid());
  Scene([&](Scene& s) {
    Says a, b;
    a.reading = b.reading = plain();
    users(a.reading, {1, kOnHost});
    const auto probe = [&](const std::string& uuid) {
      return std::make_unique<ScriptedNvml>(uuid == "a" ? a : b, s.runtime);
    };
    const std::vector<std::string> devices{"a", "b"};
    const std::vector<CardSearch::Card> cards{{{"a", "H100"}, probe("a")},
                                              {{"b", "H200"}, probe("b")}};
    const CardSearch search(cards, probe, devices, s.runtime);
    CHECK_FALSE(search.find(::getpid()));
    const auto seen = static_cast<unsigned>(::getppid());
    users(a.reading, {1, seen, kOnHost});  // one more stranger, that is seen here
    CHECK_FALSE(search.find(::getpid()));
    users(b.reading, {own});
    auto watch = search.find(::getpid());
    REQUIRE(watch);
    CHECK(watch->facts().name == "cuda:1");
    CHECK(watch->facts().model == "H200");
    CHECK(watch->facts().uuid == "b");
    CHECK(search.watch_named("cuda:0")->facts().uuid == "a");
    CHECK_FALSE(search.watch_named("cuda:2"));
    CHECK_FALSE(search.watch_named("cpu"));
    users(b.reading, {kOnHost - 1});  // ours, in a container
    watch = search.find(::getpid());
    REQUIRE(watch);
    CHECK(watch->facts().uuid == "b");
    watch->begin_window();
    s.later();
    CHECK(watch->facts().foreign == 0u);
    users(b.reading, {});
    users(a.reading, {1, kOnHost, own});
    watch = search.find(::getpid());
    REQUIRE(watch);
    watch->begin_window();
    s.later();
    CHECK(watch->facts().foreign == 2u);  // those that were there before
  });
}

TEST_CASE("card search: a card that NVML does not show in use is watched only where it is sure",
          "[unit][trial]") {
  Scene([](Scene& s) {
    const auto probe = [&](const std::string&) {
      return std::make_unique<ScriptedNvml>(s.says, s.runtime);
    };
    const auto watches = [&](const std::vector<std::string>& there,
                             const std::vector<std::string>& devices, const char* name) {
      std::vector<CardSearch::Card> cards;
      for (const std::string& uuid : there) cards.push_back({{uuid, "H100"}, probe(uuid)});
      const auto watch = CardSearch(cards, probe, devices, s.runtime).watch_named(name);
      return watch ? watch->facts().uuid : "none";
    };
    test::Variable visible("CUDA_VISIBLE_DEVICES", std::nullopt);
    CHECK(watches({"a", "b"}, {"b", "a"}, "cuda:0") == "b");
    CHECK(watches({"a", "b"}, {"b"}, "cuda:1") == "none");
    CHECK(watches({"a", "b"}, {}, "cuda:0") == "none");
    CHECK(watches({"a"}, {}, "cuda:0") == "a");
    CHECK(watches({"a"}, {}, "cuda:1") == "none");
    test::Variable chosen("CUDA_VISIBLE_DEVICES", "3");
    CHECK(watches({"a"}, {}, "cuda:0") == "none");
  });
}

TEST_CASE("card search: a trial looks for its card at most once a second, until it is known",
          "[unit][trial]") {
  Scene([](Scene& s) {
    const auto probe = [&](const std::string&) {
      return std::make_unique<ScriptedNvml>(s.says, s.runtime);
    };
    const CardSearch search({{{"a", "H100"}, probe("a")}}, probe, {}, s.runtime);
    TrialProbes probes({.runtime = s.runtime, .every = 100ms, .cards = &search, .rows = {}});
    const int before = s.says.asked;
    for (int i = 0; i < 5; ++i) probes.look_for_card();
    CHECK(s.says.asked == before + 1);
    s.runtime.spend(1s, Spend::sleep);
    users(s.says.reading, {static_cast<unsigned>(::getpid())});
    probes.look_for_card();
    probes.begin_segment();
    probes.end_segment();
    probes.stop();
    const auto gpu = probes.results().gpu;
    REQUIRE(gpu);
    CHECK(gpu->uuid == "a");
  });
}

TEST_CASE("own processes: all name spaces that the kernel shows, and what was started here",
          "[unit][trial]") {
  CHECK(pids_in_status("Name:\tx\nNSpid:\t71234\t42\t1\nNSsid:\t9\n") ==
        std::set<unsigned>{1, 42, 71234});
  CHECK(pids_in_status("NSpid:\t7") == std::set<unsigned>{7});
  CHECK(pids_in_status("Name:\tx\n").empty());
  CHECK(own_processes().contains(static_cast<unsigned>(::getpid())));
  CHECK(is_below_this_process(static_cast<unsigned>(::getpid())));
  CHECK_FALSE(is_below_this_process(static_cast<unsigned>(::getppid())));
  CHECK_FALSE(is_below_this_process(1));
  ChildStart start;
  start.program = "/bin/sleep", start.arguments = {"60"};
  const ChildProcess child(start);
  CHECK(is_below_this_process(static_cast<unsigned>(child.pid())));
  CHECK(is_below(static_cast<unsigned>(child.pid()), static_cast<unsigned>(::getpid())));
  CHECK_FALSE(is_below(static_cast<unsigned>(::getpid()), static_cast<unsigned>(child.pid())));
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
