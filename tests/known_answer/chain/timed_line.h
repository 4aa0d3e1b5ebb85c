// A long line in virtual time: the harness's own supply (queue, pool, requests, credits, slots,
// sampler) between times that are drawn as they are needed. Writes down only what a known answer is
// about, since millions of steps go by.
#pragma once
#include <cmath>
#include <functional>
#include <vector>

#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/pipeline/supply.h"

namespace benchbench::test {

// One unit of time in ns: fine enough that rounding does not show.
inline constexpr double kUnit = 1e6;

// Draws times of one distribution, in units.
using Times = std::function<double()>;

// Sums from the line's start on, at the end of a step. In units of time.
struct Reading {
  double time = 0, starved = 0, blocked = 0;  // blocked: of all workers together
};

struct TimedLine {
  SupplyOptions options;
  Times make, step;
  std::uint64_t steps = 0;
  std::uint64_t read_every = 1;  // steps between two readings
};

// Readings at 0 steps (time 0), read_every, 2 read_every, ...
class TimedLineJob final : public Job {
 public:
  TimedLineJob(const TimedLine& line, Runtime& runtime)
      : line_(line), runtime_(runtime), loader_(line.make) {}

  void run() override {
    const NoSettings none;
    const auto sampler = built_in_catalog()
                             .maker(PartKind::sampler, "sequential")
                             .sampler({.layout = loader_.layout(), .seed = 0, .settings = none});
    const auto device = make_cpu_device();
    Supply supply(line_.options, loader_, *sampler, *device, runtime_);
    readings.push_back({});
    supply.start();
    for (std::uint64_t k = 1; k <= line_.steps; ++k) {
      const TimePoint before = runtime_.now();
      const BatchLease lease = supply.get({});
      starved_ += runtime_.now() - before;
      runtime_.spend(from_units(line_.step()), Spend::sleep);
      if (k % line_.read_every == 0) read(supply);
    }
    supply.stop();
  }

  std::vector<Reading> readings;

 private:
  struct NoSettings final : Settings {
    bool has(std::string_view) const noexcept override { return false; }
    bool boolean(std::string_view) const override { return false; }
    std::int64_t integer(std::string_view) const override { return 0; }
    double real(std::string_view) const override { return 0; }
    std::string_view text(std::string_view) const override { return {}; }
    Nanoseconds duration(std::string_view) const override { return {}; }
    Bytes bytes(std::string_view) const override { return {}; }
    double rate(std::string_view) const override { return 0; }
  };

  class DrawnLoader final : public Loader {
   public:
    explicit DrawnLoader(const Times& make) : make_(make) {}
    Layout layout() const override { return {4096, {}, {}}; }
    BatchSpec spec() const override {
      BatchSpec spec;
      spec.tensor[spec.count++] = {.name = "byte", .dtype = DType::uint8, .row = {}};
      return spec;
    }
    std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
      struct Worker final : LoaderWorker {
        Worker(const Times& m, Runtime& r) : make(m), runtime(r) {}
        void fill(const BatchRequest&, StageMeter&) override {
          runtime.spend(from_units(make()), Spend::sleep);
        }
        const Times& make;
        Runtime& runtime;
      };
      return std::make_unique<Worker>(make_, runtime);
    }

   private:
    const Times& make_;
  };

  static Nanoseconds from_units(double units) { return Nanoseconds{std::llround(units * kUnit)}; }
  static double units(Nanoseconds time) { return static_cast<double>(time.count()) / kUnit; }
  void read(const Supply& supply) {
    const TimePoint now = runtime_.now();
    readings.push_back({units(now.time_since_epoch()), units(starved_),
                        units(Nanoseconds{supply.times(now).slot_wait_ns})});
  }

  const TimedLine& line_;
  Runtime& runtime_;
  DrawnLoader loader_;
  Nanoseconds starved_{0};
};

inline std::vector<Reading> play(const TimedLine& line) {
  const auto runtime = make_simulated_runtime();
  TimedLineJob job(line, *runtime);
  runtime->run(job);
  return std::move(job.readings);
}

inline Times exponential(double mean, std::uint64_t seed) {
  return [mean, random = Random(seed)]() mutable { return random.exponential(mean); };
}
inline Times no_time() {
  return [] { return 0.0; };
}

}  // namespace benchbench::test
