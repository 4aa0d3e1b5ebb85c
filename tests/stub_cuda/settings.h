// What the stub driver is to be, from the environment: read when cuInit or nvmlInit is called, so
// that one process may test several.
//   BENCHBENCH_STUB_DEVICES         number of devices (1)
//   BENCHBENCH_STUB_NAME            of all devices ("Stub GPU")
//   BENCHBENCH_STUB_MEMORY          bytes of each device (1 GiB)
//   BENCHBENCH_STUB_DRIVER          version of the interface (13000)
//   BENCHBENCH_STUB_PINNED_GBPS     10^9 bytes per second of copies of pinned memory, each way
//                                   (0: as fast as the host copies)
//   BENCHBENCH_STUB_PAGEABLE_GBPS   and of other memory; "16:10": 16 up to 64 MB, falls to 10 at
//                                   154 MB and is that for more, as on an H200
//   BENCHBENCH_STUB_CALL_NS         n: the clock is virtual. Each thing that the host queues, each
//                                   look at an event too, takes n ns; a wait takes until the device
//                                   is there, as does the time between two looks; nothing else
//                                   takes any (0: the clock is real)
//   BENCHBENCH_STUB_LAUNCH_NS       that each kernel takes besides its work (2000)
//   BENCHBENCH_STUB_EVENT_NS        that each event with a time takes of its stream (1170: on
//                                   an H200 a kernel behind another one took so much less than
//                                   behind an event, and a second event took so much more)
//   BENCHBENCH_STUB_QUEUE           launches of a stream that are under way at most: the next one
//                                   waits until the first is done (1022, as on an H200)
//   BENCHBENCH_STUB_SEEN_LATE_NS    the host sees so late that an event is done (2000)
//   BENCHBENCH_STUB_TIMER_STEP_NS   steps of the global timer (1)
//   BENCHBENCH_STUB_SPIN_JITTER     share by which spins are longer and shorter, two by two (0)
//   BENCHBENCH_STUB_SLOW_SPINS      n: the first n spins take 30 us more (0)
//   BENCHBENCH_STUB_SLOW_FROM       n: spins from the n-th kernel on take a quarter longer (0)
//   BENCHBENCH_STUB_NVML_DRIVER     its version as NVML has it ("580.65.06")
//   BENCHBENCH_STUB_WIDE            1: NVML writes entries of processes that are 8 bytes longer (0)
//   BENCHBENCH_STUB_FAIL            "cuMemAlloc_v2@3=2,nvmlDeviceGetPowerUsage=3": calls that fail,
//                                   the 3rd one only or each, with which number
//   BENCHBENCH_STUB_LAUNCH_FAILS_AT n: the n-th kernel fails as it runs (719), and every call of
//                                   the context after it
//   BENCHBENCH_STUB_LOST_AT_CALL    n: the device is lost at the n-th call of the driver (999), for
//                                   all later ones too
//   BENCHBENCH_STUB_HANG_AT_CALL    n: that call never returns
//   BENCHBENCH_STUB_BUSY            percent of the time, as NVML has it (87)
//   BENCHBENCH_STUB_CLOCK           MHz (1980)
//   BENCHBENCH_STUB_MEMORY_USED     bytes of 1000, as NVML has it (400)
//   BENCHBENCH_STUB_THROTTLE        reasons as bits (0x24)
//   BENCHBENCH_STUB_STRANGERS       processes on the device (10), none of them this one
//   BENCHBENCH_STUB_OWN             1: this process is among them from the second time that NVML is
//                                   asked on (0)
//   BENCHBENCH_STUB_NEWCOMER_AT     n: one more is there from the n-th time on
//   BENCHBENCH_STUB_ECC_GROWS       1: each time that NVML is asked there is one more uncorrected
//                                   error (0)
//   BENCHBENCH_STUB_LEAKS           file that gets what was never given back, at the end of the
//                                   process (else stderr)
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace benchbench::stub_cuda {

// Calls that are to fail, and how often each was made. Guarded by whoever has it.
class FailingCalls {
 public:
  FailingCalls() = default;
  explicit FailingCalls(std::string_view list);
  // Counts the call; its number where it is to fail, else 0.
  int failure_of(std::string_view call);

 private:
  struct Row {
    std::uint64_t at = 0;  // 0: each
    int result = 0;
    std::uint64_t made = 0;
  };
  std::map<std::string, Row, std::less<>> rows_;
};

struct Settings {
  int devices = 1;
  std::string name;
  std::uint64_t memory = 0;
  int driver = 0;
  double pinned = 0, pageable = 0, pageable_large = 0;  // bytes per ns
  std::uint64_t queue = 0;                              // launches
  std::int64_t event_ns = 0, seen_late_ns = 0;
  std::int64_t call_ns = 0, launch_ns = 0, timer_step_ns = 1;
  double spin_jitter = 0;
  std::uint64_t slow_spins = 0, slow_from = 0;
  std::string nvml_driver;
  FailingCalls failing;
  std::uint64_t busy = 87, clock = 1980, memory_used = 400, throttle = 0x24, strangers = 10,
                newcomer_at = 0;
  bool own = false, ecc_grows = false, wide = false;
  std::uint64_t launch_fails_at = 0, lost_at_call = 0, hang_at_call = 0;  // 0: never
};

Settings read_settings();

}  // namespace benchbench::stub_cuda
