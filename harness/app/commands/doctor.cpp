// `benchbench doctor`: is this machine fit to measure on, and what can it do at most?
#include <fmt/format.h>

#include <algorithm>

#include "harness/app/command.h"
#include "harness/app/doctor/checks.h"
#include "harness/app/doctor/data_path.h"
#include "harness/app/exit_code.h"
#include "harness/app/options.h"
#include "harness/app/output_file.h"
#include "harness/app/status_line.h"
#include "harness/core/called_as.h"
#include "harness/dataset/dataset_need.h"

namespace benchbench {
namespace {

void print(const DoctorFindings& findings) {
  std::size_t widest = 0;
  for (const DoctorCheck& check : findings.checks) widest = std::max(widest, check.name.size());
  for (const DoctorCheck& check : findings.checks) {
    print_fitted("{:<{}}  {:<8}{}\n", check.name, widest, name_of(check.verdict), check.value);
    if (!check.advice.empty())
      print_fitted("{:<{}}          -> {}\n", "", widest, as_called(check.advice));
  }
}

int run_doctor(const Arguments& arguments) {
  const auto runtime = make_real_runtime();
  const std::string data = arguments.text("--data", "");
  if (arguments.flag("--data")) refuse_bad_data(data);
  const DoctorPlaces places{default_cache_folder(), arguments.text("--out", "results/runs"), data};
  StatusLine line({.redraw = {}, .print = {}});
  const DoctorFindings findings = examine_machine(places, *runtime, [&](std::string_view doing) {
    line.show(fmt::format("checking {} ...", doing));
  });
  line.clear();
  print(findings);
  if (arguments.flag("--write")) {
    write_ceilings(places.cache_folder,
                   raised(read_ceilings(places.cache_folder), findings.ceilings));
    print_fitted("\nsaved in {}\n", ceilings_path(places.cache_folder));
  }
  const bool blocked = std::ranges::any_of(findings.checks, [](const DoctorCheck& check) {
    return check.verdict == DoctorVerdict::blocker;
  });
  return blocked && arguments.flag("--strict") ? kLacking : kDone;
}

constexpr Option kDoctorOptions[] = {
    {"--write", "",
     "save the rates as this machine's ceilings in machine.yaml in the cache folder"},
    {"--strict", "", "exit with 6 if there is a blocker"},
    {"--data", "PATH",
     "also measure the way to the data: a folder or file on a network file system, or "
     "http://HOST/PATH"},
    {"--out", "DIR", "folder for results (default: results/runs)"},
};

}  // namespace

extern const Command doctor_command{
    "doctor",
    "check",
    "check this machine: CPUs, memory, disk, network, timers, torch and CUDA",
    "",
    joined({kDoctorOptions}),
    "  benchbench doctor --data /mnt/imagenet\n"
    "  benchbench doctor --write        # on an idle machine: its maximum rates\n"
    "  benchbench doctor --strict       # before a night of runs, in a script\n",
    run_doctor};

}  // namespace benchbench
