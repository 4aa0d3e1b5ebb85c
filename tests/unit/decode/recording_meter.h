// A meter that keeps what it is told.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/part/stage_meter.h"

namespace benchbench::test {

class RecordingMeter final : public StageMeter {
 public:
  struct Fault {
    SampleId id;
    SampleFault kind;
    std::string where, what;
  };
  void record(StepNumber, Stage stage, Nanoseconds time) override { times[stage] += time; }
  void payload(SampleId, std::span<const std::byte> stored) override {
    payload_bytes += stored.size();
  }
  void bytes_read(std::uint64_t count) override { read_bytes += count; }
  void fault(SampleId id, SampleFault kind, std::string_view where,
             std::string_view what) override {
    faults.push_back({id, kind, std::string(where), std::string(what)});
  }
  bool stages_wanted() const noexcept override { return wanted; }

  std::map<Stage, Nanoseconds> times;
  std::vector<Fault> faults;
  std::uint64_t payload_bytes = 0;
  std::uint64_t read_bytes = 0;
  bool wanted = true;
};

}  // namespace benchbench::test
