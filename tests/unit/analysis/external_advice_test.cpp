// What is advised to do about a loader in the user's Python, and what is next for it.
#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/conclusion.h"
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

// L, T and F of the base: the loader is the limit.
struct Slow : PythonRun {
  Change change;
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
    CHECK(more.advice->to == "8");
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

TEST_CASE("conclusion of the user's loader: what was found holds for it, not for another",
          "[unit][analysis]") {
  Slow run;
  run.next(&catalogue());
  CHECK(run.findings().conclusion.holds_for.empty());
  for (Point& p : run.plan.points) p.settings.set("loader.use", test::words("native"));
  for (TrialRecord& r : run.records) r.facts.external.reset();
  CHECK(run.findings().conclusion.holds_for == "native");
}

}  // namespace benchbench::external_advice_test
