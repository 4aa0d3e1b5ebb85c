// Who waits for a CPU, and who else gets it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "harness/core/cpu_limit.h"
#include "harness/trial/probes/probe.h"
#include "harness/trial/readings/shared_cpus.h"

namespace benchbench::probes {
namespace {

std::int64_t tick() { return 1'000'000'000 / ::sysconf(_SC_CLK_TCK); }

// Returns all time of the CPUs less that in which no program had them. The kernel counts the latter
// in ticks, so that the difference may step back by some.
TakeNumber busy_time(std::vector<int> cpus) {
  return [cpus = std::move(cpus), highest = std::numeric_limits<std::int64_t>::min()](
             std::string_view text) mutable -> std::optional<std::int64_t> {
    const auto spare = scaled(spare_ticks(text, cpus), tick());
    if (!spare) return std::nullopt;
    const Nanoseconds since_boot = std::chrono::steady_clock::now().time_since_epoch();
    const auto number = static_cast<std::int64_t>(cpus.size());
    return highest = std::max(highest, number * since_boot.count() - *spare);
  };
}

// "0.50 0.40 0.30 2/345 6789": the fourth word is those that can run over all there are. /proc/stat
// says it too, but behind a line of every interrupt of the machine.
std::optional<std::int64_t> runnable(std::string_view text) {
  return scaled(first_number(word(text, 3)));
}

// "time on a CPU, time it waited for one, times it got one", in ns.
std::optional<std::int64_t> delayed(std::string_view text) {
  return scaled(first_number(word(text, 1)));
}

Made run_delay(ProbeContext& context, std::string& why) {
  if (context.trainer_thread)
    return probe_of_file(
        context, context.path(fmt::format("proc/self/task/{}/schedstat", *context.trainer_thread)),
        delayed, why);
  why = "the trainer's thread has no thread id here";
  return nullptr;
}

// "cpu user nice system idle iowait irq softirq steal ...", in ticks.
std::optional<std::int64_t> stolen(std::string_view text) {
  return scaled(text.starts_with("cpu ") ? first_number(word(text, 8)) : std::nullopt, tick());
}
}  // namespace

std::vector<ProbeRow> run_queue_rows() {
  return {
      {"runnable", "count", level, count, machine, "runnable threads of the whole machine",
       number_in_file("proc/loadavg", runnable)},
      {"run_delay", "share", counter, ns, process,
       "time the trainer's thread was runnable but had no CPU", run_delay},
      {"steal", "cores", counter, ns, machine,
       "CPU time the hypervisor gave to other guests (steal)", number_in_file("proc/stat", stolen)},
      {"cpu_busy", "cores", counter, ns, machine,
       "CPU time that any program had of the CPUs that this process may use",
       [](ProbeContext& context, std::string& why) {
         return probe_of_file(context, context.path("proc/stat"), busy_time(allowed_cpus()), why);
       }},
  };
}

}  // namespace benchbench::probes
