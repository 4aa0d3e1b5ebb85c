// One thing that is looked at beside a measured window: the machine, the group, the process.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

using Made = std::unique_ptr<Probe>;

// Makes one; null, and says why, where this machine does not have it.
using MakeProbe = std::function<Made(ProbeContext& context, std::string& why)>;

// One line of the table.
struct ProbeRow {
  std::string_view name;  // its series is "probe_" + name
  // The unit of the mean, least and most: "cores", "share", "bytes/s", "bytes", "1/s", "count",
  // "Hz".
  std::string_view unit;
  ProbeKind kind;
  ProbeBase base;            // of the readings and of the series
  ProbeScope scope;          // the machine's has the group's, too
  std::string_view watches;  // in plain words
  MakeProbe make;
};
std::span<const ProbeRow> probe_rows();
// Those of a trial with a GpuWatch.
std::span<const ProbeRow> gpu_probe_rows();

// A probe that asks a function.
Made probe_of(std::function<std::optional<std::int64_t>()> ask);

// A probe that reads one file and takes a number from its text. Null, with why, where it cannot be
// read now.
using TakeNumber = std::function<std::optional<std::int64_t>(std::string_view text)>;
Made probe_of_file(ProbeContext& context, const std::string& path, TakeNumber take,
                   std::string& why);
// The first of several files that can be read: cgroups have two versions.
Made probe_of_files(ProbeContext& context, std::span<const std::string> paths,
                    const TakeNumber& take, std::string& why);
// Returns a maker of probes of a file below the root.
MakeProbe number_in_file(std::string_view path, TakeNumber take);
// Returns a maker of probes of a file of our cgroup, `v1_file` of the controller in version 1. It
// makes none of the group that is the whole machine.
MakeProbe number_in_group(std::string_view file, TakeNumber take, std::string_view controller = {},
                          std::string_view v1_file = {});

// The table's rows, each family in its own file.
namespace probes {
using enum ProbeKind;
using enum ProbeBase;
using enum ProbeScope;

std::vector<ProbeRow> cpu_time_rows();
std::vector<ProbeRow> run_queue_rows();
std::vector<ProbeRow> pressure_rows();
std::vector<ProbeRow> memory_rows();
std::vector<ProbeRow> bytes_moved_rows();
Made network_received(ProbeContext& context, std::string& why);
Made cpu_clock(ProbeContext& context, std::string& why);
}  // namespace probes

}  // namespace benchbench
