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

}  // namespace

std::span<const ProbeRow> gpu_probe_rows() {
  using enum ProbeKind;
  using enum ProbeBase;
  using enum ProbeScope;
  static const std::vector<ProbeRow> rows{
      {"gpu_busy", "share", level, percent, machine,
       "time in which a kernel of any process ran on the GPU", probe_of_gpu(GpuLevel::busy)},
      {"gpu_memory_busy", "share", level, percent, machine,
       "time in which the GPU's memory was read or written", probe_of_gpu(GpuLevel::memory_busy)},
      {"gpu_memory", "bytes", level, bytes, machine, "memory of the GPU in use by all processes",
       probe_of_gpu(GpuLevel::memory)},
      {"gpu_clock", "Hz", level, hertz, machine, "clock of the GPU's processors",
       probe_of_gpu(GpuLevel::clock)},
      {"gpu_memory_clock", "Hz", level, hertz, machine, "clock of the GPU's memory",
       probe_of_gpu(GpuLevel::memory_clock)},
      {"gpu_power", "W", level, count, machine, "power that the GPU takes",
       probe_of_gpu(GpuLevel::power)},
      {"gpu_temperature", "C", level, count, machine, "temperature of the GPU",
       probe_of_gpu(GpuLevel::temperature)},
      {"gpu_received", "bytes/s", level, bytes, machine, "received by the GPU over PCIe",
       probe_of_gpu(GpuLevel::received)},
      {"gpu_sent", "bytes/s", level, bytes, machine, "sent by the GPU over PCIe",
       probe_of_gpu(GpuLevel::sent)},
  };
  return rows;
}

}  // namespace benchbench
