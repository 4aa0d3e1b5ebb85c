#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/rates/window_rates.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

// A number of the facts under its name; what was not measured can be anything.
struct Named {
  template <class T>
  Named(std::string_view known_as, const T& number)
      : name(known_as), value(static_cast<double>(number)) {}
  template <class T>
  Named(std::string_view known_as, const std::optional<T>& number) : name(known_as) {
    if (number) value = static_cast<double>(*number);
  }
  std::string_view name;
  std::optional<double> value;
};
using Numbers = std::initializer_list<Named>;

// Collects the first thing that cannot be.
class Finder {
 public:
  explicit Finder(const Facts& facts)
      : f_(facts), window_(window_ns(facts)), off_(kIdentityLimit * window_) {}

  std::optional<Firing> find() {
    check_window();
    check_loop();
    check_workers();
    check_stalls();
    check_resources();
    check_beside();
    return firing_;
  }

 private:
  void check_window() {
    positive({{"the window in ns", f_.window.ns},
              {"the number of steps", f_.window.steps},
              {"the number of samples", f_.window.samples}});
    number({{"the slope", f_.window.slope_share}});
    check_times();
    check("the wait for a batch in ns", f_.window.get_blocked);
    check("the trainer's step in ns", f_.window.step);
  }

  void check_times() {
    not_negative({{"what steps stray from an even pace in ns", f_.window.pace_range_ns},
                  {"the start-up in ns", f_.start.startup_ns},
                  {"the time to the first batch in ns", f_.start.first_batch_ns},
                  {"the warm-up in ns", f_.start.warmup_ns},
                  {"the epoch gap in ns", f_.epochs.gap_ns}});
    for (std::size_t i = 0; i < kStages; ++i)
      not_negative({{name_of(static_cast<Stage>(i)), f_.window.stages[i].ns}});
  }

  void check_loop() {
    const LoopTimes& loop = f_.window.loop;
    term("the trainer's wait in ns", loop.get_ns, window_);
    term("the trainer's wait for a core in ns", loop.core_wait_ns.value_or(0), window_);
    term("the trainer's steps in ns", loop.step_ns, window_);
    term("the sample accounting in ns", loop.accounting_ns, window_);
    term("the work after steps in ns", loop.after_ns, window_);
    term("the report of progress in ns", loop.report_ns, window_);
    at_most({"what steps stray from an even pace in ns", f_.window.pace_range_ns}, window_ + off_);
  }

  // Each worker has the window, within a tenth: what differs by less is I02's.
  void check_workers() {
    const double all = 1.1 * window_ * std::max(1.0, static_cast<double>(f_.workers.count));
    term("the workers' filling in ns", f_.workers.fill_ns, all);
    term("the workers' wait for credits in ns", f_.workers.slot_wait_ns, all);
    term("the workers' hand-over in ns", f_.workers.queue_ns, all);
  }

  void check_stalls() {
    const StallFacts& stalls = f_.window.stalls;
    not_negative({{"the time of all stalls in ns", stalls.total_ns}});
    at_most({"the time of all stalls in ns", stalls.total_ns}, window_ + off_);
    at_most({"the number of stalls", stalls.count}, window_steps(f_));
    not_negative({{"the stalls' period in steps", stalls.period_steps},
                  {"the steps' period", f_.window.period_steps}});
    for (const Stall& s : stalls.longest) not_negative({{"a stall in ns", s.ns}});
  }

  void check_resources() {
    not_negative({{"the workers' wall time in ns", f_.workers.wall_ns},
                  {"CPU time of the user in s", f_.cpu.user_s},
                  {"CPU time of the system in s", f_.cpu.system_s},
                  {"CPU time of the loader in s", f_.cpu.loader_s},
                  {"CPU time of the trainer in s", f_.cpu.trainer_s},
                  {"the number of cores", f_.cpu.cores_available}});
    positive({{"the peak memory in bytes", f_.peak_memory_bytes}});
    check_neighbours();
    number({{"the first loss", f_.parts.loss_first}, {"the last loss", f_.parts.loss_last}});
  }

  void check_neighbours() {
    share({{"the share of stolen CPU time", f_.cpu.steal_share}});
    not_negative({{"the throttled time in s", f_.cpu.throttled_s},
                  {"CPU time of other programs in s", f_.cpu.others_s},
                  {"the longest wait for a core in s", f_.cpu.run_delay_most_s},
                  {"the trainer's wait for a core in s", f_.cpu.run_delay_trainer_s},
                  {"the overhead of measuring", f_.instrument.overhead_share}});
  }

  void check_beside() {
    share({{"the share of the data in the page cache", f_.cache.resident_before},
           {"the share of samples next to their neighbours", f_.shuffle.together}});
    not_negative({{"the shuffle displacement", f_.shuffle.displacement},
                  {"the rate of the background loader", f_.background_rate},
                  {"the mock's fidelity", f_.parts.mock_fidelity}});
    number({{"the clock's slew in ppm", f_.instrument.clock_slew_ppm}});
    for (const ProbeFacts& p : f_.probes) {
      if (p.state != ProbeState::measured || p.samples == 0) continue;
      for (const double v : {p.mean, p.min, p.max}) number({{"probe " + p.name, v}});
    }
  }

  void check(std::string_view name, const Distribution& d) {
    if (d.n == 0) return;
    for (const double v : {d.mean, d.p50, d.p90, d.p99, d.max}) not_negative({{name, v}});
  }
  // Clocks are read one after another: a term may be off by what I01 and I02 allow.
  void term(std::string_view name, std::int64_t ns, double most) {
    not_negative({{name, static_cast<double>(ns) + off_}});
    at_most({name, ns}, most + off_);
  }

  void positive(Numbers all) {
    keep(all, [](double v) { return std::isfinite(v) && v > 0; });
  }
  void not_negative(Numbers all) {
    keep(all, [](double v) { return std::isfinite(v) && v >= 0; });
  }
  void number(Numbers all) {
    keep(all, [](double v) { return std::isfinite(v); });
  }
  void share(Numbers all) {
    keep(all, [](double v) { return v >= 0 && v <= 1; });
  }
  void at_most(const Named& one, double most) {
    keep({one}, [most](double v) { return v <= most; });
  }
  template <class Possible>
  void keep(Numbers all, Possible possible) {
    for (const auto& [name, value] : all)
      if (value && !possible(*value) && !firing_)
        firing_ = invalid(fmt::format("{} is {}, which is impossible", name, text_of(*value)));
  }

  static std::string text_of(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "minus infinity" : "infinity";
    return value == std::trunc(value) && std::abs(value) < 1e18 ? fmt::format("{:.0f}", value)
                                                                : fmt::format("{:.6g}", value);
  }

  const Facts& f_;
  const double window_, off_;
  std::optional<Firing> firing_;
};

}  // namespace

std::optional<Firing> impossible(const TrialRecord& record) { return Finder(record.facts).find(); }

}  // namespace benchbench::rules
