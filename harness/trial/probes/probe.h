// One thing that is looked at beside a measured window: the machine, the group, the process.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/core/units.h"
#include "harness/trial/probes/kernel_file.h"

namespace benchbench {

class GpuWatch;

// What probes are made from. Outlives them.
struct ProbeContext {
  // Stands before /proc and /sys; tests bring a machine of their own.
  std::filesystem::path root = "/";
  std::string dataset;  // path of the data the loader reads; empty where it reads none
  // CPU time by role, so far; nullopt where the role has no thread of its own. Any thread may call
  // them.
  std::function<std::optional<Nanoseconds>()> loader_cpu, trainer_cpu, process_cpu, probes_cpu;
  std::optional<long> trainer_thread;  // its id, as /proc/self/task names it
  // The watch of the device that the trial runs on; null: none, and no rows for it.
  const GpuWatch* gpu = nullptr;
  KernelFiles files;

  std::string path(std::string_view below) const { return (root / below).string(); }
};

// A level is a value of its own ("runnable"); a counter grows, and what it grew by in a second is
// the number.
enum class ProbeKind : std::uint8_t { level, counter };

// Whom it watches. `instrument`: what measuring itself costs and writes, from this process.
enum class ProbeScope : std::uint8_t { process, machine, instrument };

// What a reading is counted in. A counter of ns is told as a share of time (or, over all CPUs, as
// cores), a level in percent as a share.
enum class ProbeBase : std::uint8_t { ns, bytes, count, hertz, percent };

class Probe {
 public:
  virtual ~Probe() = default;
  // The level or the counter now, in its base; nullopt where it could not be read this time. Called
  // by one thread at a time; cheap, without waiting.
  virtual std::optional<std::int64_t> sample() = 0;
  // Why the last one could not be read, where that is known.
  virtual std::string why() const { return {}; }
};

// One line of the table. `make` returns null and says why where this machine does not have it.
struct ProbeRow {
  std::string_view name;  // its series is "probe_" + name
  // The unit of the mean, least and most: "cores", "share", "bytes/s", "bytes", "1/s", "count",
  // "Hz".
  std::string_view unit;
  ProbeKind kind;
  ProbeBase base;            // of the readings and of the series
  ProbeScope scope;          // the machine's has the group's, too
  std::string_view watches;  // in plain words
  std::unique_ptr<Probe> (*make)(ProbeContext& context, std::string& why);
};

std::span<const ProbeRow> probe_rows() noexcept;
// Those of a trial with a GpuWatch.
std::span<const ProbeRow> gpu_probe_rows() noexcept;

// A probe that reads one file and takes a number from its text. Null, with why, where it cannot be
// read now.
using TakeNumber = std::function<std::optional<std::int64_t>(std::string_view text)>;
std::unique_ptr<Probe> probe_of_file(ProbeContext& context, const std::string& path,
                                     TakeNumber take, std::string& why);
// The first of several files that can be read: cgroups have two versions.
std::unique_ptr<Probe> probe_of_files(ProbeContext& context, std::span<const std::string> paths,
                                      const TakeNumber& take, std::string& why);

// --- one function a row, each family in its own file
namespace probes {
using Made = std::unique_ptr<Probe>;
Made cpu_loader(ProbeContext&, std::string& why);
Made cpu_trainer(ProbeContext&, std::string& why);
Made cpu_other(ProbeContext&, std::string& why);
Made cpu_probes(ProbeContext&, std::string& why);
Made runnable(ProbeContext&, std::string& why);
Made run_delay(ProbeContext&, std::string& why);
Made steal(ProbeContext&, std::string& why);
Made cpu_busy(ProbeContext&, std::string& why);
Made throttled(ProbeContext&, std::string& why);
Made pressure_cpu(ProbeContext&, std::string& why);
Made pressure_io(ProbeContext&, std::string& why);
Made pressure_memory(ProbeContext&, std::string& why);
Made group_pressure_cpu(ProbeContext&, std::string& why);
Made group_pressure_io(ProbeContext&, std::string& why);
Made group_pressure_memory(ProbeContext&, std::string& why);
Made memory(ProbeContext&, std::string& why);
Made group_memory(ProbeContext&, std::string& why);
Made group_memory_used(ProbeContext&, std::string& why);
Made host_memory(ProbeContext&, std::string& why);
Made faults_minor(ProbeContext&, std::string& why);
Made faults_major(ProbeContext&, std::string& why);
Made bytes_asked(ProbeContext&, std::string& why);
Made bytes_read(ProbeContext&, std::string& why);
Made bytes_written(ProbeContext&, std::string& why);
Made device_read(ProbeContext&, std::string& why);
Made device_written(ProbeContext&, std::string& why);
Made network_received(ProbeContext&, std::string& why);
Made network_sent(ProbeContext&, std::string& why);
Made cpu_clock(ProbeContext&, std::string& why);
}  // namespace probes

}  // namespace benchbench
