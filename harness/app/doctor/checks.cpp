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
  return holds ? DoctorCheck{name, value, note, advice} : DoctorCheck{name, value};
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
  if (refused == 0) return {"io_uring", "allowed"};
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
  if (before <= 0) return {name, value};
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

namespace {

// One look at the machine, a row after the other.
class Examination {
 public:
  Examination(const DoctorPlaces& places, Runtime& runtime, const DoctorProgress& progress)
      : places_(places), runtime_(runtime), progress_(progress) {}

  DoctorFindings make() {
    std::error_code ignored;
    fs::create_directories(places_.cache_folder, ignored);
    const CpuTicks before = cpu_ticks();
    look_at_system();
    read_kept();
    measure_arithmetic();
    measure_memory();
    look_at_timers();
    measure_disk_of_cache();
    measure_data();
    look_at_folders();
    look_at_devices();
    const CpuTicks after = cpu_ticks();
    if (after.all > before.all)
      add(check_steal((after.stolen - before.stolen) / (after.all - before.all)));
    return std::move(out_);
  }

 private:
  void add(DoctorCheck check) { out_.checks.push_back(std::move(check)); }

  // Adds a speed, and the one that `doctor --write` kept if it was of this machine.
  void add_speed(const std::string& name, double Ceilings::* which, double now,
                 const std::string& value) {
    out_.ceilings.*which = now;
    // Arithmetic is steady on a healthy machine; memory and disk are shared with whoever else is on
    // the host.
    const bool clock = which == &Ceilings::cpu_clock || which == &Ceilings::gpu_clock;
    const double min_share = clock ? 0.97 : which == &Ceilings::multiply_add_per_second ? 0.9 : 0.7;
    add(check_speed(name, now, kept_.*which, min_share, value));
  }

  void look_at_system() {
    const Environment& e = environment_;
    out_.ceilings.machine = e.machine;
    out_.ceilings.cpu_model = e.cpu_model;
    out_.ceilings.measured = utc_now();
    add(check_cpus(e));
    add(check_memory(e));
    add(check_governor(e.governor));
    add({"huge pages", e.huge_pages});
    add(check_io_uring(io_uring_refusal()));
    double load = 0;
    if (::getloadavg(&load, 1) == 1) add(check_load(load, e.cores_available));
  }

  void read_kept() {
    try {
      if (auto kept = read_ceilings(places_.cache_folder);
          kept && kept->machine == environment_.machine)
        kept_ = *kept;
      if (cuda_devices().devices.empty() || kept_.gpu != cuda_devices().devices.front().uuid)
        kept_.forget_gpu();
    } catch (const Error& error) {
      add({"machine.yaml", std::string(error.message()), note, std::string(error.hint())});
    }
  }

  void measure_arithmetic() {
    progress_("arithmetic");
    const double flops = multiply_adds_per_second(runtime_);
    add_speed("multiply-add", &Ceilings::multiply_add_per_second, flops,
              fmt::format("{:.1f} GFLOP/s, one thread", flops / 1e9));
    std::string why;
    const auto busy = static_cast<unsigned>(std::max(1.0, std::ceil(environment_.cores_available)));
    if (const auto clock = busy_clock(runtime_, busy, why))
      add_speed("cpu clock", &Ceilings::cpu_clock, *clock,
                fmt::format("{:.0f} MHz with {} thread{} at work", *clock / 1e6, busy,
                            busy == 1 ? "" : "s"));
    else
      add({"cpu clock", "not available: " + why});
  }

  void measure_memory() {
    progress_("memory");
    const double copied = memory_copy_rate(runtime_);
    add_speed("memory copy", &Ceilings::memory_copy, copied, rate(copied) + ", one thread");
  }

  void look_at_timers() {
    progress_("timers");
    const TimerLateness late = timer_lateness(runtime_);
    add(check_timer(late.hybrid_ns, late.sleep_ns));
  }

  void measure_disk_of_cache() {
    progress_("disk");
    const DiskSpeed disk = measure_disk(places_.cache_folder, runtime_);
    if (!disk.problem.empty())
      add({"disk", disk.problem, note, "storage figures are not controlled on this file system"});
    if (disk.write > 0)
      add({"disk write", fmt::format("{} ({} and fdatasync)", rate(disk.write),
                                     human_bytes(static_cast<double>(disk.bytes)))});
    if (disk.read_cold > 0)
      add_speed("disk read, cold", &Ceilings::disk_read_cold, disk.read_cold,
                rate(disk.read_cold) + " (evicted, proven by mincore)");
    if (disk.read_warm > 0)
      add_speed("disk read, warm", &Ceilings::disk_read_warm, disk.read_warm, rate(disk.read_warm));
  }

  void measure_data() {
    progress_("the way to the data");
    const bool network_cache = places_.data.empty() && find_mount(places_.cache_folder).network;
    if (places_.data.empty() && !network_cache) return;
    const DataPath path =
        examine_data(network_cache ? places_.cache_folder : places_.data, runtime_);
    for (const DoctorCheck& check : path.checks) add(check);
    if (path.network > 0) add_speed("network", &Ceilings::network, path.network, path.value);
  }

  void look_at_folders() {
    add(space_at("cache folder", places_.cache_folder, 1ull << 30, 10ull << 30));
    add(space_at("results folder", places_.results_folder, 100ull << 20, 1ull << 30));
  }

  void look_at_devices() {
    progress_("torch and CUDA");
    add(check_torch());
    add(check_cuda(cuda_devices()));
    if (cuda_devices().devices.empty()) return;
    progress_("the link to cuda:0");
    measure_link();
  }

  // Measures cuda:0 in a child: a driver that hangs or crashes costs nothing here.
  void measure_link() {
    out_.ceilings.gpu = cuda_devices().devices.front().uuid;
    const cuda::LinkSurvey link = cuda::link_of_child();
    if (link.why.empty())
      add_link(link.speeds);
    else
      add({"link to cuda:0", "not measured: " + link.why, note,
           "rates of copies are not compared with what the link can do"});
  }

  void add_link(const cuda::LinkSpeeds& s) {
    const auto add_rate = [&](const char* name, double Ceilings::* which, double now,
                              const std::string& how) {
      add_speed(name, which, now, rate(now) + how);
    };
    const std::string copies = ", copies of " + human_bytes(double{cuda::kLinkCopyBytes});
    add_rate("link to cuda:0", &Ceilings::link_to_device, s.to_device, ", pinned memory");
    add_rate("link from cuda:0", &Ceilings::link_from_device, s.from_device, ", pinned memory");
    add_rate("pageable to cuda:0", &Ceilings::link_pageable_to_device, s.pageable_to_device,
             copies);
    add_rate("pageable from cuda:0", &Ceilings::link_pageable_from_device, s.pageable_from_device,
             copies);
    if (s.memory > 0)
      add_rate("memory of cuda:0", &Ceilings::device_memory, s.memory, ", read by a kernel");
    if (s.clock > 0)
      add_speed("clock of cuda:0", &Ceilings::gpu_clock, s.clock,
                fmt::format("{:.0f} MHz at work", s.clock / 1e6));
    else
      add({"clock of cuda:0", "not measured: NVML does not say it", note});
  }

  const DoctorPlaces& places_;
  Runtime& runtime_;
  const DoctorProgress& progress_;
  const Environment environment_ = observe_environment();
  DoctorFindings out_;
  Ceilings kept_;
};

}  // namespace

DoctorFindings examine_machine(const DoctorPlaces& places, Runtime& runtime,
                               const DoctorProgress& progress) {
  return Examination(places, runtime, progress).make();
}

}  // namespace benchbench
