// What is advised to do about a loader in the user's Python, and what is next for it.
#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/job.h"
#include "tests/unit/analysis/python_run.h"

namespace benchbench::external_advice_test {

using test::leave_idle;
using test::ms;
using test::PythonRun;

constexpr PartDescription kPython{.kind = PartKind::loader,
                                  .name = "python",
                                  .summary = "x",
                                  .takes_dataset = true,
                                  .external = true};
constexpr PartDescription kStep{
    .kind = PartKind::trainer, .name = "python", .summary = "x", .external = true};
const Catalog& catalogue() {
  static const PartRow rows[] = {{&kPython, {}, ""}, {&kStep, {}, ""}};
  static const Catalog all{std::span<const PartRow>(rows)};
  return all;
}

TEST_CASE(
    "advice of the user's Python: what a DataLoader has a keyword for, "
    "threads of the step, and nothing else",
    "[unit][analysis]") {
  SettingsMap s = PythonRun().python_settings(2);
  for (const auto& [key, text] :
       {std::pair("trainer.use", "python"), {"trainer.device", "cpu"}, {"loader.access", "random"}})
    s.set(key, test::words(text));
  s.set("loader.in_order", {ParameterType::boolean, true});
  s.set("trainer.intra_op_threads", test::words("4"));
  s.set("trainer.log_every", test::whole(5));
  s.set("dataset.format", test::words("image_folder"));
  const auto advised = [&](Component c, bool own_workers = false) {
    return advise(c, {s, catalogue(), 8, own_workers});
  };
  const Advice more = advised(Component::decode);
  CHECK(more.key == "loader.num_workers");
  CHECK(more.to == "4");
  CHECK(more.in_code);
  CHECK(advised(Component::order).key == "loader.in_order");
  for (const Component c :
       {Component::storage, Component::sync, Component::compute, Component::copy})
    CHECK(advised(c).key.empty());
  for (const Component c : {Component::decode, Component::order, Component::tiny_batch})
    CHECK(advised(c, true).key.empty());
  const AdviceScene scene{s, catalogue(), 8};
  CHECK(change_of(Component::contention, Remedy::fewer_threads, "trainer.intra_op_threads", "2",
                  scene)
            ->in_code);
  CHECK_FALSE(
      change_of(Component::order, Remedy::out_of_order, "loader.dispatch", "shared", scene));
  CHECK_FALSE(change_of(Component::sync, Remedy::rarer, "trainer.log_every", "50", scene));
  CHECK_FALSE(change_of(Component::storage, Remedy::whole_files, "dataset.format", "tar", scene));
}

// A batch takes a worker 70 ms of a core, and the main process 12 ms of a step and 1 ms more.
void time_batches(Facts& f) {
  const double steps = static_cast<double>(f.window.steps);
  ExternalFacts& e = *f.external;
  e.getitem = ExternalTime{ms(65 * steps), f.window.samples};
  e.collate = ExternalTime{ms(5 * steps), f.window.steps};
  e.core_wait_loader_ns = e.core_wait_main_ns = 0;
  e.main_ran_ns = ms(steps);
  f.cpu.user_s = 0.083 * steps, f.cpu.system_s = f.cpu.others_s = 0;
  f.cpu.cores_available = 8;
}

// L, T and F of the base: the loader is the limit.
struct Slow : PythonRun {
  Change change = time_batches;
  Next next(const Catalog* catalog) {
    const auto p = point({}, python_settings(4));
    plan.points[p].settings.set("trainer.use", test::words("python"));
    fill(trial(p, Mode::loader), [&] { return self_timed(20, 4); }, change);
    fill(trial(p, Mode::trainer), [&] { return facts(ExternalWay::replayed, 12, 0, 0); }, {});
    fill(trial(p, Mode::pipeline), [&] { return facts(ExternalWay::all_there, 20, 8, 4); }, change);
    return analyse(plan, records, catalog).conclusion.next;
  }
};

TEST_CASE(
    "next step of the user's loader: more workers, "
    "unless they would not help; then what takes its time",
    "[unit][analysis]") {
  for (const Catalog* catalog : {static_cast<const Catalog*>(nullptr), &catalogue()}) {
    const Next more = Slow().next(catalog);
    CHECK(more.kind == NextKind::more_workers);
    REQUIRE(more.advice);
    CHECK(more.advice->in_code);
    CHECK(more.advice->to == "6");
    REQUIRE(more.workers);
    CHECK(more.workers->times == Approx(17.5 / 13).epsilon(0.01));
    Slow idle, timed, iterable;
    idle.change = [](Facts& f) { leave_idle(f, 2); };
    // Nothing was timed, and no component can be replaced.
    CHECK(idle.next(catalog).kind == NextKind::none);
    timed.change = [](Facts& f) {
      leave_idle(f, 2), f.external->getitem = ExternalTime{ms(6000), 1600};
    };
    CHECK(timed.next(catalog).kind == NextKind::own_code);
    iterable.change = [](Facts& f) { f.external->kind = "iterable", f.external->workers.clear(); };
    CHECK(iterable.next(catalog).kind == NextKind::own_batches);  // no settings of it are known
  }
}

TEST_CASE("next step of the user's loader: no more workers where a core or the main process lacks",
          "[unit][analysis]") {
  const auto limit = [](const PythonRun::Change& change) {
    Slow run;
    run.change = [&](Facts& f) { time_batches(f), change(f); };
    const Next next = run.next(&catalogue());
    CHECK(next.kind == NextKind::own_code);
    return next.workers ? next.workers->limit : WorkersLimit::workers;
  };
  CHECK(limit([](Facts& f) { f.cpu.others_s = 4 * 1e-9 * static_cast<double>(f.window.ns); }) ==
        WorkersLimit::others);
  CHECK(limit([](Facts& f) { f.cpu.cores_available = 4; }) == WorkersLimit::cores);
  CHECK(limit([](Facts& f) { f.external->main_ran_ns = ms(900); }) == WorkersLimit::main);
  CHECK(limit([](Facts& f) { f.external->getitem->ns /= 2; }) == WorkersLimit::unseen);
  CHECK(limit([](Facts& f) {
          auto& workers = f.external->workers;
          for (ExternalWorker& w : workers) w = {40, 5, {}};
          workers.front() = {1480, 185, {}};
        }) == WorkersLimit::one_worker);
  for (auto ExternalFacts::* unknown :
       {&ExternalFacts::main_ran_ns, &ExternalFacts::core_wait_loader_ns})
    CHECK(limit([=](Facts& f) { (*f.external).*unknown = std::nullopt; }) == WorkersLimit::unknown);
  CHECK(limit([](Facts& f) { f.cpu.others_s.reset(); }) == WorkersLimit::unknown);
}

// A step of 12 ms that takes 20 with its loader, which alone would make a batch in 10.
struct Contended : PythonRun {
  Next next(double core_wait_ms) {
    const auto p = point({}, python_settings(4));
    plan.points[p].settings.set("trainer.use", test::words("python"));
    const Change waits = [=](Facts& f) {
      f.external->core_wait_main_ns = ms(core_wait_ms * static_cast<double>(f.window.steps));
    };
    fill(trial(p, Mode::loader), [&] { return self_timed(10, 4); }, {});
    fill(trial(p, Mode::trainer), [&] { return facts(ExternalWay::replayed, 12, 0, 0); }, {});
    fill(trial(p, Mode::pipeline), [&] { return facts(ExternalWay::all_there, 20, 1, 4); }, waits);
    return analyse(plan, records, &catalogue()).conclusion.next;
  }
};

TEST_CASE("next step: fewer workers only where a thread waited for a core", "[unit][analysis]") {
  const Next waited = Contended().next(4);
  REQUIRE(waited.advice);
  CHECK(waited.advice->remedy == Remedy::fewer_workers);
  // A lock that two threads share slows a step down, too.
  CHECK(Contended().next(0).kind == NextKind::none);
  CHECK(Contended().next(0.2).kind == NextKind::none);
}

TEST_CASE("next step: no faster device for a step of the user's that was not looked into",
          "[unit][analysis]") {
  PythonRun run;
  const auto p = run.point({}, run.python_settings(4));
  run.plan.points[p].settings.set("trainer.use", test::words("python"));
  run.fill(run.trial(p, Mode::loader), [&] { return run.self_timed(10, 4); }, {});
  const auto step = [&](ExternalWay way) {
    Facts f = run.facts(way, 20, 0.1, way == ExternalWay::replayed ? 0 : 4);
    f.external->trainer_call = "train.py:step";
    return f;
  };
  run.fill(run.trial(p, Mode::trainer), [&] { return step(ExternalWay::replayed); }, {});
  run.fill(run.trial(p, Mode::pipeline), [&] { return step(ExternalWay::all_there); }, {});
  const Findings f = analyse(run.plan, run.records, &catalogue());
  REQUIRE(f.points.front().side == Side::trainer);
  CHECK(f.conclusion.next.kind == NextKind::none);
}

TEST_CASE("next step: no faster device for the step of a script, whatever is known of its parts",
          "[unit][analysis]") {
  const auto next = [](const char* measured_by) {
    PythonRun run;
    const auto p = run.point({}, run.python_settings(4));
    run.plan.scenario.base.set("measure.class", test::words(measured_by));
    run.fill(run.trial(p, Mode::loader), [&] { return run.self_timed(10, 4); }, {});
    run.fill(run.trial(p, Mode::trainer),
             [&] { return run.facts(ExternalWay::replayed, 20, 0, 0); }, {});
    run.fill(run.trial(p, Mode::pipeline),
             [&] { return run.facts(ExternalWay::all_there, 20, 0.1, 4); }, {});
    const Findings f = analyse(run.plan, run.records);
    CHECK(f.points.front().side == Side::trainer);
    return f.conclusion.next.kind;
  };
  CHECK(next("stretch") == NextKind::none);
  CHECK(next("interactive") == NextKind::change);
}

TEST_CASE("conclusion of the user's loader: what was found holds for it, not for another",
          "[unit][analysis]") {
  Slow run;
  run.next(&catalogue());
  CHECK(run.findings().conclusion.holds_for.empty());
  for (Point& p : run.plan.points) p.settings.set("loader.use", test::words("native"));
  for (TrialRecord& r : run.records) r.facts.external.reset();
  CHECK(run.findings().conclusion.holds_for == "native");
}

// 3200 samples at 800 a second are 4 s, and half a second passes until the next epoch.
TEST_CASE("external: an epoch and a job take the gaps between epochs too", "[unit][analysis]") {
  PythonRun run;
  run.noise = 0;
  run.pipeline(2, 20, 12,
               [](Facts& f) { f.epochs.gap_ns = ms(500), f.epochs.samples = PythonRun::kEpoch; });
  const Findings f = run.findings();
  REQUIRE(f.conclusion.epoch_seconds);
  CHECK(*f.conclusion.epoch_seconds == Approx(4.5));
  CHECK(*job_of(run.plan, f, {JobUnit::epochs, 800, {}}).hours == Approx(1));
  CHECK(*job_of(run.plan, f, {JobUnit::samples, 3200.0 * 800, {}}).hours == Approx(1));
  CHECK(*job_of(run.plan, f, {JobUnit::hours, 1, {}}).samples == Approx(3200.0 * 800));
}

}  // namespace benchbench::external_advice_test
