// Stores made up at random: plans of a few points whose records may be missing, ended early, or
// impossible.
#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "harness/core/random.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::test {

// A fact that cannot be: whatever else its record says, nothing may be concluded from it.
struct Impossible {
  const char* what;
  void (*make)(Facts&);
};
std::span<const Impossible> impossible_facts() noexcept;

class GeneratedStore : public MadeRun {
 public:
  explicit GeneratedStore(std::uint64_t seed) : random_(mix_seed(seed, 0x57)) {
    plan.scenario.name = "generated";
    modes_ = pick<std::uint64_t>({7, 7, 7, 7, 4, 1, 2, 3, 5, 6});
    rounds_ = pick<std::uint32_t>({1, 1, 2, 3, 3, 5, 10});
    noise_ = pick<double>({0, 0.002, 0.01, 0.05, 0.5});
    make_points();
    if (python_ = one_in(3); python_)
      for (Point& p : plan.points) p.settings.set("loader.use", words("python"));
    make_extras();
    choose_spoiled();
    fill();
  }

  // Whether some record of the trial may be used: it ran to its end, and nothing of it is
  // impossible.
  bool usable(std::uint32_t trial) const { return !rounds_of(trial).empty(); }
  bool usable(std::uint32_t point, Mode mode) const { return !rounds_of(point, mode).empty(); }
  std::set<std::uint32_t> rounds_of(std::uint32_t point, Mode mode) const {
    for (const auto& [m, trial] : plan.points[point].trials)
      if (m == mode) return rounds_of(trial);
    return {};
  }
  bool anything_usable() const { return !usable_.empty(); }
  // Whether the loader is the user's Python.
  bool python() const { return python_; }
  // Whether some usable record of the trial satisfies that of its external facts.
  template <class Test>
  bool any_external(std::uint32_t trial, Test test) const {
    return std::ranges::any_of(records, [&](const TrialRecord& r) {
      return r.planned.trial == trial && usable_.contains({trial, r.planned.round}) &&
             r.facts.external && test(*r.facts.external);
    });
  }
  bool asked(Mode mode) const { return (modes_ >> static_cast<unsigned>(mode) & 1) != 0; }
  // Rounds in which every one of the modes has a usable record.
  bool together(std::uint32_t point, std::initializer_list<Mode> modes) const {
    std::set<std::uint32_t> rounds = rounds_of(point, *modes.begin());
    for (const Mode m : modes) {
      const auto these = rounds_of(point, m);
      std::erase_if(rounds, [&](std::uint32_t r) { return !these.contains(r); });
    }
    return !rounds.empty();
  }

 private:
  template <class T>
  T pick(std::initializer_list<T> from) {
    return *(from.begin() + random_.below(from.size()));
  }
  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }

  std::set<std::uint32_t> rounds_of(std::uint32_t trial) const {
    std::set<std::uint32_t> rounds;
    for (const auto& [t, round] : usable_)
      if (t == trial) rounds.insert(round);
    return rounds;
  }

  void make_points() {
    const auto points = static_cast<std::uint32_t>(1 + random_.below(6));
    const std::string axis = pick<const char*>(
        {"loader.num_workers", "loader.num_workers", "loader.shuffle", "dataset.format"});
    plan.scenario.axes = {{axis, {}}};
    std::uint32_t shared = kNoAnchor;
    for (std::uint32_t i = 0; i < points; ++i) {
      const bool workers = axis == "loader.num_workers";
      const std::string label = workers ? std::to_string(i - 1) : "v" + std::to_string(i);
      SettingsMap s = settings(workers && i > 0 ? i - 1 : 2);
      if (!workers && i > 0) s.set(axis, words(label));
      const auto p =
          point(i == 0 ? decltype(Point::labels){} : decltype(Point::labels){{axis, label}},
                std::move(s));
      if (one_in(12)) plan.points[p].skip = "needs what is not here";
      for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline}) {
        if (!asked(mode)) continue;
        if (mode == Mode::trainer && shared != kNoAnchor && !one_in(4)) {
          share(p, shared);
          continue;
        }
        const auto t = trial(p, mode);
        if (mode == Mode::trainer && shared == kNoAnchor) shared = t;
        if (one_in(30)) plan.trials[t].skip = "cannot run here";
      }
    }
    if (!plan.trials.empty() && !one_in(3)) plan.anchor = shared != kNoAnchor ? shared : 0;
  }

  void make_extras() {
    if (!asked(Mode::pipeline) || one_in(2)) return;
    std::vector<Ablation> extras{free_of(Component::decode),
                                 free_of(Component::storage),
                                 {AblationKind::four_times_batch, {}}};
    if (asked(Mode::trainer)) extras.push_back({AblationKind::interference, {}});
    for (const Ablation& a : extras) {
      Trial t;
      t.index = static_cast<std::uint32_t>(plan.trials.size());
      t.digest = "digest " + std::to_string(t.index);
      t.mode = a.kind == AblationKind::interference ? Mode::trainer : Mode::pipeline;
      t.settings = plan.points[0].settings;
      if (a.kind == AblationKind::four_times_batch) t.settings.set("loader.batch_size", whole(40));
      t.ablation = a;
      t.points = {0};
      plan.points[0].ablations.emplace_back(a, t.index);
      plan.trials.push_back(std::move(t));
    }
  }

  // Nothing usable at all, at the base, of one trial: what chance record by record would seldom
  // make.
  void choose_spoiled() {
    if (one_in(12))
      for (const Trial& t : plan.trials) spoiled_.insert(t.index);
    if (one_in(4))
      for (const auto& [mode, t] : plan.points[0].trials) spoiled_.insert(t);
    if (one_in(3) && !plan.trials.empty())
      spoiled_.insert(static_cast<std::uint32_t>(random_.below(plan.trials.size())));
  }

  void fill() {
    std::vector<double> rates;
    const double common = std::exp(random_.uniform() * 7 + 2);
    for (std::size_t i = 0; i < plan.trials.size(); ++i)
      rates.push_back(common * pick<double>({1, 1, 1, 1.01, 1.05, 1.5, 4, 0.5}));
    for (std::uint32_t round = 0; round < rounds_; ++round)
      for (const Trial& t : plan.trials)
        for (std::uint32_t repeat = 0; repeat < (t.index == plan.anchor ? 3u : 1u); ++repeat)
          run(t, round, repeat, rates[t.index]);
  }

  void run(const Trial& t, std::uint32_t round, std::uint32_t repeat, double rate) {
    const bool skipped = t.skip || plan.points[t.points.front()].skip;
    if (skipped || one_in(15)) {  // never run
      plan.order.push_back({t.index, round, repeat});
      return;
    }
    TrialRecord& r =
        record(t.index, round, facts_of(t, rate * std::exp(noise_ * random_.normal())), repeat);
    r.environment.memory_bytes = 8ull << 30;
    bool usable = true;
    if (spoiled_.contains(t.index) || one_in(10))
      usable = !spoil(r);
    else if (one_in(12))
      r.status = Status::noisy, r.reasons.push_back({"", false, "something moved"});
    if (usable) usable_.insert({t.index, round});
  }

  // Returns true where nothing may be concluded from it.
  bool spoil(TrialRecord& r) {
    switch (random_.below(5)) {
      case 0:
        r.status = Status::failed;
        break;
      case 1:
        r.status = Status::aborted;
        break;
      case 2:
        r.status = Status::invalid;
        r.reasons.push_back({"", true, "a cause of its own"});
        break;
      default:
        impossible_facts()[random_.below(impossible_facts().size())].make(r.facts);
        return true;
    }
    if (one_in(2)) r.facts = {};
    if (r.status != Status::invalid) r.reasons.push_back({"", true, "it ended"});
    return true;
  }

  Facts facts_of(const Trial& t, double rate) {
    Facts f = good_facts(rate);
    const auto ns = static_cast<double>(f.window.ns), steps = static_cast<double>(f.window.steps);
    const double waited = pick<double>({0, 0.0001, 0.004, 0.3, 0.6, 0.99, 1});
    const auto ns_of = [&](double share) { return static_cast<std::int64_t>(share * ns); };
    if (!one_in(5)) {
      f.window.stages[static_cast<std::size_t>(Stage::get_blocked)] = {ns_of(waited),
                                                                       f.window.steps};
      f.window.stages[static_cast<std::size_t>(Stage::forward)] = {ns_of(0.9 * (1 - waited)),
                                                                   f.window.steps};
      f.window.loop.get_ns = ns_of(waited);
      f.window.loop.step_ns = f.window.ns - f.window.loop.get_ns;
      if (waited > 0 && waited < 0.5)
        add_core_wait(f, waited < 0.001 ? 1 : waited < 0.01 ? 0.03 : 0.3);
    }
    // The first step and the last are not in it, so that its mean may be longer than a step.
    const double counted = std::max(1.0, one_in(2) ? steps - 2 : steps);
    const double mean = waited * ns / counted;
    f.window.get_blocked = {mean,     mean,     2 * mean,
                            3 * mean, 3 * mean, static_cast<std::uint64_t>(counted)};
    if (one_in(2))
      f.workers.slot_wait_ns = pick<std::int64_t>({0, 1, f.window.ns / 2, f.window.ns}),
      f.workers.fill_ns -= f.workers.slot_wait_ns;
    if (one_in(2)) f.cpu.user_s = 1.5 * ns * 1e-9, f.cpu.system_s = 0.1;
    if (one_in(2))
      f.bytes.read = 1'000'000,
      f.bytes.device = pick<std::uint64_t>({0, 500'000, 1'000'000, 3'000'000});
    if (one_in(3)) f.window.stalls = {3, ns_of(0.2), 40, {{0, ns_of(0.1), 3, StallCause::step}}};
    if (one_in(3)) f.peak_memory_bytes = 1'000'000 * (1 + random_.below(900));
    if (one_in(4)) f.elements = {1000, random_.below(4000)};
    if (one_in(4)) f.shuffle = {random_.uniform(), random_.uniform()};
    if (one_in(4)) f.epochs.gap_ns = 1'000'000;
    if (one_in(4)) f.instrument.overhead_share = pick<double>({0, 0.0002, 0.008, 0.4});
    if (t.ablation.kind == AblationKind::interference) f.background_rate = rate;
    f.simulated = one_in(5);
    if (python_ && !one_in(8)) add_python(t, f);
    return f;
  }

  // Takes that share of the steps' time which no stage has.
  static void add_core_wait(Facts& f, double share) {
    LoopTimes& loop = f.window.loop;
    const StageTotal& forward = f.window.stages[static_cast<std::size_t>(Stage::forward)];
    const auto left = static_cast<double>(f.window.ns - loop.get_ns - forward.ns);
    loop.core_wait_ns = static_cast<std::int64_t>(share * left);
    loop.step_ns -= *loop.core_wait_ns;
  }

  // Whatever the other process says: of few it is known, some cannot be.
  void add_python(const Trial& t, Facts& f) {
    ExternalFacts& e = f.external.emplace();
    const auto ns_of = [&](double share) {
      return static_cast<std::int64_t>(share * static_cast<double>(f.window.ns));
    };
    const auto some_ns = [&] {
      return pick<std::int64_t>({0, 1, ns_of(0.0001), ns_of(0.1), ns_of(0.9), ns_of(5), -1});
    };
    e.way = t.mode == Mode::loader ? ExternalWay::self_timed
            : t.mode == Mode::trainer
                ? ExternalWay::replayed
                : pick<ExternalWay>({ExternalWay::all_there, ExternalWay::hand_over});
    if (t.mode != Mode::loader) e.trainer_call = "train.py:step";
    if (!one_in(10)) e.kind = pick<const char*>({"DataLoader", "Dataset", "iterable"});
    if (one_in(2)) e.where = "train.py:9", e.getitem_where = "train.py:31";
    if (one_in(2)) e.versions = "Python 3.11.2, torch 1.13.1";
    e.start_method = pick<const char*>({"", "fork", "spawn"});
    e.device = pick<const char*>({"", "cuda:0"});
    if (!e.device.empty() && one_in(4)) e.step_times = StepTimes::of_enqueue;
    if (one_in(2)) e.epoch_samples = pick<std::uint64_t>({0, 1, 15, 1000, 1'000'000});
    if (one_in(2)) e.epoch_batches = pick<std::uint64_t>({0, 1, 100});
    if (one_in(2)) e.persistent_workers = one_in(2);
    for (auto ExternalFacts::* ns :
         {&ExternalFacts::spawn_ns, &ExternalFacts::import_ns, &ExternalFacts::workers_start_ns,
          &ExternalFacts::epoch_start_ns, &ExternalFacts::hooks_ns,
          &ExternalFacts::core_wait_loader_ns, &ExternalFacts::core_wait_main_ns,
          &ExternalFacts::main_ran_ns, &ExternalFacts::direct_ns})
      if (one_in(2)) e.*ns = some_ns();
    for (auto ExternalFacts::* time : {&ExternalFacts::getitem, &ExternalFacts::collate,
                                       &ExternalFacts::handover, &ExternalFacts::pin})
      if (one_in(2)) e.*time = ExternalTime{some_ns(), random_.below(3)};
    if (one_in(2))
      for (std::uint64_t w = random_.below(5); w > 0; --w)
        e.workers.push_back({random_.below(2) * 500, random_.below(2) * 50, {}});
    if (e.workers.size() > 1 && one_in(2)) add_uneven(f, e);
    const auto growth = [&] { return pick<std::int64_t>({0, -5'000'000, 3'000'000, 60'000'000}); };
    if (one_in(2))
      e.memory = ExternalMemory{random_.below(1'000'000'000),
                                growth(),
                                growth(),
                                growth(),
                                random_.below(2) * 500,
                                {},
                                pick<std::optional<double>>({{}, 0.0, 0.9})};
    if (one_in(2)) e.runnable_mean = 20 * random_.uniform(), e.runnable_max = 20;
    if (one_in(2)) e.runnable_workers_mean = 20 * random_.uniform();
    if (one_in(2)) e.cpu_count = static_cast<std::uint32_t>(1 + random_.below(64));
    if (one_in(2)) e.threads = static_cast<std::uint32_t>(1 + random_.below(64));
    if (one_in(4))
      e.same_draws = {{"self.rng", one_in(2) ? "train.py:12" : "",
                       static_cast<std::uint32_t>(random_.below(5)), one_in(2)}};
    for (const char* kind :
         {"snapshots", "fork after threads", "workers that stay", "device tensors", "host copies",
          "pin thread", "iterator each step", "batches without a fetch", "lock held at fork"})
      if (one_in(4))
        e.noticed.push_back({kind,
                             pick<const char*>({"item", "__bool__"}),
                             one_in(2) ? "train.py:9" : "",
                             static_cast<std::uint32_t>(random_.below(3)),
                             pick<std::uint64_t>({0, 1, 1ull << 30}),
                             some_ns(),
                             {{"held_batches", pick<std::int64_t>({0, 1, 300})}}});
    if (one_in(4)) e.partners.push_back({"noise", some_ns()});
    if (one_in(2)) add_ledger(e);
    if (one_in(2)) f.cpu.throttled_s = pick<double>({0, 0.5, 50});
  }

  // The job's time, in which a validation may take any part.
  void add_ledger(ExternalFacts& e) {
    e.ledger.emplace();
    e.ledger->batches = random_.below(3) * 50;
    e.ledger->whole = one_in(2);
    for (const char* state : {"step", "wait", "iter", "first", "shutdown", "other"}) {
      ExternalSpent& spent = e.ledger->rows.emplace_back();
      spent.state = state;
      if (one_in(2)) spent.loader = "valid", spent.where = "train.py:50";
      spent.trains = one_in(2);
      spent.workers = static_cast<std::uint32_t>(random_.below(3));
      spent.ns = pick<std::int64_t>({0, 1'000'000, 3'000'000'000});
      spent.count = random_.below(3);
    }
    for (const ExternalNoticed& seen : e.noticed)
      if (seen.kind == "workers that stay" && one_in(2)) add_pass(seen, e.ledger->rows);
  }

  void add_pass(const ExternalNoticed& over, std::vector<ExternalSpent>& rows) {
    ExternalSpent& spent = rows.emplace_back();
    spent.state = "iter", spent.loader = over.what, spent.made = over.where;
    spent.ns = pick<std::int64_t>({1'000'000, 3'000'000'000}), spent.count = 1 + random_.below(2);
  }

  // One worker is as slow as the steps are, the others take a part of that.
  void add_uneven(const Facts& f, ExternalFacts& e) {
    const std::int64_t slow =
        f.window.ns / static_cast<std::int64_t>(std::max<std::uint64_t>(1, f.window.steps)) *
        static_cast<std::int64_t>(e.workers.size());
    for (ExternalWorker& w : e.workers)
      w.made_ns.assign(pick<std::size_t>({1, 40}),
                       &w == &e.workers.front() ? slow : slow / pick<std::int64_t>({1, 4, 20}));
    e.streams = one_in(4), e.prefetch_factor = 2;
    if (one_in(2)) e.in_order = !one_in(4);
  }

  Random random_;
  std::uint64_t modes_ = 7;
  std::uint32_t rounds_ = 1;
  double noise_ = 0;
  bool python_ = false;
  std::set<std::uint32_t> spoiled_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> usable_;  // trial, round
};

inline std::span<const Impossible> impossible_facts() noexcept {
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                          kInf = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  static constexpr auto stage = [](Facts& f, Stage s) -> StageTotal& {
    return f.window.stages[static_cast<std::size_t>(s)];
  };
  static const auto share_probe = [](Facts& f, double mean) {
    ProbeFacts p;
    p.name = "cpu_busy", p.unit = "share", p.mean = mean, p.min = mean, p.max = mean,
    p.samples = 10;
    f.probes.push_back(p);
  };
  static const Impossible all[] = {
      {"a window of 0", [](Facts& f) { f.window.ns = 0; }},
      {"a window of -1", [](Facts& f) { f.window.ns = -1; }},
      {"the least window there is", [](Facts& f) { f.window.ns = kLeast; }},
      {"no step", [](Facts& f) { f.window.steps = 0; }},
      {"no sample", [](Facts& f) { f.window.samples = 0; }},
      {"too short a window", [](Facts& f) { f.window.ns = 1'000'000; }},
      {"too few steps", [](Facts& f) { f.window.steps = 4; }},
      {"a slope that is no number", [](Facts& f) { f.window.slope_share = kNan; }},
      {"an infinite slope", [](Facts& f) { f.window.slope_share = -kInf; }},
      {"a wait longer than the window",
       [](Facts& f) { stage(f, Stage::get_blocked) = {2 * f.window.ns, 5}; }},
      {"a wait of the loop longer than the window",
       [](Facts& f) {
         f.window.loop.get_ns = f.window.ns + f.window.ns / 2, f.window.loop.step_ns = 1;
       }},
      {"waits that add up to more than the window",
       [](Facts& f) {
         f.window.get_blocked = {1.66 * static_cast<double>(f.window.ns), 0, 0, 0, 0, 1};
       }},
      {"a wait below 0", [](Facts& f) { stage(f, Stage::get_blocked) = {-5, 5}; }},
      {"a loop's wait below 0",
       [](Facts& f) {
         f.window.loop.get_ns = -f.window.ns, f.window.loop.step_ns = 2 * f.window.ns;
       }},
      {"a mean wait that is no number",
       [](Facts& f) { f.window.get_blocked = {kNan, kNan, kNan, kNan, kNan, 10}; }},
      {"an infinite step", [](Facts& f) { f.window.step = {kInf, 1, 1, 1, kInf, 10}; }},
      {"stalls longer than the window",
       [](Facts& f) { f.window.stalls = {3, 3 * f.window.ns, 0, {}}; }},
      {"stalls below 0", [](Facts& f) { f.window.stalls = {3, kLeast, 0, {}}; }},
      {"a stall below 0",
       [](Facts& f) { f.window.stalls = {1, 5, 0, {{0, kLeast, 1, StallCause::step}}}; }},
      {"a period that is no number", [](Facts& f) { f.window.stalls = {1, 5, kNan, {}}; }},
      {"more stalls than steps",
       [](Facts& f) { f.window.stalls = {f.window.steps + 1, 5, 0, {}}; }},
      {"a start-up below 0", [](Facts& f) { f.start.first_batch_ns = -2147483648; }},
      {"an epoch gap below 0", [](Facts& f) { f.epochs.gap_ns = -2147483648; }},
      {"no memory", [](Facts& f) { f.peak_memory_bytes = 0; }},
      {"CPU time that is no number", [](Facts& f) { f.cpu.user_s = kNan, f.cpu.system_s = 1; }},
      {"CPU time below 0", [](Facts& f) { f.cpu.loader_s = -1, f.cpu.trainer_s = 3; }},
      {"infinitely many cores", [](Facts& f) { f.cpu.cores_available = kInf; }},
      {"over all of the CPU time stolen", [](Facts& f) { f.cpu.steal_share = 1.2; }},
      {"other programs that used less than nothing", [](Facts& f) { f.cpu.others_s = -1; }},
      {"a wait for a core of no number", [](Facts& f) { f.cpu.run_delay_most_s = kNan; }},
      {"measuring that cost less than nothing",
       [](Facts& f) { f.instrument.overhead_share = -0.1; }},
      {"measuring that cost no number", [](Facts& f) { f.instrument.overhead_share = kNan; }},
      {"more than all in the page cache", [](Facts& f) { f.cache.resident_before = 1.5; }},
      {"a share in the page cache that is no number",
       [](Facts& f) { f.cache.resident_before = kNan; }},
      {"more than all followed by their successors", [](Facts& f) { f.shuffle.together = 1.5; }},
      {"a displacement below 0", [](Facts& f) { f.shuffle.displacement = -0.5; }},
      {"a wait for credits below 0", [](Facts& f) { f.workers.slot_wait_ns = -f.window.ns; }},
      {"filling below 0", [](Facts& f) { f.workers.fill_ns = -f.window.ns; }},
      {"a background loader of no number", [](Facts& f) { f.background_rate = kNan; }},
      {"a background loader below 0", [](Facts& f) { f.background_rate = -3; }},
      {"a probe of no number", [](Facts& f) { share_probe(f, kNan); }},
      {"an infinite probe", [](Facts& f) { share_probe(f, kInf); }},
      {"a clock slew of no number", [](Facts& f) { f.instrument.clock_slew_ppm = kNan; }},
      {"a loss of no number", [](Facts& f) { f.parts.loss_last = kNan; }},
      {"samples lost", [](Facts& f) { f.accounting.missing = 3; }},
  };
  return all;
}

}  // namespace benchbench::test
