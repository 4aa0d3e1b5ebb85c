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
  find.positive("the window in ns", static_cast<double>(f.window_ns));
  find.positive("the number of steps", static_cast<double>(f.steps));
  find.positive("the number of samples", static_cast<double>(f.samples));
  find.number("the slope", f.slope_share);
  find.not_negative("the start-up in ns", static_cast<double>(f.startup_ns));
  find.not_negative("the time to the first batch in ns", static_cast<double>(f.first_batch_ns));
  find.not_negative("the warm-up in ns", static_cast<double>(f.warmup_ns));
  find.not_negative("the epoch gap in ns", f.epoch_gap_ns);
  for (std::size_t i = 0; i < kStages; ++i)
    find.not_negative(name_of(static_cast<Stage>(i)), static_cast<double>(f.stages[i].ns));
  check(find, "the wait for a batch in ns", f.get_blocked);
  check(find, "the trainer's step in ns", f.step);
}

void check_resources(Finder& find, const Facts& f) {
  find.not_negative("the workers' wall time in ns", static_cast<double>(f.worker_wall_ns));
  find.not_negative("CPU time of the user in s", f.cpu_user_s);
  find.not_negative("CPU time of the system in s", f.cpu_system_s);
  find.not_negative("CPU time of the loader in s", f.cpu_loader_s);
  find.not_negative("CPU time of the trainer in s", f.cpu_trainer_s);
  find.not_negative("the number of cores", f.cores_available);
  if (f.peak_memory_bytes)
    find.positive("the peak memory in bytes", static_cast<double>(*f.peak_memory_bytes));
  if (f.steal_share) find.share("the share of stolen CPU time", *f.steal_share);
  find.not_negative("the throttled time in s", f.throttled_s);
  find.not_negative("the overhead of measuring", f.overhead_share);
  if (f.loss_first) find.number("the first loss", *f.loss_first);
  if (f.loss_last) find.number("the last loss", *f.loss_last);
}

}  // namespace

std::optional<Firing> impossible(const TrialRecord& record) {
  Finder find;
  check_window(find, record.facts);
  check_resources(find, record.facts);
  return find.firing();
}

}  // namespace benchbench::rules
