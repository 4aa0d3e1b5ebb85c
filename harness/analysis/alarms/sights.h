// What each alarm looks at: one function a row of the table in alarm.cpp.
#pragma once
#include "harness/analysis/alarms/alarm.h"

namespace benchbench::alarms {

struct Sight {
  std::vector<AlarmSeen> seen = {};
  bool measured = false;  // with nothing seen: there was no case to judge
  std::string why = {};   // where it was not measured
};

struct Scene {
  const Plan& plan;
  const JudgedTrials& trials;
};

using Look = Sight(const Scene& scene);
Look memory, cores, throttled, memory_growth, loader_growth, exposed_wait, other_writes, disk,
    network, device_idle, device_memory;

}  // namespace benchbench::alarms
