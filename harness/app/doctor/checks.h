// What `benchbench doctor` finds out about this machine: one row a check, and the ceilings that no
// honest rate can pass.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/app/doctor/ceilings.h"
#include "harness/core/runtime.h"
#include "harness/core/words.h"
#include "harness/record/environment.h"

namespace benchbench {

// A note says what makes numbers worse or less certain here; a blocker, what makes a run fail.
enum class DoctorVerdict : std::uint8_t { ok, note, blocker };
template <>
inline constexpr auto kWordsOf<DoctorVerdict> =
    std::to_array<std::string_view>({"ok", "note", "BLOCKER"});

struct DoctorCheck {
  std::string name;   // "cpus"
  std::string value;  // "2 usable of 2, no quota"
  DoctorVerdict verdict = DoctorVerdict::ok;
  std::string advice = {};  // what to do about it; empty where ok
};

struct DoctorFindings {
  std::vector<DoctorCheck> checks;
  Ceilings ceilings;
};

struct DoctorPlaces {
  std::string cache_folder;  // made where it is not there
  // The folder results/runs of the working directory, or its nearest parent that is there.
  std::string results_folder;
  // The place of the data: a path that is there, or a URL that parse_endpoint() takes. Empty: the
  // cache folder, where that is on a network.
  std::string data = {};
};

// What is done at the moment: the whole takes some 5 s.
using DoctorProgress = std::function<void(std::string_view doing)>;

// Measures on the calling thread, the real runtime; writes one temporary file into the cache folder
// and removes it. Whatever cannot be found out is a row that says so; nothing is thrown for it.
DoctorFindings examine_machine(const DoctorPlaces& places, Runtime& runtime,
                               const DoctorProgress& progress);

// The single checks, from what was measured; pure, so that tests give them machines of their own.
DoctorCheck check_cpus(const Environment& environment);
DoctorCheck check_memory(const Environment& environment);
DoctorCheck check_governor(const std::string& governor);
// `refused`: 0, or the errno with which the kernel refuses a ring.
DoctorCheck check_io_uring(int refused);
DoctorCheck check_steal(double share);
DoctorCheck check_load(double load, double cores);
DoctorCheck check_timer(double lateness_ns, double plain_sleep_ns);
// A note where `now` is below `min_share` of what machine.yaml holds; 0 there is no ceiling.
DoctorCheck check_speed(const std::string& name, double now, double before, double min_share,
                        const std::string& value);
DoctorCheck check_space(const std::string& name, const std::string& folder, bool writable,
                        std::uint64_t bytes, std::uint64_t min, std::uint64_t comfortable);

}  // namespace benchbench
