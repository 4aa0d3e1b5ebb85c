// What the last paragraph is to say; its words are tested in tests/unit/report.
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/analyse.h"

#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/job.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::conclusion_test {

using test::MadeRun;
using test::whole;
using test::words;

// Points that differ in their workers only, the base first; five rounds alike.
struct Sweep : MadeRun {
  std::uint32_t add(std::int64_t workers, double loader, double trainer, double pipeline) {
    std::vector<std::pair<std::string, std::string>> labels{
        {"loader.num_workers", std::to_string(workers)}};
    const auto p = point(labels, settings(workers));
    const auto alike = [&](Mode mode, double rate) {
      if (rate > 0) rates(trial(p, mode), std::vector<double>(5, rate));
    };
    alike(Mode::loader, loader), alike(Mode::trainer, trainer), alike(Mode::pipeline, pipeline);
    return p;
  }
  Findings found() const {
    Findings f = analyse(plan, records);
    f.recommended.reset(), f.axes.clear();
    f.conclusion = conclude(plan, f, nullptr);
    return f;
  }
  Conclusion conclusion() const { return found().conclusion; }
};

// The point to use, and what spoke for it.
Findings using_point(Findings f, const Plan& plan, std::uint32_t point,
                     Mode mode = Mode::pipeline) {
  Recommended r;
  r.point = r.fastest = point, r.choice = Choice::faster, r.mode = mode;
  f.recommended = r;
  f.conclusion = conclude(plan, f, nullptr);
  return f;
}

TEST_CASE("conclusion: the base is spoken of, else the point to use, else any that has a side",
          "[unit][analysis]") {
  Sweep run;
  run.add(1, 100, 500, 100);
  const auto more = run.add(2, 190, 500, 190), most = run.add(4, 300, 500, 300);
  CHECK(run.conclusion().subject == 0u);
  CHECK(run.conclusion().severity == Severity::critical);
  for (TrialRecord& r : run.records)
    if (r.trial.points.front() == 0) r.facts.accounting.duplicated = 1;
  CHECK(run.conclusion().subject == more);
  CHECK(using_point(run.found(), run.plan, most).conclusion.subject == most);
  for (TrialRecord& r : run.records) r.facts.accounting.duplicated = 1;
  CHECK_FALSE(run.conclusion().subject);
  CHECK(run.conclusion().next.kind == NextKind::valid_trials);
}

TEST_CASE(
    "conclusion: more workers will not help where the trainer binds and none that was tried did",
    "[unit][analysis]") {
  Sweep run, none, loader;
  run.add(2, 1000, 100, 99);
  const auto four = run.add(4, 1000, 120, 119), one = run.add(1, 1000, 100, 99);
  CHECK(run.conclusion().workers_will_not_help);
  CHECK(run.conclusion().severity == Severity::none);  // a step all training is as it should be
  CHECK_FALSE(using_point(run.found(), run.plan, four).conclusion.workers_will_not_help);
  CHECK(using_point(run.found(), run.plan, one).conclusion.workers_will_not_help);
  Findings f = run.found();
  AxisEffect axis;
  axis.values.resize(1);
  axis.values[0].point = four, axis.values[0].shown = Shown::not_shown;
  f.axes = {axis};
  CHECK(conclude(run.plan, f, nullptr).workers_will_not_help);
  f.axes[0].values[0].shown = Shown::faster;
  CHECK_FALSE(conclude(run.plan, f, nullptr).workers_will_not_help);
  f.axes[0].values[0].point = one;  // fewer
  CHECK(conclude(run.plan, f, nullptr).workers_will_not_help);
  none.add(0, 300, 150, 100);  // the first would overlap both sides
  CHECK_FALSE(none.conclusion().workers_will_not_help);
  loader.add(2, 100, 500, 100);
  CHECK_FALSE(loader.conclusion().workers_will_not_help);
}

TEST_CASE(
    "conclusion: headroom is narrow from 1 and ample from 1.2, "
    "of the point to use where it has one",
    "[unit][analysis]") {
  const auto headroom = [](double loader) {
    Sweep run;
    run.add(2, loader, 1000, 500);
    Findings f = run.found();
    f.points[0].headroom = Estimate{loader / 1000, 0, 0, 5};
    return conclude(run.plan, f, nullptr).headroom;
  };
  CHECK(headroom(999) == Headroom::too_little);
  CHECK(headroom(1000) == Headroom::narrow);
  CHECK(headroom(1199) == Headroom::narrow);
  CHECK(headroom(1200) == Headroom::ample);
  Sweep run;
  run.add(2, 100, 500, 100);
  const auto four = run.add(4, 700, 500, 500), bare = run.add(8, 0, 0, 400);
  CHECK(using_point(run.found(), run.plan, four).conclusion.headroom_of == four);
  CHECK(using_point(run.found(), run.plan, four).conclusion.headroom == Headroom::ample);
  CHECK(using_point(run.found(), run.plan, bare).conclusion.headroom_of == 0u);
  CHECK(using_point(run.found(), run.plan, bare).conclusion.headroom == Headroom::too_little);
  Sweep alone;
  alone.add(2, 100, 0, 0);
  CHECK(alone.conclusion().headroom == Headroom::not_measured);
}

TEST_CASE("conclusion: the least headroom is that of points that differ in conditions alone",
          "[unit][analysis]") {
  Sweep run;
  run.add(2, 2280, 100, 99);
  const auto cold = run.add(2, 106, 100, 99), slow = run.add(2, 90, 100, 89);
  const auto least = [&] { return run.conclusion().least_headroom_of; };
  CHECK_FALSE(least());  // no condition
  run.plan.points[cold].settings.set("dataset.cache", words("cold"));
  run.plan.points[slow].settings.set("dataset.storage.like", words("s3"));
  run.plan.points[slow].settings.set("loader.batch_size", whole(20));
  CHECK(least() == cold);
  run.plan.points[slow].settings.set("loader.batch_size", whole(10));
  CHECK(least() == slow);
  CHECK_FALSE(using_point(run.found(), run.plan, slow).conclusion.least_headroom_of);
}

TEST_CASE("conclusion: mocks that ran, emulated storage and virtual time make a what-if",
          "[unit][analysis]") {
  const auto what_if = [](auto change, bool trains = true) {
    Sweep run;
    run.add(2, 100, trains ? 500 : 0, trains ? 100 : 0);
    run.plan.points[0].settings.set("loader.use", words("native"));
    run.plan.points[0].settings.set("trainer.use", words("discard"));
    change(run);
    return run.conclusion().what_if;
  };
  CHECK_FALSE(what_if([](Sweep&) {}));
  CHECK(what_if([](Sweep& run) { run.plan.scenario.mocks = {"trainer=discard"}; }));
  // The loader alone is real.
  CHECK_FALSE(what_if([](Sweep& run) { run.plan.scenario.mocks = {"trainer=discard"}; }, false));
  CHECK(what_if([](Sweep& run) { run.plan.scenario.mocks = {"loader=native"}; }, false));
  CHECK_FALSE(what_if(
      [](Sweep& run) { run.plan.scenario.mocks = {"loader=synthetic", "trainer=native"}; }));
  CHECK(what_if([](Sweep& run) {
    run.plan.points[0].settings.set("dataset.storage.latency",
                                    Value{ParameterType::duration, std::int64_t{30'000'000}});
  }));
  CHECK(what_if([](Sweep& run) { run.records[0].facts.simulated = true; }));
}

TEST_CASE("conclusion: an epoch's length, and its time before and after", "[unit][analysis]") {
  Sweep run;
  run.add(2, 100, 500, 100);
  const auto four = run.add(4, 250, 500, 250);
  CHECK_FALSE(run.conclusion().epoch_seconds);
  for (TrialRecord& r : run.records) r.facts.epochs.samples = 5000;
  CHECK(run.found().epoch_samples == 5000u);
  CHECK(*run.conclusion().epoch_seconds == Approx(50));
  CHECK_FALSE(run.conclusion().epoch_seconds_after);
  CHECK(*using_point(run.found(), run.plan, four).conclusion.epoch_seconds_after == Approx(20));
  CHECK_FALSE(
      using_point(run.found(), run.plan, four, Mode::loader).conclusion.epoch_seconds_after);
  for (const std::uint32_t p : {0u, four})
    run.plan.points[p].settings.set("dataset.synthesize.samples", whole(5000 + p));
  // The point has another data set.
  CHECK_FALSE(using_point(run.found(), run.plan, four).conclusion.epoch_seconds_after);
  run.plan.points[four].settings.set("dataset.synthesize.samples", whole(5000));
  CHECK(using_point(run.found(), run.plan, four).conclusion.epoch_seconds_after);
  run.plan.points[four].settings.set("dataset.format", words("tar"));  // the same samples
  CHECK(using_point(run.found(), run.plan, four).conclusion.epoch_seconds_after);
  run.plan.points[four].settings.set("dataset.synthesize.size", whole(64));
  CHECK_FALSE(using_point(run.found(), run.plan, four).conclusion.epoch_seconds_after);
  run.plan.points[0].settings.set("dataset.synthesize.size", whole(64));
  CHECK(using_point(run.found(), run.plan, four).conclusion.epoch_seconds_after);
  // Older records do not have it: what was made is told by the settings, a user's own data by
  // nothing.
  for (TrialRecord& r : run.records) r.facts.epochs.samples.reset();
  CHECK(run.found().epoch_samples == 5000u);
  run.plan.points[0].settings.set("dataset.path", words("photos"));
  CHECK_FALSE(run.found().epoch_samples);
}

TEST_CASE("conclusion: a job's hours are its samples over the pipeline's rate",
          "[unit][analysis]") {
  Sweep run;
  run.add(2, 100, 500, 100);
  const auto four = run.add(4, 250, 500, 250);
  for (TrialRecord& r : run.records) r.facts.epochs.samples = 7200;
  const Findings base = run.found(), other = using_point(run.found(), run.plan, four);
  const TrainingJob samples = job_of(run.plan, base, {JobUnit::samples, 3.6e6, 3.2});
  CHECK(*samples.hours == Approx(10));
  CHECK(*samples.samples == 3.6e6);
  CHECK(samples.price == 3.2);
  CHECK_FALSE(samples.hours_after);
  CHECK(*job_of(run.plan, other, {JobUnit::samples, 3.6e6, {}}).hours_after == Approx(4));
  CHECK(*job_of(run.plan, other, {JobUnit::epochs, 50, {}}).samples == 360000);
  CHECK(*job_of(run.plan, other, {JobUnit::epochs, 50, {}}).hours == Approx(1));
  CHECK(*job_of(run.plan, other, {JobUnit::epochs, 50, {}}).hours_after == Approx(0.4));
  CHECK(*job_of(run.plan, other, {JobUnit::hours, 5, {}}).hours == 5);
  CHECK(*job_of(run.plan, other, {JobUnit::hours, 5, {}}).hours_after == Approx(2));
  CHECK(*job_of(run.plan, other, {JobUnit::hours, 5, {}}).samples == Approx(1.8e6));
  CHECK_FALSE(job_of(run.plan, using_point(run.found(), run.plan, four, Mode::loader),
                     {JobUnit::hours, 5, {}})
                  .hours_after);
  Findings paired = other;  // the ratio of the rounds that both have
  paired.recommended->over_base.ratio = Estimate{2, 2, 2, 3};
  CHECK(*job_of(run.plan, paired, {JobUnit::hours, 5, {}}).hours_after == Approx(2.5));
  CHECK(*conclude(run.plan, paired, nullptr).epoch_seconds_after == Approx(36));
  Plan others = run.plan;
  others.points[four].settings.set("dataset.path", words("photos"));
  for (const JobUnit unit : {JobUnit::hours, JobUnit::epochs, JobUnit::samples})
    CHECK_FALSE(job_of(others, paired, {unit, 5, {}}).hours_after);
  others.points[0].settings.set("dataset.path", words("photos"));
  CHECK(job_of(others, paired, {JobUnit::hours, 5, {}}).hours_after);
  Findings unknown = run.found();
  unknown.epoch_samples.reset();
  CHECK_FALSE(job_of(run.plan, unknown, {JobUnit::epochs, 50, {}}).hours);
  for (TrialRecord& r : run.records)
    if (r.trial.points.front() == 0) r.facts.accounting.duplicated = 1;
  CHECK_FALSE(job_of(run.plan, run.found(), {JobUnit::samples, 3.6e6, {}}).hours);
  CHECK_FALSE(job_of(run.plan, run.found(), {JobUnit::hours, 5, {}}).hours);
}

TEST_CASE("conclusion: no more workers are advised than cores have time for, where they compute",
          "[unit][analysis]") {
  Sweep run;
  run.add(4, 100, 500, 100);
  const auto next = [&](Measured cpu_rate) {
    Findings f = run.found();
    f.points[0].cpu_rate = cpu_rate;
    return conclude(run.plan, f, nullptr).next;
  };
  const auto rate = [](double c) { return Measured(Estimate{c, c, c, 5}); };
  CHECK(next(std::nullopt).advice->to == "8");
  CHECK(next(rate(20'000)).advice->to == "8");  // they sleep
  CHECK(next(rate(160)).advice->to == "6");
  CHECK(next(rate(124)).kind == NextKind::substitute);
  CHECK(next(rate(103)).kind == NextKind::substitute);
}

TEST_CASE("conclusion: a device that waits for launches is not made faster", "[unit][analysis]") {
  // Of 5 steps in 1 s: kernels, and what the host spends on enqueueing them.
  const auto component = [](std::int64_t kernels_ms, std::int64_t enqueue_ms) {
    Sweep run;
    run.add(2, 1000, 100, 99);
    for (TrialRecord& r : run.records) {
      if (r.trial.mode == Mode::loader) continue;
      const double share = static_cast<double>(r.facts.window.ns) * 1e-9;
      const auto ns = [&](std::int64_t ms) {
        return static_cast<std::int64_t>(share * static_cast<double>(ms) * 1e6);
      };
      r.facts.device = DeviceFacts{.name = "emulated"};
      r.facts.device->span_ns = r.facts.window.ns;
      r.facts.window.stages[static_cast<std::size_t>(Stage::forward)] = {ns(kernels_ms), 5};
      r.facts.window.stages[static_cast<std::size_t>(Stage::enqueue)] = {ns(enqueue_ms), 5};
      r.facts.window.get_blocked = {0, 0, 0, 0, 0, 5};
    }
    return run.conclusion().next.advice->component;
  };
  CHECK(component(700, 990) == Component::launch);
  CHECK(component(300, 990) == Component::launch);
  // The queue is full, and the host waits for the device.
  CHECK(component(970, 990) == Component::compute);
  CHECK(component(700, 300) == Component::compute);
}

TEST_CASE("conclusion: what a tenth of a step goes to after it comes before a faster device",
          "[unit][analysis]") {
  // Milliseconds of a second of 9 steps; kernels are a device's with memory of its own, 0: none.
  const auto component = [](std::int64_t checkpoint, std::int64_t postprocess,
                            std::int64_t kernels = 0, std::int64_t copy = 0) {
    Sweep run;
    run.add(2, 1000, 100, 99);
    for (TrialRecord& r : run.records) {
      if (r.trial.mode == Mode::loader) continue;
      const auto spend = [&](Stage stage, std::int64_t ms) {
        r.facts.window.stages[static_cast<std::size_t>(stage)] = {ms * 1'000'000, 9};
      };
      spend(Stage::checkpoint, checkpoint), spend(Stage::postprocess, postprocess);
      spend(Stage::h2d, copy);
      spend(Stage::forward, kernels > 0 ? kernels : 1000 - checkpoint - postprocess - copy);
      if (kernels > 0) {
        spend(Stage::enqueue, 1000 - checkpoint - postprocess);
        r.facts.device = DeviceFacts{.name = "emulated"};
        r.facts.device->span_ns = r.facts.window.ns;
      }
      r.facts.window.get_blocked = {0, 0, 0, 0, 0, 5};
    }
    return run.conclusion().next.advice->component;
  };
  CHECK(component(290, 0) == Component::checkpoint);
  CHECK(component(0, 290) == Component::postprocess);
  CHECK(component(120, 150) == Component::postprocess);
  CHECK(component(90, 0) == Component::compute);
  CHECK(component(120, 0, 0, 600) == Component::copy);
  CHECK(component(120, 0, 0, 100) == Component::checkpoint);
  CHECK(component(0, 0) == Component::compute);
  // A device that computes meanwhile loses nothing by it.
  CHECK(component(290, 0, 970) == Component::compute);
  CHECK(component(290, 0, 500) == Component::checkpoint);
}

TEST_CASE("conclusion: what a step goes to is that of the point that is spoken of",
          "[unit][analysis]") {
  Sweep run;
  run.add(2, 1000, 100, 99);
  const auto four = run.add(4, 1000, 120, 119);
  for (TrialRecord& r : run.records) {
    r.facts.window.stages[static_cast<std::size_t>(Stage::forward)] = {400'000'000, 9};
    if (r.trial.points.front() == 0)
      r.facts.window.stages[static_cast<std::size_t>(Stage::checkpoint)] = {500'000'000, 9};
    r.facts.window.get_blocked = {0, 0, 0, 0, 0, 5};
  }
  const Findings found = run.found();
  REQUIRE(found.steps.size() == 2);
  CHECK(found.conclusion.next.advice->component == Component::checkpoint);
  CHECK(using_point(found, run.plan, four).conclusion.next.advice->component == Component::compute);
}

TEST_CASE("conclusion: the next thing to try follows what binds, and was not tried",
          "[unit][analysis]") {
  const auto next = [](const Sweep& run) { return run.conclusion().next; };
  Sweep loader;
  loader.add(3, 100, 500, 100);
  CHECK(next(loader).kind == NextKind::more_workers);
  CHECK(next(loader).advice->to == "6");
  const auto six = loader.add(6, 100, 500, 100);
  // More workers were tried, and are not the point to use.
  CHECK(next(loader).kind == NextKind::substitute);
  const Next after = using_point(loader.found(), loader.plan, six).conclusion.next;
  CHECK(after.kind == NextKind::more_workers);
  CHECK(after.advice->to == "12");
  CHECK(after.at == six);
  Sweep turns, long_steps;  // without workers one overlaps both sides, whichever is longer
  turns.add(0, 150, 300, 100);
  CHECK(next(turns).kind == NextKind::more_workers);
  turns.records.clear();
  turns.plan = {};
  turns.add(0, 300, 150, 100);
  CHECK(next(turns).kind == NextKind::more_workers);
  CHECK(next(turns).advice->to == "1");
  turns.add(1, 300, 150, 100);
  CHECK(next(turns).kind == NextKind::change);  // it did not
  long_steps.add(0, 10000, 100, 99);
  CHECK(next(long_steps).kind == NextKind::change);  // hardly anything to overlap
  Sweep trainer;
  trainer.add(2, 1000, 100, 99);
  CHECK(next(trainer).kind == NextKind::change);
  CHECK(next(trainer).advice->component == Component::compute);
  for (TrialRecord& r : trainer.records) {
    r.facts.window.stages[static_cast<std::size_t>(Stage::forward)] = {100'000'000, 5};
    r.facts.window.stages[static_cast<std::size_t>(Stage::checkpoint)] = {600'000'000, 5};
    r.facts.window.get_blocked = {0, 0, 0, 0, 0, 5};
  }
  CHECK(next(trainer).advice->component == Component::checkpoint);  // what its step spends most on
  Sweep busy;
  busy.add(2, 110, 500, 100);
  for (TrialRecord& r : busy.records)
    r.facts.cpu.user_s = 2.0 * static_cast<double>(r.facts.window.ns) * 1e-9,
    r.facts.cpu.system_s = 0;
  CHECK(busy.conclusion().cores_busy);
  CHECK(next(busy).kind == NextKind::substitute);
  Sweep alone;
  alone.add(2, 100, 0, 0);
  CHECK(next(alone).kind == NextKind::other_modes);
  Sweep nothing;
  nothing.add(2, 0, 0, 0);
  CHECK(next(nothing).kind == NextKind::none);
}

TEST_CASE("conclusion: a lock that holds the pipeline back is mended before a mode is added",
          "[unit][analysis]") {
  const auto next = [](double locked, double waited, double trainer = 0) {
    Sweep run;
    run.add(2, 100, trainer, 100);
    for (TrialRecord& r : run.records) {
      const auto share_of_window = [&](double share) {
        return std::llround(share * static_cast<double>(r.facts.window.ns));
      };
      auto& stages = r.facts.window.stages;
      stages[static_cast<std::size_t>(Stage::lock)] = {share_of_window(locked),
                                                       r.facts.window.steps};
      stages[static_cast<std::size_t>(Stage::get_blocked)] = {share_of_window(waited),
                                                              r.facts.window.steps};
    }
    return run.conclusion().next;
  };
  CHECK(next(0.5, 1).kind == NextKind::change);
  CHECK(next(0.5, 1).advice->component == Component::lock);
  CHECK(next(0.05, 1).kind == NextKind::other_modes);
  CHECK(next(0.5, 0.05).kind == NextKind::other_modes);  // the trainer does not wait for it
  CHECK(next(0.5, 1, 500).advice->component == Component::lock);
}

TEST_CASE("conclusion: rounds too different to name a side come before any advice",
          "[unit][analysis]") {
  Sweep run;
  const auto p = run.point({}, run.settings(2));
  run.rates(run.trial(p, Mode::loader), {500, 100, 250});
  run.rates(run.trial(p, Mode::trainer), {500, 500, 500});
  run.rates(run.trial(p, Mode::pipeline), {500, 100, 250});
  Findings f = run.found();
  f.points[0].side = Side::unknown, f.points[0].unclear = true;
  CHECK(conclude(run.plan, f, nullptr).subject == 0u);
  CHECK(conclude(run.plan, f, nullptr).next.kind == NextKind::more_rounds);
}

TEST_CASE("conclusion: without a side the highest rates that are believed are told",
          "[unit][analysis]") {
  Sweep run;
  run.add(1, 100, 0, 50);
  const auto fast = run.add(2, 200, 0, 90);
  const auto invalid = run.add(3, 300, 0, 95);
  for (TrialRecord& r : run.records)
    if (r.trial.points.front() == invalid) r.facts.accounting.duplicated = 1;
  const Conclusion c = run.conclusion();
  CHECK_FALSE(c.subject);
  CHECK(c.fastest_loader == fast);
  CHECK(c.fastest_pipeline == fast);
  CHECK_FALSE(c.fastest_trainer);
}

}  // namespace benchbench::conclusion_test
