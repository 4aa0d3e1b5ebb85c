// Who waits for a CPU, and who else gets it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>

#include "harness/core/cpus/cpu_limit.h"
#include "harness/trial/probes/probe.h"
#include "harness/trial/readings/shared_cpus.h"

namespace benchbench::probes {
namespace {

std::optional<std::int64_t> number_in(std::string_view word) {
  const auto value = first_number(word);
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

// Returns all time of the CPUs less that in which no program had them. The kernel counts the latter
// in ticks, so that the difference may step back by some.
std::function<std::optional<std::int64_t>(std::string_view)> busy_time(std::vector<int> cpus) {
  const std::int64_t tick = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  const auto count = static_cast<std::int64_t>(cpus.size());
  return [=, highest = std::numeric_limits<std::int64_t>::min()](
             std::string_view text) mutable -> std::optional<std::int64_t> {
    const auto spare = spare_ticks(text, cpus);
    if (!spare) return std::nullopt;
    const Nanoseconds since_boot = std::chrono::steady_clock::now().time_since_epoch();
    highest =
        std::max(highest, count * since_boot.count() - static_cast<std::int64_t>(*spare) * tick);
    return highest;
  };
}

}  // namespace

Made runnable(ProbeContext& context, std::string& why) {
  // "0.50 0.40 0.30 2/345 6789": the fourth word is those that can run over all there are.
  // /proc/stat says it too, but behind a line of every interrupt of the machine.
  return probe_of_file(
      context, context.path("proc/loadavg"),
      [](std::string_view text) { return number_in(word(text, 3)); }, why);
}

Made run_delay(ProbeContext& context, std::string& why) {
  if (!context.trainer_thread) {
    why = "the trainer's thread has no thread id here";
    return nullptr;
  }
  // "time on a CPU, time it waited for one, times it got one", in ns.
  return probe_of_file(
      context, context.path(fmt::format("proc/self/task/{}/schedstat", *context.trainer_thread)),
      [](std::string_view text) { return number_in(word(text, 1)); }, why);
}

// "cpu user nice system idle iowait irq softirq steal ...", in ticks.
Made steal(ProbeContext& context, std::string& why) {
  const std::int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);
  return probe_of_file(
      context, context.path("proc/stat"),
      [tick](std::string_view text) -> std::optional<std::int64_t> {
        if (!text.starts_with("cpu ")) return std::nullopt;
        const auto ticks = number_in(word(text, 8));
        return ticks ? std::optional(*ticks * tick) : std::nullopt;
      },
      why);
}

Made cpu_busy(ProbeContext& context, std::string& why) {
  return probe_of_file(context, context.path("proc/stat"), busy_time(allowed_cpus()), why);
}

}  // namespace benchbench::probes
