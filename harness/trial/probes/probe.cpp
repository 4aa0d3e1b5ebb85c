#include "harness/trial/probes/probe.h"

#include <array>

namespace benchbench {
namespace {

using enum ProbeKind;
using enum ProbeBase;
using enum ProbeScope;

constexpr std::array kRows{
    ProbeRow{"cpu_loader", "cores", counter, ns, process, "CPU time of the loader's workers",
             probes::cpu_loader},
    ProbeRow{"cpu_trainer", "cores", counter, ns, process, "CPU time of the trainer's thread",
             probes::cpu_trainer},
    ProbeRow{"cpu_other", "cores", counter, ns, process,
             "CPU time of the process's other threads, including a step's intra-op threads",
             probes::cpu_other},
    ProbeRow{"cpu_probes", "cores", counter, ns, instrument, "CPU time of the probes themselves",
             probes::cpu_probes},
    ProbeRow{"runnable", "count", level, count, machine, "runnable threads of the whole machine",
             probes::runnable},
    ProbeRow{"run_delay", "share", counter, ns, process,
             "time the trainer's thread was runnable but had no CPU", probes::run_delay},
    ProbeRow{"steal", "cores", counter, ns, machine,
             "CPU time the hypervisor gave to other guests (steal)", probes::steal},
    ProbeRow{"cpu_busy", "cores", counter, ns, machine,
             "CPU time that any program had of the CPUs that this process may use",
             probes::cpu_busy},
    ProbeRow{"throttled", "share", counter, ns, machine,
             "time the cgroup was throttled by its CPU quota", probes::throttled},
    ProbeRow{"pressure_cpu", "share", counter, ns, machine,
             "time in which some task on this machine was stalled on CPU", probes::pressure_cpu},
    ProbeRow{"pressure_io", "share", counter, ns, machine,
             "time in which some task on this machine was stalled on I/O", probes::pressure_io},
    ProbeRow{"pressure_memory", "share", counter, ns, machine,
             "time in which some task on this machine was stalled on memory",
             probes::pressure_memory},
    ProbeRow{"group_pressure_cpu", "share", counter, ns, machine,
             "the same for our cgroup: stalled on CPU", probes::group_pressure_cpu},
    ProbeRow{"group_pressure_io", "share", counter, ns, machine,
             "the same for our cgroup: stalled on I/O", probes::group_pressure_io},
    ProbeRow{"group_pressure_memory", "share", counter, ns, machine,
             "the same for our cgroup: stalled on memory", probes::group_pressure_memory},
    ProbeRow{"memory", "bytes", level, bytes, process, "resident memory of the process",
             probes::memory},
    ProbeRow{"group_memory", "bytes", level, bytes, machine,
             "memory of the cgroup, including its page cache", probes::group_memory},
    ProbeRow{"group_memory_used", "bytes", level, bytes, machine,
             "memory of the cgroup without its page cache", probes::group_memory_used},
    ProbeRow{"host_memory", "bytes", level, bytes, machine,
             "memory of this machine that is not available to new programs", probes::host_memory},
    ProbeRow{"faults_minor", "1/s", counter, count, process, "page faults that needed no disk",
             probes::faults_minor},
    ProbeRow{"faults_major", "1/s", counter, count, process, "page faults that read from a disk",
             probes::faults_major},
    ProbeRow{"bytes_asked", "bytes/s", counter, bytes, process,
             "requested by read calls of the process", probes::bytes_asked},
    ProbeRow{"bytes_read", "bytes/s", counter, bytes, process,
             "fetched from block devices for the process", probes::bytes_read},
    ProbeRow{"bytes_written", "bytes/s", counter, bytes, instrument,
             "written by the process to storage", probes::bytes_written},
    ProbeRow{"device_read", "bytes/s", counter, bytes, machine,
             "read from the dataset's device by all processes", probes::device_read},
    ProbeRow{"device_written", "bytes/s", counter, bytes, machine,
             "written to the dataset's device by all processes", probes::device_written},
    ProbeRow{"network_received", "bytes/s", counter, bytes, machine,
             "received on all interfaces except loopback", probes::network_received},
    ProbeRow{"network_sent", "bytes/s", counter, bytes, machine,
             "sent on all interfaces except loopback", probes::network_sent},
    ProbeRow{"cpu_clock", "Hz", level, hertz, machine, "mean clock frequency of the CPUs",
             probes::cpu_clock},
};

class FileProbe final : public Probe {
 public:
  FileProbe(KernelFiles& files, KernelFile& file, TakeNumber take)
      : files_(files), file_(file), take_(std::move(take)) {}
  std::optional<std::int64_t> sample() override {
    const std::string_view text = file_.text(files_.tick());
    return text.empty() ? std::nullopt : take_(text);
  }
  std::string why() const override { return file_.why(); }

 private:
  KernelFiles& files_;
  KernelFile& file_;
  TakeNumber take_;
};

}  // namespace

std::span<const ProbeRow> probe_rows() noexcept { return kRows; }

std::unique_ptr<Probe> probe_of_file(ProbeContext& context, const std::string& path,
                                     TakeNumber take, std::string& why) {
  KernelFile& file = context.files.at(path);
  auto probe = std::make_unique<FileProbe>(context.files, file, std::move(take));
  if (probe->sample()) return probe;
  why = file.why().empty() ? path + " does not report it" : file.why();
  return nullptr;
}

std::unique_ptr<Probe> probe_of_files(ProbeContext& context, std::span<const std::string> paths,
                                      const TakeNumber& take, std::string& why) {
  std::string all;
  for (const std::string& path : paths) {
    if (auto probe = probe_of_file(context, path, take, why)) return probe;
    all += (all.empty() ? "" : "; ") + why;
  }
  why = paths.empty() ? "this process is in no such cgroup" : all;
  return nullptr;
}

}  // namespace benchbench
