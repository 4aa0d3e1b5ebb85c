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

Sight memory(const Scene& scene);
Sight cores(const Scene& scene);
Sight throttled(const Scene& scene);
Sight memory_growth(const Scene& scene);
Sight loader_growth(const Scene& scene);
Sight exposed_wait(const Scene& scene);
Sight other_writes(const Scene& scene);
Sight disk(const Scene& scene);
Sight network(const Scene& scene);
Sight device_idle(const Scene& scene);
Sight device_memory(const Scene& scene);

}  // namespace benchbench::alarms
