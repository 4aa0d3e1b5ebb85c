#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

// Collects the first thing that cannot be.
class Finder {
 public:
  void positive(std::string_view name, double value) { keep(name, value, std::isfinite(value) && value > 0); }
  void not_negative(std::string_view name, double value) {
    keep(name, value, std::isfinite(value) && value >= 0);
  }
  void number(std::string_view name, double value) { keep(name, value, std::isfinite(value)); }
  void share(std::string_view name, double value) { keep(name, value, value >= 0 && value <= 1); }
  template <class T>
  void not_negative(std::string_view name, const std::optional<T>& value) {
    if (value) not_negative(name, static_cast<double>(*value));
  }
  std::optional<Firing> firing() const { return firing_; }

 private:
  void keep(std::string_view name, double value, bool possible) {
    if (!possible && !firing_)
      firing_ = Firing{true, fmt::format("{} is {:g}, which cannot be", name, value)};
  }
  std::optional<Firing> firing_;
};

void check(Finder& find, std::string_view name, const Distribution& d) {
  if (d.n == 0) return;
  for (const double v : {d.mean, d.p50, d.p90, d.p99, d.max}) find.not_negative(name, v);
}

void check_window(Finder& find, const Facts& f) {
  find.positive("the window in ns", static_cast<double>(f.window.ns));
  find.positive("the number of steps", static_cast<double>(f.window.steps));
  find.positive("the number of samples", static_cast<double>(f.window.samples));
  find.number("the slope", f.window.slope_share);
  find.not_negative("the start-up in ns", static_cast<double>(f.start.startup_ns));
  find.not_negative("the time to the first batch in ns", static_cast<double>(f.start.first_batch_ns));
  find.not_negative("the warm-up in ns", static_cast<double>(f.start.warmup_ns));
  find.not_negative("the epoch gap in ns", f.epochs.gap_ns);
  for (std::size_t i = 0; i < kStages; ++i)
    find.not_negative(name_of(static_cast<Stage>(i)), static_cast<double>(f.window.stages[i].ns));
  check(find, "the wait for a batch in ns", f.window.get_blocked);
  check(find, "the trainer's step in ns", f.window.step);
}

void check_resources(Finder& find, const Facts& f) {
  find.not_negative("the workers' wall time in ns", static_cast<double>(f.workers.wall_ns));
  find.not_negative("CPU time of the user in s", f.cpu.user_s);
  find.not_negative("CPU time of the system in s", f.cpu.system_s);
  find.not_negative("CPU time of the loader in s", f.cpu.loader_s);
  find.not_negative("CPU time of the trainer in s", f.cpu.trainer_s);
  find.not_negative("the number of cores", f.cpu.cores_available);
  if (f.peak_memory_bytes)
    find.positive("the peak memory in bytes", static_cast<double>(*f.peak_memory_bytes));
  if (f.cpu.steal_share) find.share("the share of stolen CPU time", *f.cpu.steal_share);
  find.not_negative("the throttled time in s", f.cpu.throttled_s);
  find.not_negative("the overhead of measuring", f.instrument.overhead_share);
  if (f.parts.loss_first) find.number("the first loss", *f.parts.loss_first);
  if (f.parts.loss_last) find.number("the last loss", *f.parts.loss_last);
}

}  // namespace

std::optional<Firing> impossible(const TrialRecord& record) {
  Finder find;
  check_window(find, record.facts);
  check_resources(find, record.facts);
  return find.firing();
}

}  // namespace benchbench::rules
