#include "harness/app/doctor/checks.h"

#include <fmt/format.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/app/doctor/cuda_devices.h"
#include "harness/app/doctor/data_path.h"
#include "harness/app/doctor/devices.h"
#include "harness/app/doctor/disk.h"
#include "harness/app/doctor/speed.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/dataset/free_space.h"
#include "harness/trial/readings/utc_now.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;
using enum DoctorVerdict;

constexpr double kGiB = 1ull << 30;

DoctorCheck note_if(bool holds, const std::string& name, const std::string& value,
                    const std::string& advice) {
  return holds ? DoctorCheck{name, value, note, advice} : DoctorCheck{name, value, ok, ""};
}

// Ticks that all CPUs spent, and those of them that the hypervisor gave to somebody else.
struct CpuTicks {
  double all = 0;
  double stolen = 0;
};
CpuTicks cpu_ticks() {
  std::ifstream in("/proc/stat");
  std::string word;
  in >> word;  // user nice system idle iowait irq softirq steal
  CpuTicks ticks;
  double value = 0;
  for (int field = 0; field < 8 && in >> value; ++field) {
    ticks.all += value;
    if (field == 7) ticks.stolen = value;
  }
  return ticks;
}

// By the bare system call: the program needs no library to ask.
int io_uring_refusal() noexcept {
  io_uring_params parameters{};
  const long ring = ::syscall(SYS_io_uring_setup, 2, &parameters);
  if (ring < 0) return errno;
  ::close(static_cast<int>(ring));
  return 0;
}

std::string rate(double bytes_per_second) { return human_bytes(bytes_per_second) + "/s"; }

// Every speed beside the one that `doctor --write` kept, if it was this machine.
class Speeds {
 public:
  Speeds(const DoctorPlaces& places, const Environment& environment, DoctorFindings& out)
      : out_(out) {
    try {
      if (auto kept = read_ceilings(places.cache_folder);
          kept && kept->machine == environment.machine)
        before_ = *kept;
      if (cuda_devices().devices.empty() || before_.gpu != cuda_devices().devices.front().uuid)
        before_.forget_gpu();
    } catch (const Error& error) {
      out_.checks.push_back(
          {"machine.yaml", std::string(error.message()), note, std::string(error.hint())});
    }
  }
  void add(const std::string& name, double Ceilings::* which, double now,
           const std::string& value) {
    out_.ceilings.*which = now;
    // Arithmetic is steady on a healthy machine; memory and disk are shared with whoever else is on
    // the host.
    const bool clock = which == &Ceilings::cpu_clock || which == &Ceilings::gpu_clock;
    const double min_share = clock ? 0.97 : which == &Ceilings::multiply_add_per_second ? 0.9 : 0.7;
    out_.checks.push_back(check_speed(name, now, before_.*which, min_share, value));
  }

 private:
  DoctorFindings& out_;
  Ceilings before_;
};

void add_disk(Speeds& speeds, DoctorFindings& out, const std::string& folder,
              const Runtime& runtime) {
  const DiskSpeed disk = measure_disk(folder, runtime);
  if (!disk.problem.empty())
    out.checks.push_back(
        {"disk", disk.problem, note, "storage figures are not controlled on this file system"});
  if (disk.write > 0) {
    out.checks.push_back({"disk write",
                          fmt::format("{} ({} and fdatasync)", rate(disk.write),
                                      human_bytes(static_cast<double>(disk.bytes))),
                          ok, ""});
  }
  if (disk.read_cold > 0)
    speeds.add("disk read, cold", &Ceilings::disk_read_cold, disk.read_cold,
               rate(disk.read_cold) + " (evicted, proven by mincore)");
  if (disk.read_warm > 0)
    speeds.add("disk read, warm", &Ceilings::disk_read_warm, disk.read_warm, rate(disk.read_warm));
}

void add_data(Speeds& speeds, DoctorFindings& out, const DoctorPlaces& places, Runtime& runtime) {
  const bool network_cache = places.data.empty() && find_mount(places.cache_folder).network;
  if (places.data.empty() && !network_cache) return;
  const DataPath path = examine_data(network_cache ? places.cache_folder : places.data, runtime);
  out.checks.insert(out.checks.end(), path.checks.begin(), path.checks.end());
  if (path.network > 0) speeds.add("network", &Ceilings::network, path.network, path.value);
}

DoctorCheck space_at(const std::string& name, const std::string& path, std::uint64_t min,
                     std::uint64_t comfortable) {
  const std::string folder = nearest_folder(path).string();
  const bool writable = ::access(folder.c_str(), W_OK) == 0;
  std::uint64_t bytes = 0;
  try {
    bytes = free_space(folder).bytes;
  } catch (const Error& error) {
    return {name, std::string(error.message()), blocker, "choose a folder on another disk"};
  }
  return check_space(name, path, writable, bytes, min, comfortable);
}

}  // namespace

DoctorCheck check_cpus(const Environment& e) {
  const std::string value =
      fmt::format("{} usable of {} by affinity, {}; {}", e.cpus_usable, e.cpus_online,
                  e.cpu_quota > 0 ? fmt::format("quota of {:.3g} cores", e.cpu_quota) : "no quota",
                  e.cpu_model);
  if (e.cores_available < 1)
    return {"cpus", value, blocker,
            "less than one core gives no steady measurement: raise the quota"};
  if (e.cores_available < 2)
    return {"cpus", value, note,
            "loader and trainer share one core: a pipeline cannot overlap them"};
  return note_if(e.cpu_quota > 0 && e.cpu_quota < e.cpus_usable, "cpus", value,
                 "the quota throttles in slices of about 10 ms, which appear as stalls; "
                 "num_workers beyond it does not help");
}

DoctorCheck check_memory(const Environment& e) {
  const auto bytes = static_cast<double>(e.memory_bytes);
  const std::string value = human_bytes(bytes) + " usable";
  if (bytes < kGiB) return {"memory", value, blocker, "a training step of a ResNet does not fit"};
  return note_if(bytes < 4 * kGiB, "memory", value,
                 "keep batches small; `benchbench plan` shows what a scenario needs");
}

DoctorCheck check_governor(const std::string& governor) {
  const bool slow = governor == "powersave" || governor == "ondemand" ||
                    governor == "conservative" || governor == "schedutil";
  return note_if(
      slow, "governor", governor,
      "CPU clocks follow the load; for steady results: cpupower frequency-set -g performance");
}

DoctorCheck check_io_uring(int refused) {
  if (refused == 0) return {"io_uring", "allowed", ok, ""};
  return {"io_uring", fmt::format("refused: {}", std::strerror(refused)), note,
          "trials with loader.io: io_uring are skipped; check kernel.io_uring_disabled and the "
          "container's seccomp profile"};
}

DoctorCheck check_steal(double share) {
  return note_if(
      share > 0.01, "steal", fmt::format("{:.1f} % while this ran", 100 * share),
      "other guests on this host take CPU time: repeat at a quieter time or use more rounds");
}

DoctorCheck check_load(double load, double cores) {
  const bool high = load > 0.5 * cores + 1;  // 1 is ourselves
  return note_if(high, "load", fmt::format("{:.2f} on {:.3g} cores (last minute)", load, cores),
                 "other processes are running and will affect the results");
}

DoctorCheck check_timer(double lateness_ns, double plain_sleep_ns) {
  return note_if(lateness_ns > 50'000, "timers",
                 fmt::format("1 ms waits end {:.1f} us late (plain sleep: {:.1f} us)",
                             lateness_ns / 1e3, plain_sleep_ns / 1e3),
                 "mocks with times under 1 ms will be slower than configured");
}

DoctorCheck check_speed(const std::string& name, double now, double before, double min_share,
                        const std::string& value) {
  if (before <= 0) return {name, value, ok, ""};
  return note_if(now < min_share * before, name,
                 fmt::format("{}; {:.0f} % of the rate in machine.yaml", value, 100 * now / before),
                 "the machine is slower than before: do not compare with earlier results");
}

DoctorCheck check_space(const std::string& name, const std::string& folder, bool writable,
                        std::uint64_t bytes, std::uint64_t min, std::uint64_t comfortable) {
  const std::string value =
      fmt::format("{} free in {}", human_bytes(static_cast<double>(bytes)), folder);
  if (!writable) return {name, value + ", not writable", blocker, "choose another folder"};
  if (bytes < min)
    return {name, value, blocker,
            fmt::format("at least {} are needed", human_bytes(static_cast<double>(min)))};
  return note_if(bytes < comfortable, name, value,
                 "enough for small datasets only; `benchbench plan` shows what a scenario needs");
}

// Of cuda:0, measured by a child: a driver that hangs or crashes costs nothing here.
void add_link(Speeds& speeds, DoctorFindings& out) {
  out.ceilings.gpu = cuda_devices().devices.front().uuid;
  const cuda::LinkSurvey link = cuda::link_of_child();
  if (!link.why.empty()) {
    out.checks.push_back({"link to cuda:0", "not measured: " + link.why, note,
                          "rates of copies are not compared with what the link can do"});
    return;
  }
  const cuda::LinkSpeeds& s = link.speeds;
  const auto add = [&](const char* name, double Ceilings::* which, double now,
                       const std::string& how) { speeds.add(name, which, now, rate(now) + how); };
  const std::string copies = ", copies of " + human_bytes(double{cuda::kLinkCopyBytes});
  add("link to cuda:0", &Ceilings::link_to_device, s.to_device, ", pinned memory");
  add("link from cuda:0", &Ceilings::link_from_device, s.from_device, ", pinned memory");
  add("pageable to cuda:0", &Ceilings::link_pageable_to_device, s.pageable_to_device, copies);
  add("pageable from cuda:0", &Ceilings::link_pageable_from_device, s.pageable_from_device, copies);
  if (s.memory > 0)
    add("memory of cuda:0", &Ceilings::device_memory, s.memory, ", read by a kernel");
  if (!(s.clock > 0))
    out.checks.push_back({"clock of cuda:0", "not measured: NVML does not say it", note, ""});
  if (s.clock > 0)
    speeds.add("clock of cuda:0", &Ceilings::gpu_clock, s.clock,
               fmt::format("{:.0f} MHz at work", s.clock / 1e6));
}

DoctorFindings examine_machine(const DoctorPlaces& places, Runtime& runtime,
                               const DoctorProgress& progress) {
  DoctorFindings out;
  const Environment environment = observe_environment();
  out.ceilings.machine = environment.machine;
  out.ceilings.cpu_model = environment.cpu_model;
  out.ceilings.measured = utc_now();
  std::error_code ignored;
  fs::create_directories(places.cache_folder, ignored);
  const CpuTicks before = cpu_ticks();

  out.checks.push_back(check_cpus(environment));
  out.checks.push_back(check_memory(environment));
  out.checks.push_back(check_governor(environment.governor));
  out.checks.push_back({"huge pages", environment.huge_pages, ok, ""});
  out.checks.push_back(check_io_uring(io_uring_refusal()));
  double load = 0;
  if (::getloadavg(&load, 1) == 1)
    out.checks.push_back(check_load(load, environment.cores_available));

  Speeds speeds(places, environment, out);
  progress("arithmetic");
  const double flops = multiply_adds_per_second(runtime);
  speeds.add("multiply-add", &Ceilings::multiply_add_per_second, flops,
             fmt::format("{:.1f} GFLOP/s, one thread", flops / 1e9));
  std::string why;
  const auto busy = static_cast<unsigned>(std::max(1.0, std::ceil(environment.cores_available)));
  if (const auto clock = busy_clock(runtime, busy, why))
    speeds.add("cpu clock", &Ceilings::cpu_clock, *clock,
               fmt::format("{:.0f} MHz with {} thread{} at work", *clock / 1e6, busy,
                           busy == 1 ? "" : "s"));
  else
    out.checks.push_back({"cpu clock", "not available: " + why, ok, ""});
  progress("memory");
  const double copied = memory_copy_rate(runtime);
  speeds.add("memory copy", &Ceilings::memory_copy, copied, rate(copied) + ", one thread");
  progress("timers");
  const TimerLateness late = timer_lateness(runtime);
  out.checks.push_back(check_timer(late.hybrid_ns, late.sleep_ns));
  progress("disk");
  add_disk(speeds, out, places.cache_folder, runtime);
  progress("the way to the data");
  add_data(speeds, out, places, runtime);
  out.checks.push_back(space_at("cache folder", places.cache_folder, 1ull << 30, 10ull << 30));
  out.checks.push_back(space_at("results folder", places.results_folder, 100ull << 20, 1ull << 30));
  progress("torch and CUDA");
  out.checks.push_back(check_torch());
  out.checks.push_back(check_cuda(cuda_devices()));
  if (!cuda_devices().devices.empty()) {
    progress("the link to cuda:0");
    add_link(speeds, out);
  }

  const CpuTicks after = cpu_ticks();
  if (after.all > before.all)
    out.checks.push_back(check_steal((after.stolen - before.stolen) / (after.all - before.all)));
  return out;
}

}  // namespace benchbench
