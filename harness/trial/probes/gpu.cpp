// The GPU of a trial, by NVML.
#include <array>

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

template <GpuLevel kLevel>
std::unique_ptr<Probe> make(ProbeContext& context, std::string& why) {
  why = context.gpu->absent(kLevel);
  return why.empty() ? std::make_unique<GpuProbe>(*context.gpu, kLevel) : nullptr;
}

using enum ProbeKind;
using enum ProbeBase;
using enum ProbeScope;

constexpr std::array kGpuRows{
    ProbeRow{"gpu_busy", "share", level, percent, machine,
             "time in which a kernel of any process ran on the GPU", make<GpuLevel::busy>},
    ProbeRow{"gpu_memory_busy", "share", level, percent, machine,
             "time in which the GPU's memory was read or written", make<GpuLevel::memory_busy>},
    ProbeRow{"gpu_memory", "bytes", level, bytes, machine,
             "memory of the GPU in use by all processes", make<GpuLevel::memory>},
    ProbeRow{"gpu_clock", "Hz", level, hertz, machine, "clock of the GPU's processors",
             make<GpuLevel::clock>},
    ProbeRow{"gpu_memory_clock", "Hz", level, hertz, machine, "clock of the GPU's memory",
             make<GpuLevel::memory_clock>},
    ProbeRow{"gpu_power", "W", level, count, machine, "power that the GPU takes",
             make<GpuLevel::power>},
    ProbeRow{"gpu_temperature", "C", level, count, machine, "temperature of the GPU",
             make<GpuLevel::temperature>},
    ProbeRow{"gpu_received", "bytes/s", level, bytes, machine, "received by the GPU over PCIe",
             make<GpuLevel::received>},
    ProbeRow{"gpu_sent", "bytes/s", level, bytes, machine, "sent by the GPU over PCIe",
             make<GpuLevel::sent>},
};

}  // namespace

std::span<const ProbeRow> gpu_probe_rows() noexcept { return kGpuRows; }

}  // namespace benchbench
