// What a device did, by the names of its members in the store: a part of fields.h, which is the one
// to include.
#pragma once
#include "harness/record/like.h"
#include "harness/record/trial_record.h"

namespace benchbench {

void visit_fields(Like<GpuFacts> auto& g, auto&& visit) {
  visit("name", g.name);
  visit("model", g.model);
  visit("uuid", g.uuid);
  visit("absent", g.absent);
  visit("throttled", g.throttled);
  visit("limited", g.limited);
  visit("power_capped_share", g.power_capped_share);
  visit("joules", g.joules);
  visit("power_limit_watts", g.power_limit_watts);
  visit("pcie_generation", g.pcie_generation);
  visit("pcie_width", g.pcie_width);
  visit("foreign", g.foreign);
  visit("uncorrected", g.uncorrected);
  visit("divided", g.divided);
  visit("memory_bytes", g.memory_bytes);
}

void visit_fields(Like<DeviceFacts> auto& d, auto&& visit) {
  visit("steps", d.steps);
  visit("copies", d.copies);
  visit("copied_bytes", d.copied_bytes);
  visit("copy_ns", d.copy_ns);
  visit("copy_exposed_ns", d.copy_exposed_ns);
  visit("idle_for_data_ns", d.idle_for_data_ns);
  visit("span_ns", d.span_ns);
  visit("gaps_ns", d.gaps_ns);
  visit("calls", d.calls);
  visit("name", d.name);
  visit("model", d.model);
  visit("uuid", d.uuid);
  visit("kernel_deviation_share", d.kernel_deviation_share);
}

}  // namespace benchbench
