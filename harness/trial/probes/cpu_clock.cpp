// How fast the CPUs run.
#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

// Enough for a mean; each file read may ask another CPU.
constexpr int kMaxCpus = 8;

// "cpu MHz\t\t: 2596.128".
std::optional<double> mhz_in(std::string_view line) {
  line.remove_prefix(std::min(line.find(':'), line.size() - 1) + 1);
  const std::string_view number = word(line, 0);
  double mhz = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), mhz);
  return read.ec == std::errc{} ? std::optional(mhz) : std::nullopt;
}

// One line a CPU.
std::optional<std::int64_t> from_cpuinfo(std::string_view text) {
  double sum = 0;
  int cpus = 0;
  for_each_line(text, [&](std::string_view line) {
    if (!line.starts_with("cpu MHz")) return true;
    const auto mhz = mhz_in(line);
    if (!mhz) return false;
    sum += *mhz;
    return ++cpus < kMaxCpus;
  });
  if (cpus == 0 || !(sum > 0)) return std::nullopt;
  return static_cast<std::int64_t>(sum / cpus * 1e6);
}

std::optional<std::int64_t> take_mean(const std::vector<std::shared_ptr<Probe>>& cpus) {
  std::int64_t sum = 0;
  for (const auto& cpu : cpus) {
    const auto hertz = cpu->sample();
    if (!hertz) return std::nullopt;
    sum += *hertz;
  }
  return sum / static_cast<std::int64_t>(cpus.size());
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
  if (!cpus.empty()) return probe_of([cpus = std::move(cpus)] { return take_mean(cpus); });
  auto probe = probe_of_file(context, context.path("proc/cpuinfo"), from_cpuinfo, why);
  if (!probe) why = its + "; " + why;
  return probe;
}

}  // namespace benchbench::probes
