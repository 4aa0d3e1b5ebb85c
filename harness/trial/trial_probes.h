// The probes of one trial: what they look at, and what their readings come to.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/trial/probes/sampler.h"

namespace benchbench {

class GpuWatch;
class Supply;

struct ProbeResults {
  bool measured = false;  // a segment of the window ended; else nothing is to be told
  std::vector<ProbeFacts> probes;
  std::map<std::string, std::vector<std::int64_t>> series;  // "probe_<name>", those worth a file
  std::optional<std::uint64_t> bytes_written_there;         // to the data's device, by anyone
  std::optional<std::uint64_t> bytes_written;  // by us, where that lies on the data's device
  std::int64_t cost_ns = 0;                    // CPU time of looking
};

// Without those that look at this process alone: where its loader or its trainer is in another one,
// they would show half of what they are called.
ProbeResults of_the_machine(ProbeResults results);

// Made, started and stopped by the trainer's thread.
class TrialProbes {
 public:
  // `dataset`: path of the data the loader reads; empty where it reads none. `supply`: whose
  // workers' CPU time is watched; null where there are none. `gpu`: of the trial's device, null
  // where that is none. Both outlive the probes.
  TrialProbes(Runtime& runtime, Nanoseconds every, std::string dataset, const Supply* supply,
              GpuWatch* gpu);
  void begin_segment();
  void end_segment();
  // Before the workers' end, whose CPU time they read.
  void stop() { sampler_.stop(); }
  // After stop(), once.
  ProbeResults results();

 private:
  GpuWatch* const gpu_;
  ProbeContext context_;
  ProbeSampler sampler_;
  bool measured_ = false;
};

}  // namespace benchbench
