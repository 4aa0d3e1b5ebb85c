#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

// Collects the first thing that cannot be. What was not measured can be anything.
class Finder {
 public:
  template <class T>
  void positive(std::string_view name, const T& value) {
    keep(name, value, [](double v) { return std::isfinite(v) && v > 0; });
  }
  template <class T>
  void not_negative(std::string_view name, const T& value) {
    keep(name, value, [](double v) { return std::isfinite(v) && v >= 0; });
  }
  template <class T>
  void number(std::string_view name, const T& value) {
    keep(name, value, [](double v) { return std::isfinite(v); });
  }
  template <class T>
  void share(std::string_view name, const T& value) {
    keep(name, value, [](double v) { return v >= 0 && v <= 1; });
  }
  template <class T>
  void at_most(std::string_view name, const T& value, double most) {
    keep(name, value, [most](double v) { return v <= most; });
  }
  std::optional<Firing> firing() const { return firing_; }

 private:
  template <class T, class Possible>
  void keep(std::string_view name, const std::optional<T>& value, Possible possible) {
    if (value) keep(name, *value, possible);
  }
  template <class T, class Possible>
  void keep(std::string_view name, const T& value, Possible possible) {
    const auto shown = static_cast<double>(value);
    if (!possible(shown) && !firing_)
      firing_ = invalid(fmt::format("{} is {}, which is impossible", name, text_of(shown)));
  }
  static std::string text_of(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "minus infinity" : "infinity";
    return value == std::trunc(value) && std::abs(value) < 1e18 ? fmt::format("{:.0f}", value)
                                                                : fmt::format("{:.6g}", value);
  }
  std::optional<Firing> firing_;
};

void check(Finder& find, std::string_view name, const Distribution& d) {
  if (d.n == 0) return;
  for (const double v : {d.mean, d.p50, d.p90, d.p99, d.max}) find.not_negative(name, v);
}

void check_window(Finder& find, const Facts& f) {
  find.positive("the window in ns", f.window.ns);
  find.positive("the number of steps", f.window.steps);
  find.positive("the number of samples", f.window.samples);
  find.number("the slope", f.window.slope_share);
  find.not_negative("what steps stray from an even pace in ns", f.window.pace_range_ns);
  find.not_negative("the start-up in ns", f.start.startup_ns);
  find.not_negative("the time to the first batch in ns", f.start.first_batch_ns);
  find.not_negative("the warm-up in ns", f.start.warmup_ns);
  find.not_negative("the epoch gap in ns", f.epochs.gap_ns);
  for (std::size_t i = 0; i < kStages; ++i)
    find.not_negative(name_of(static_cast<Stage>(i)), f.window.stages[i].ns);
  check(find, "the wait for a batch in ns", f.window.get_blocked);
  check(find, "the trainer's step in ns", f.window.step);
}

// Clocks are read one after another: a term may be off by what I01 and I02 allow.
void check_terms(Finder& find, const Facts& f) {
  const double window = static_cast<double>(f.window.ns), off = kIdentityLimit * window;
  const auto term = [&](std::string_view name, std::int64_t ns, double most) {
    find.not_negative(name, static_cast<double>(ns) + off);
    find.at_most(name, ns, most + off);
  };
  term("the trainer's wait in ns", f.window.loop.get_ns, window);
  term("the trainer's wait for a core in ns", f.window.loop.core_wait_ns.value_or(0), window);
  term("the trainer's steps in ns", f.window.loop.step_ns, window);
  term("the sample accounting in ns", f.window.loop.accounting_ns, window);
  term("the work after steps in ns", f.window.loop.after_ns, window);
  term("the report of progress in ns", f.window.loop.report_ns, window);
  find.at_most("what steps stray from an even pace in ns", f.window.pace_range_ns, window + off);
  // Each worker has the window, within a tenth: what differs by less is I02's.
  const double all = 1.1 * window * std::max(1.0, static_cast<double>(f.workers.count));
  term("the workers' filling in ns", f.workers.fill_ns, all);
  term("the workers' wait for credits in ns", f.workers.slot_wait_ns, all);
  term("the workers' hand-over in ns", f.workers.queue_ns, all);
  const StallFacts& stalls = f.window.stalls;
  find.not_negative("the time of all stalls in ns", stalls.total_ns);
  find.at_most("the time of all stalls in ns", stalls.total_ns, window + off);
  find.at_most("the number of stalls", stalls.count, static_cast<double>(f.window.steps));
  find.not_negative("the stalls' period in steps", stalls.period_steps);
  find.not_negative("the steps' period", f.window.period_steps);
  for (const Stall& s : stalls.longest) find.not_negative("a stall in ns", s.ns);
}

void check_beside(Finder& find, const Facts& f) {
  find.share("the share of the data in the page cache", f.cache.resident_before);
  find.share("the share of samples next to their neighbours", f.shuffle.together);
  find.not_negative("the shuffle displacement", f.shuffle.displacement);
  find.not_negative("the rate of the background loader", f.background_rate);
  find.not_negative("the mock's fidelity", f.parts.mock_fidelity);
  find.number("the clock's slew in ppm", f.instrument.clock_slew_ppm);
  for (const ProbeFacts& p : f.probes) {
    if (p.state != ProbeState::measured || p.samples == 0) continue;
    for (const double v : {p.mean, p.min, p.max}) find.number("probe " + p.name, v);
  }
}

void check_resources(Finder& find, const Facts& f) {
  find.not_negative("the workers' wall time in ns", f.workers.wall_ns);
  find.not_negative("CPU time of the user in s", f.cpu.user_s);
  find.not_negative("CPU time of the system in s", f.cpu.system_s);
  find.not_negative("CPU time of the loader in s", f.cpu.loader_s);
  find.not_negative("CPU time of the trainer in s", f.cpu.trainer_s);
  find.not_negative("the number of cores", f.cpu.cores_available);
  find.positive("the peak memory in bytes", f.peak_memory_bytes);
  find.share("the share of stolen CPU time", f.cpu.steal_share);
  find.not_negative("the throttled time in s", f.cpu.throttled_s);
  find.not_negative("CPU time of other programs in s", f.cpu.others_s);
  find.not_negative("the longest wait for a core in s", f.cpu.run_delay_most_s);
  find.not_negative("the trainer's wait for a core in s", f.cpu.run_delay_trainer_s);
  find.not_negative("the overhead of measuring", f.instrument.overhead_share);
  find.number("the first loss", f.parts.loss_first);
  find.number("the last loss", f.parts.loss_last);
}

}  // namespace

std::optional<Firing> impossible(const TrialRecord& record) {
  Finder find;
  check_window(find, record.facts);
  check_terms(find, record.facts);
  check_resources(find, record.facts);
  check_beside(find, record.facts);
  return find.firing();
}

}  // namespace benchbench::rules
