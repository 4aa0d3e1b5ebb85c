// The GPU of a trial, by NVML.
#include "harness/trial/probes/gpu_watch.h"
#include "harness/trial/probes/probe.h"

namespace benchbench {
namespace {

class GpuProbe final : public Probe {
 public:
  GpuProbe(const GpuWatch& watch, GpuLevel level) : watch_(watch), level_(level) {}
  std::optional<std::int64_t> sample() override { return watch_.level(level_); }
  std::string why() const override { return watch_.absent(level_); }

 private:
  const GpuWatch& watch_;
  const GpuLevel level_;
};

MakeProbe probe_of_gpu(GpuLevel wanted) {
  return [wanted](ProbeContext& context, std::string& why) -> Made {
    why = context.gpu->absent(wanted);
    return why.empty() ? std::make_unique<GpuProbe>(*context.gpu, wanted) : nullptr;
  };
}

// In the order of GpuLevel.
constexpr struct {
  std::string_view name, unit;
  ProbeBase base;
  std::string_view watches;
} kLevels[] = {
    {"gpu_busy", "share", ProbeBase::percent,
     "time in which a kernel of any process ran on the GPU"},
    {"gpu_memory_busy", "share", ProbeBase::percent,
     "time in which the GPU's memory was read or written"},
    {"gpu_memory", "bytes", ProbeBase::bytes, "memory of the GPU in use by all processes"},
    {"gpu_clock", "Hz", ProbeBase::hertz, "clock of the GPU's processors"},
    {"gpu_memory_clock", "Hz", ProbeBase::hertz, "clock of the GPU's memory"},
    {"gpu_power", "W", ProbeBase::count, "power that the GPU takes"},
    {"gpu_temperature", "C", ProbeBase::count, "temperature of the GPU"},
    {"gpu_received", "bytes/s", ProbeBase::bytes, "received by the GPU over PCIe"},
    {"gpu_sent", "bytes/s", ProbeBase::bytes, "sent by the GPU over PCIe"},
};

std::vector<ProbeRow> make_rows() {
  std::vector<ProbeRow> rows;
  for (const auto& [name, unit, base, watches] : kLevels)
    rows.push_back({name, unit, ProbeKind::level, base, ProbeScope::machine, watches,
                    probe_of_gpu(static_cast<GpuLevel>(rows.size()))});
  return rows;
}

}  // namespace

std::span<const ProbeRow> gpu_probe_rows() {
  static const std::vector<ProbeRow> rows = make_rows();
  return rows;
}

}  // namespace benchbench
