// Windows of 2,000 lines drawn at random: of constant times the rate, the waits and the stages are
// exact, of spread times the intervals of the report hold the rate, and windows are not off to one
// side. Without --all 200 of them.
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <vector>

#include "harness/analysis/rates/phase.h"
#include "harness/analysis/rules/judged_trials.h"
#include "tests/known_answer/bursts/scenario.h"
#include "tests/sweep.h"

namespace benchbench::test::bursts {
namespace {

std::uint64_t half_of_all() { return sweep_size(100, 1000); }

const StageTotal& stage_of(const Facts& f, Stage stage) {
  return f.window.stages[static_cast<std::size_t>(stage)];
}

// The window in ns, times what workers or jobs divide it by.
bool is_exact(const Scenario& s, std::int64_t step_ns, const WindowFacts& w) {
  const auto steps = static_cast<std::int64_t>(w.steps);
  if (s.workers == 0) return w.ns == steps * (s.make_ns + step_ns);
  const std::int64_t apart = s.rows_shared ? s.workers : s.at_once();
  const std::int64_t made = steps * s.make_ns * (s.rows_shared ? s.rows : 1);
  return w.ns * apart == std::max(made, steps * step_ns * apart);
}

bool is_loader_bound(const Scenario& s, std::int64_t step_ns) {
  if (s.rows_shared) return step_ns * s.workers <= s.make_ns * s.rows;
  return step_ns * s.at_once() <= s.make_ns;
}

void check_window(const Scenario& s, std::int64_t step_ns, const WindowFacts& w) {
  const auto steps = static_cast<std::int64_t>(w.steps);
  REQUIRE(is_exact(s, step_ns, w));
  REQUIRE(w.samples == w.steps * s.rows);
  REQUIRE(w.burst == static_cast<std::uint64_t>(s.burst()));
  REQUIRE(steps % s.burst() == 0);
  REQUIRE((s.burst() == 1 || steps >= 2 * s.burst()));
  REQUIRE(w.pace_range_ns.value_or(-1) == 0);
  REQUIRE(w.loop.get_ns == w.ns - steps * step_ns);
}

void check_workers(const Scenario& s, std::int64_t step_ns, const Facts& f) {
  const StageTotal& made = stage_of(f, s.rows_shared ? Stage::decode : Stage::collate);
  REQUIRE(made.ns == static_cast<std::int64_t>(made.count) * s.make_ns);
  REQUIRE(f.queue.depth_ns == f.queue.stay_ns);
  if (s.workers == 0) return;
  for (const WorkerTimes& w : f.workers.each)
    REQUIRE(w.fill_ns + w.slot_wait_ns + w.queue_ns == f.window.ns);
  if (!is_loader_bound(s, step_ns)) return;
  const auto rows = static_cast<std::int64_t>(f.window.steps) * (s.rows_shared ? s.rows : 1);
  REQUIRE(f.workers.fill_ns == rows * s.make_ns);
  if (!s.rows_shared) REQUIRE(made.count == f.window.steps);
}

// Rules of the instrument itself.
void check_rules(const TrialRecord& record) {
  for (const char* id : {"R18", "I01", "I02", "I03"}) {
    const auto fired = find_rule(id)->check(record);
    INFO(id << ": " << (fired ? fired->text : ""));
    REQUIRE_FALSE(fired);
  }
}

bool is_refused(const TrialRecord& record) {
  return find_rule("R06")->check(record) || find_rule("R07")->check(record);
}

TrialRecord checked_constant(const Scenario& s, Mode mode) {
  TrialRecord record = run_simulated(trial_of(s, mode));
  INFO(name_of(mode) << " " << s.text() << "\n" << reasons_of(record));
  REQUIRE(record.status == Status::valid);
  const std::int64_t step_ns = mode == Mode::loader ? 0 : s.step_ns;
  check_window(s, step_ns, record.facts.window);
  check_workers(s, step_ns, record.facts);
  check_rules(record);
  return record;
}

}  // namespace

TEST_CASE("bursts: constant times give the rate to the nanosecond, whatever the window",
          "[known_answer][bursts]") {
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < half_of_all(); ++i) {
    const Scenario s = drawn_scenario(i, true);
    const TrialRecord loader = checked_constant(s, Mode::loader),
                      pipeline = checked_constant(s, Mode::pipeline);
    const WindowFacts &l = loader.facts.window, &f = pipeline.facts.window;
    INFO(s.text());
    REQUIRE(static_cast<std::int64_t>(f.steps) * l.ns <= static_cast<std::int64_t>(l.steps) * f.ns);
    refused += is_refused(loader) + is_refused(pipeline);
  }
  std::printf(
      "constant times: %lu scenarios of seed %lu, L and F of all exact; R06 or R07 refuses "
      "%lu of %lu\n",
      half_of_all(), kSeed, refused, 2 * half_of_all());
}

namespace {

constexpr std::uint32_t kRoundsOfALine = 5;
constexpr std::uint64_t kFewest = 5;  // batches, of class normal: rule R07 refuses fewer

struct Held {
  std::size_t intervals = 0, held = 0;
  double share() const { return static_cast<double>(held) / static_cast<double>(intervals); }
};

// The report's own interval of the rate in its rounds; nullopt where too few batches were counted.
struct Seen {
  Measured rate;
  std::uint64_t batches = 0;  // of a window
  double steps = 0, ns = 0;   // of all windows
};
std::optional<Seen> seen_rate(const Scenario& s, Mode mode) {
  const Trial trial = trial_of(s, mode);
  std::vector<double> logs;
  double phase = 0;
  std::uint64_t batches = 0;
  double steps = 0, ns = 0;
  for (std::uint32_t round = 0; round < kRoundsOfALine; ++round) {
    const Facts facts = run_simulated(trial, {0, round, 0}).facts;
    if (facts.window.steps < kFewest) return std::nullopt;
    logs.push_back(log_rate(facts).value());
    phase += phase_share(facts) / kRoundsOfALine;
    batches += facts.window.steps / kRoundsOfALine;
    steps += static_cast<double>(facts.window.steps);
    ns += static_cast<double>(facts.window.ns);
  }
  return Seen{estimate_cut_rates(logs, phase), batches, steps, ns};
}

std::string stratum_of(const Scenario& s, const Seen& seen) {
  const std::uint64_t bursts = seen.batches / static_cast<std::uint64_t>(s.burst());
  return std::string(s.workers < 2 ? "0 or 1 worker" : "2 to 16 workers") +
         (bursts < 4    ? ", 2 or 3 bursts"
          : bursts < 20 ? ", 4 to 19 bursts"
                        : ", 20 bursts or more");
}

// A share of so many intervals may be off by three standard errors, and by 2 % at the least.
double margin_of(std::size_t intervals) {
  return std::max(0.02, 3 * std::sqrt(0.95 * 0.05 / static_cast<double>(intervals)));
}

// Returns how much more time the steps of all windows should have taken than they did, as a share
// of what the windows asked for, which no draw has changed: 0 on average.
double off_share(const Scenario& s, const Seen& seen, double step_ns) {
  const double least = static_cast<double>(std::max<std::int64_t>(
      static_cast<std::int64_t>(s.batches), s.burst() > 1 ? 2 * s.burst() : 1));
  const double asked = std::max(static_cast<double>(s.window_ns), least * step_ns);
  return (seen.steps * step_ns - seen.ns) / (kRoundsOfALine * asked);
}

// The most that is left where a window may end either by its time or by its batches.
constexpr double kEndUncertain = 0.005;

void check_mean_off(const std::vector<double>& offs) {
  double mean = 0, squares = 0;
  const auto n = static_cast<double>(offs.size());
  for (const double off : offs) mean += off / n;
  for (const double off : offs) squares += (off - mean) * (off - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  std::printf("windows are off by %+.2f ± %.2f %% on average\n", 100 * mean, 100 * error);
  CHECK(std::abs(mean) <= 3 * error + kEndUncertain);
}

}  // namespace

TEST_CASE("bursts: of spread times 93 to 97 % of the 95 % intervals hold the rate",
          "[known_answer][bursts]") {
  Held all;
  std::map<std::string, Held> strata;
  std::vector<double> offs;
  for (std::uint64_t i = 0; i < half_of_all(); ++i)
    for (const Mode mode : {Mode::loader, Mode::pipeline}) {
      const Scenario s = drawn_scenario(i, false);
      const auto seen = seen_rate(s, mode);
      if (!seen) continue;
      INFO(name_of(mode) << " " << s.text());
      REQUIRE(seen->rate);
      const double step_ns = known_step_ns(s, mode, seen->batches > 100 ? 50'000 : 20'000);
      const double known = 1e9 * s.rows / step_ns;
      offs.push_back(off_share(s, *seen, step_ns));
      const bool held =
          seen->rate->low <= known * (1 + 1e-9) && known <= seen->rate->high * (1 + 1e-9);
      for (Held* h : {&all, &strata[stratum_of(s, *seen)]}) ++h->intervals, h->held += held;
    }
  for (const auto& [name, h] : strata)
    std::printf("%-34s %4zu of %4zu intervals hold the rate, %.1f %%\n", name.c_str(), h.held,
                h.intervals, 100 * h.share());
  std::printf("together %.2f %% of %zu\n", 100 * all.share(), all.intervals);
  REQUIRE(all.intervals > half_of_all());
  CHECK(std::abs(all.share() - 0.95) <= margin_of(all.intervals));
  check_mean_off(offs);
}

}  // namespace benchbench::test::bursts
