// The probes of one trial: what they look at, and what their readings come to.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trial/probes/sampler.h"

namespace benchbench {

class CardSearch;
class GpuWatch;
class Supply;

struct ProbeResults {
  bool measured = false;  // a segment of the window ended; else nothing is to be told
  std::vector<ProbeFacts> probes;
  std::map<std::string, std::vector<std::int64_t>> series;  // "probe_<name>", those worth a file
  std::optional<std::uint64_t> bytes_written_there;         // to the data's device, by anyone
  std::optional<std::uint64_t> bytes_written;  // by us, where that lies on the data's device
  std::int64_t cost_ns = 0;                    // CPU time of looking
  std::optional<GpuFacts> gpu;                 // nullopt where no card was watched
  bool gpu_is_assumed = false;  // the card of trainer.device: NVML listed no process of the trial
};

// Without those that look at this process alone: where its loader or its trainer is in another one,
// they would show half of what they are called.
ProbeResults of_the_machine(ProbeResults results);

// Made, started and stopped by the trainer's thread.
class TrialProbes {
 public:
  // All that is pointed to outlives the probes.
  struct Order {
    Runtime& runtime;
    Nanoseconds every;
    std::string dataset = {};  // path of the data the loader reads; "" where it reads none
    const Supply* supply =
        nullptr;              // whose workers' CPU time is watched; null where there are none
    GpuWatch* gpu = nullptr;  // of the trial's own context; null where it has none
    const CardSearch* cards = nullptr;  // then: where the card of its processes is looked for
    int root = 0;                       // at and below this process; 0: at and below this one
    std::string_view device = "cpu";    // that the scenario names
    std::span<const ProbeRow> rows = probe_rows();
  };
  explicit TrialProbes(Order order);
  ~TrialProbes();
  // Looks for the card of the processes of the order, while none is known; at most once a second.
  void look_for_card();
  // Before the first one the card is looked for once more.
  void begin_segment();
  void end_segment();
  // Before the workers' end, whose CPU time they read.
  void stop() { sampler_.stop(); }
  // After stop(), once.
  ProbeResults results();

 private:
  void watch(std::unique_ptr<GpuWatch> found);
  bool seeks_card() const noexcept { return cards_ && !gpu_ && !begun_; }

  Runtime& runtime_;
  const CardSearch* const cards_;
  const int root_;
  const std::string device_;
  std::unique_ptr<GpuWatch> found_;
  GpuWatch* gpu_;
  ProbeContext context_;
  ProbeSampler sampler_;
  TimePoint next_look_{};
  bool begun_ = false, measured_ = false, gpu_is_assumed_ = false;
};

}  // namespace benchbench
