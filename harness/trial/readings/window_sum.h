// A window's readings, added up over its segments.
#pragma once
#include <optional>

#include "harness/pipeline/thread_meter.h"
#include "harness/pipeline/worker_clock.h"
#include "harness/trial/device_feed/device_feed.h"
#include "harness/trial/readings/resources.h"

namespace benchbench {

// What is read off at an end of a segment, by the trainer's thread.
struct SegmentEdge {
  TimePoint at{};
  WorkerTimes workers;
  MeterTotals loaded;
  ResourceCounters resources;
  Nanoseconds loader_cpu{0};
  std::uint64_t checkpoints = 0;
  std::uint64_t background_samples = 0;
  DeviceTotals device;
};

// A window is one segment, or for cold data many with an eviction between them; what happens in
// between is nobody's.
struct WindowSum {
  std::uint32_t segments = 0;
  Nanoseconds time{0};
  WorkerTimes workers;
  MeterTotals loaded;   // by the workers
  MeterTotals trained;  // by the trainer's thread
  ResourceUse used;
  Nanoseconds loader_cpu{0};
  std::uint64_t checkpoints = 0;         // written whole
  std::uint64_t background_samples = 0;  // by the loader beside the trainer
  DeviceTotals device;                   // where there is one with memory of its own
  bool device_known = true;  // false: a segment was cut at a moment that is not the device's

  void add(const SegmentEdge& begin, const SegmentEdge& end, const MeterTotals& trained_in_it) {
    const ResourceUse use = used_between(begin.resources, end.resources);
    used = segments == 0 ? use : used + use;
    time += end.at - begin.at;
    workers += end.workers - begin.workers;
    loaded += end.loaded - begin.loaded;
    trained += trained_in_it;
    loader_cpu += end.loader_cpu - begin.loader_cpu;
    checkpoints += end.checkpoints - begin.checkpoints;
    background_samples += end.background_samples - begin.background_samples;
    device += end.device - begin.device;
    ++segments;
  }
};

}  // namespace benchbench
