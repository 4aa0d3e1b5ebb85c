// CPU time by the role of threads.
#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

using Ask = std::function<std::optional<Nanoseconds>()>;

class CpuTime final : public Probe {
 public:
  explicit CpuTime(Ask ask) : ask_(std::move(ask)) {}
  std::optional<std::int64_t> sample() override {
    const auto time = ask_();
    return time ? std::optional(time->count()) : std::nullopt;
  }

 private:
  Ask ask_;
};

Made cpu_time(const Ask& ask, const char* else_why, std::string& why) {
  if (ask && ask()) return std::make_unique<CpuTime>(ask);
  why = else_why;
  return nullptr;
}

// What is neither the workers' nor the trainer's thread nor the probes'. Each is read at its own
// instant, so that this may step back by some us; what it stepped back by was told too much before.
std::optional<Nanoseconds> rest(const ProbeContext& context) {
  if (!context.process_cpu) return std::nullopt;
  auto time = context.process_cpu();
  for (const Ask* role : {&context.loader_cpu, &context.trainer_cpu, &context.probes_cpu})
    if (const auto its = time && *role ? (*role)() : std::nullopt) *time -= *its;
  return time;
}

class Rest final : public Probe {
 public:
  explicit Rest(const ProbeContext& context) : context_(context) {}
  std::optional<std::int64_t> sample() override {
    const auto time = rest(context_);
    if (!time) return std::nullopt;
    highest_ = std::max(highest_, time->count());
    return highest_;
  }

 private:
  const ProbeContext& context_;
  std::int64_t highest_ = 0;
};

}  // namespace

Made cpu_loader(ProbeContext& context, std::string& why) {
  return cpu_time(context.loader_cpu, "num_workers is 0: the trainer's thread loads", why);
}

Made cpu_trainer(ProbeContext& context, std::string& why) {
  return cpu_time(context.trainer_cpu, "this system has no per-thread CPU clock", why);
}

Made cpu_other(ProbeContext& context, std::string& why) {
  if (rest(context)) return std::make_unique<Rest>(context);
  why = "this system has no per-process CPU clock";
  return nullptr;
}

Made cpu_probes(ProbeContext& context, std::string& why) {
  return cpu_time(context.probes_cpu, "this system has no per-thread CPU clock", why);
}

}  // namespace benchbench::probes
