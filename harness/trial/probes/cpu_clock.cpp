// How fast the CPUs run.
#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

// Enough for a mean; each file read may ask another CPU.
constexpr int kMaxCpus = 8;

// "cpu MHz\t\t: 2596.128", one a CPU.
std::optional<std::int64_t> from_cpuinfo(std::string_view text) {
  double sum = 0;
  int cpus = 0;
  for (std::size_t at = text.find("cpu MHz"); at != text.npos && cpus < kMaxCpus;
       at = text.find("cpu MHz", at + 1)) {
    const std::size_t colon = text.find(':', at);
    if (colon == text.npos) break;
    const std::string_view number = word(text.substr(colon + 1), 0);
    double mhz = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), mhz).ec != std::errc{}) break;
    sum += mhz;
    ++cpus;
  }
  if (cpus == 0 || !(sum > 0)) return std::nullopt;
  return static_cast<std::int64_t>(sum / cpus * 1e6);
}

}  // namespace

Made cpu_clock(ProbeContext& context, std::string& why) {
  std::vector<std::shared_ptr<Probe>> cpus;
  std::string its;
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    const std::string path =
        context.path(fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu));
    Made probe = probe_of_file(
        context, path, [](std::string_view khz) { return scaled(first_number(khz), 1000); }, its);
    if (!probe) break;
    cpus.push_back(std::move(probe));
  }
  if (!cpus.empty())
    return probe_of([cpus = std::move(cpus)]() -> std::optional<std::int64_t> {
      std::int64_t sum = 0;
      for (const auto& cpu : cpus) {
        const auto its_hertz = cpu->sample();
        if (!its_hertz) return std::nullopt;
        sum += *its_hertz;
      }
      return sum / static_cast<std::int64_t>(cpus.size());
    });
  auto probe = probe_of_file(context, context.path("proc/cpuinfo"), from_cpuinfo, why);
  if (!probe) why = its + "; " + why;
  return probe;
}

}  // namespace benchbench::probes
