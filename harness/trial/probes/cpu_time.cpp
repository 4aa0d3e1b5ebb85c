// CPU time by the role of threads.
#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

using Ask = std::function<std::optional<Nanoseconds>()>;

MakeProbe cpu_time(Ask (*find)(const ProbeContext& context), const char* else_why) {
  return [find, else_why](ProbeContext& context, std::string& why) -> Made {
    Ask ask = find(context);
    if (ask && ask())
      return probe_of([ask = std::move(ask)]() -> std::optional<std::int64_t> {
        const auto time = ask();
        return time ? std::optional(time->count()) : std::nullopt;
      });
    why = else_why;
    return nullptr;
  };
}

template <Ask ProbeContext::* role>
Ask find_time(const ProbeContext& context) {
  return context.*role;
}

// What is neither the workers' nor the trainer's thread nor the probes'. Each is read at its own
// instant, so that this may step back by some us; what it stepped back by was told too much before.
Ask rest(const ProbeContext& context) {
  if (!context.process_cpu) return {};
  return [&context, highest = Nanoseconds(0)]() mutable -> std::optional<Nanoseconds> {
    const auto time = context.process_cpu();
    if (!time) return std::nullopt;
    Nanoseconds left = *time;
    for (const Ask* role : {&context.loader_cpu, &context.trainer_cpu, &context.probes_cpu})
      left -= *role ? (*role)().value_or(Nanoseconds(0)) : Nanoseconds(0);
    return highest = std::max(highest, left);
  };
}

constexpr const char* kNoThreadClock = "this system has no per-thread CPU clock";

}  // namespace

std::vector<ProbeRow> cpu_time_rows() {
  return {
      {"cpu_loader", "cores", counter, ns, process, "CPU time of the loader's workers",
       cpu_time(find_time<&ProbeContext::loader_cpu>,
                "num_workers is 0: the trainer's thread loads")},
      {"cpu_trainer", "cores", counter, ns, process, "CPU time of the trainer's thread",
       cpu_time(find_time<&ProbeContext::trainer_cpu>, kNoThreadClock)},
      {"cpu_other", "cores", counter, ns, process,
       "CPU time of the process's other threads, including a step's intra-op threads",
       cpu_time(rest, "this system has no per-process CPU clock")},
      {"cpu_probes", "cores", counter, ns, instrument, "CPU time of the probes themselves",
       cpu_time(find_time<&ProbeContext::probes_cpu>, kNoThreadClock)},
  };
}

}  // namespace benchbench::probes
