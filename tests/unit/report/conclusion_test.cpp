// The last paragraph, word for word.
#include <catch2/catch.hpp>

#include "harness/core/random.h"
#include "harness/report/text/text_table.h"
#include "tests/sweep.h"
#include "tests/unit/report/told_findings.h"

namespace benchbench {
namespace conclusion_words_test {

using test::exactly;
using test::ToldFindings;
using namespace test::told;

TEST_CASE(
    "conclusion: a trainer that is the limit: how much of the step, and that workers will not help",
    "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 1000, 100, 99, 3);
  t.recommend(Choice::only_one);
  CHECK(t.said() ==
        Lines{"binds: The trainer is the limit: it takes 100 ms of each 101 ms step (99 %); "
              "more workers will not help. Indicative: 3 rounds.",
              "use: Only these settings were measured: benchbench tune FILE or --sweep compares "
              "others.",
              "headroom: The loader alone makes 10.0x what the trainer alone takes: enough.",
              "next: Use a faster device or a cheaper model."});
}

TEST_CASE("conclusion: a slow loader, the setting to use and what to try next", "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 100, 500, 100);
  t.add(kFour, 190, 500, 190);
  t.recommend(Choice::faster, 1, {1.9, 1.85, 1.95, 5});
  t.axis("loader.num_workers", AxisOutcome::gain, "4", 1.9);
  t.f.epoch_samples = 5000;
  t.plan.scenario.axes = {{"loader.num_workers", {}}};
  t.plan.points[0].settings.set("loader.use", test::words("native"));
  t.plan.points[1].settings.set("loader.use", test::words("native"));
  CHECK(t.said() ==
        Lines{"binds: The loader is the limit: it takes all of each 100 ms step, 80 ms more "
              "than the trainer needs (80 % of the step, critical). Measured in 5 rounds.",
              "use: Use num_workers: 4: it is 1.90x as fast (1.85 to 1.95), 190 samples/s. This "
              "holds for native: PyTorch's own DataLoader usually needs several times the workers.",
              "headroom: The loader alone makes 0.38x what the trainer alone takes with "
              "num_workers: 4: not enough.",
              "epoch: An epoch of 5,000 samples takes about 50 s, 26.3 s with num_workers: 4.",
              "next: Try num_workers: 8, which was not measured."});
}

TEST_CASE("conclusion: the user's own step with their own loader and with another",
          "[unit][report]") {
  ToldFindings t;
  t.add({{"loader.use", "python"}}, 100, 500, 100);
  t.add({{"loader.use", "native"}}, 900, 480, 400);
  t.add({{"loader.use", "libtorch"}}, 300, 480, 280);
  for (Point& p : t.plan.points) p.settings.set("trainer.use", test::words("python"));
  t.f.over_base.resize(3);
  t.f.over_base[1].ratio = Estimate{4, 3.8, 4.2, 5};
  CHECK(part(t.said(), "loaders").empty());  // nobody's own
  t.f.external.loaders = t.f.external.trainers = {"python"};
  CHECK(part(t.said(), "loaders") ==
        "Your step with our loader: 400 samples/s with native, 100 with your own: "
        "4.00x as fast (3.80 to 4.20).");
  t.f.external.trainers.clear();
  CHECK(part(t.said(), "loaders").empty());
}

TEST_CASE("conclusion: no paragraph says that more workers will not help and to use more of them",
          "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 1000, 100, 99);
  t.add(kFour, 1000, 120, 119);
  t.recommend(Choice::faster, 1, exactly(1.2));
  CHECK(part(t.said(), "binds").find("will not help") == std::string::npos);
  t.recommend(Choice::no_difference_shown).detectable = 0.03;
  CHECK(part(t.said(), "binds").find("more workers will not help") != std::string::npos);
  t.axis("loader.num_workers", AxisOutcome::gain, "4", 1.2);
  CHECK(part(t.said(), "binds").find("will not help") == std::string::npos);
}

TEST_CASE("conclusion: what would be so is not said to be", "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 100, 500, 100);
  t.add(kFour, 190, 500, 190);
  t.recommend(Choice::faster, 1, exactly(1.9));
  t.axis("loader.num_workers", AxisOutcome::gain, "4", 1.9);
  t.axis("loader.batch_size", AxisOutcome::gain, "20", 1.26);
  t.f.epoch_samples = 5000;
  t.f.simulated = true;
  t.job = JobAsked{JobUnit::hours, 10, 2.5};
  CHECK(t.said() ==
        Lines{"binds: The loader would be the limit: it would take all of each 100 ms step, 80 ms "
              "more than the trainer needs (80 % of "
              "the step, critical). Measured in 5 rounds, virtual time.",
              "use: Use num_workers: 4: it would be 1.90x as fast, 190 samples/s.",
              "axes: batch_size: 20 would be 1.26x as fast.",
              "headroom: The loader alone would make 0.38x what the trainer alone would take with "
              "num_workers: 4: not enough.",
              "epoch: An epoch of 5,000 samples would take about 50 s, 26.3 s with num_workers: 4.",
              "job: The job would take 10 hours now and would take 5.26 hours with num_workers: 4; "
              "at 2.50 an hour that would be 25.00 and 13.16.",
              "next: Try num_workers: 8, which was not measured."});
}

TEST_CASE(
    "conclusion: settings are told by the keys of the loader's YAML, others by their whole name",
    "[unit][report]") {
  ToldFindings t;
  t.add({{"loader.num_workers", "2"}, {"dataset.format", "tar"}}, 1000, 100, 99);
  t.add({{"loader.num_workers", "4"}, {"dataset.format", "tar"}}, 1000, 100, 99);
  t.add({{"dataset.format", "hdf5"}}, 1000, 100, 99);
  t.recommend(Choice::faster, 1, exactly(1.3));
  // A grid's point is named by its settings that differ.
  CHECK(part(t.said(), "use").starts_with("Use num_workers: 4: "));
  t.recommend(Choice::faster, 2, exactly(1.3));
  CHECK(part(t.said(), "use").starts_with("Use dataset.format: hdf5: "));
  t.recommend(Choice::base_is_best);
  CHECK(part(t.said(), "use").starts_with("Keep num_workers: 2, dataset.format: tar: "));
  t.plan.points[0].labels.emplace_back("loader.batch_size", "8");
  CHECK(part(t.said(), "use").starts_with("Keep your settings: "));
  t.plan.points[0].labels.clear();
  CHECK(part(t.said(), "use").starts_with("Keep your settings: "));
}

TEST_CASE(
    "conclusion: whose workers they are is said once, of a real loader whose workers are spoken of",
    "[unit][report]") {
  const std::string note =
      "This holds for native: PyTorch's own DataLoader usually needs several times the workers.";
  ToldFindings t;
  t.add(kTwo, 1000, 100, 99).status = Status::valid;
  t.plan.points[0].settings.set("loader.use", test::words("native"));
  t.recommend(Choice::base_is_best);
  CHECK(part(t.said(), "use").find(note) == std::string::npos);  // nothing of workers was asked
  t.plan.scenario.axes = {{"loader.num_workers", {}}};
  CHECK(part(t.said(), "use").ends_with(note));
  t.plan.scenario.mocks = {"loader=native"};
  CHECK(part(t.said(), "use").find("PyTorch") == std::string::npos);
  ToldFindings slow;  // nothing swept, but workers are what is to be tried
  slow.add(kTwo, 100, 500, 100);
  slow.plan.points[0].settings.set("loader.use", test::words("libtorch"));
  slow.recommend(Choice::only_one);
  CHECK(part(slow.said(), "use").find("This holds for libtorch: PyTorch's own DataLoader") !=
        std::string::npos);
}

TEST_CASE("conclusion: what to try starts from the setting to use", "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 100, 500, 100);
  t.add(kFour, 700, 500, 495);
  t.recommend(Choice::faster, 1, exactly(1.08));
  CHECK(part(t.said(), "next") ==
        "The trainer is the limit then: use a faster device or a cheaper model.");
  t.f.simulated = true;
  CHECK(part(t.said(), "next") ==
        "The trainer would be the limit then: use a faster device or a cheaper model.");
  t.f.simulated = false;
  t.recommend(Choice::faster, 1, exactly(4.95));
  CHECK(part(t.said(), "next").empty());
  // More workers were tried than the setting to use has.
  t.add({{"loader.num_workers", "8"}}, 200, 500, 200);
  t.f.points[1].side = Side::loader;
  CHECK(part(t.said(), "next") ==
        "Set num_workers: 4 and run with --substitute: it measures what each component costs.");
  t.recommend(Choice::base_is_best);
  CHECK(part(t.said(), "next") == "Run with --substitute: it measures what each component costs.");
  PointFindings& base = t.f.points[0];
  base.side = Side::unknown, base.unclear = true, base.rounds = 9;
  CHECK(part(t.said(), "next") == "Measure more rounds (--rounds 10) before changing anything.");
  base.rounds = 10;
  CHECK(part(t.said(), "next") == "Measure more rounds (--rounds 30) before changing anything.");
}

TEST_CASE("conclusion: a setting that gains a tenth comes alone, without a faster device",
          "[unit][report]") {
  ToldFindings t;
  t.add({{"loader.num_workers", "2"}, {"trainer.intra_op_threads", "1"}}, 1000, 100, 99);
  t.add({{"trainer.intra_op_threads", "2"}}, 1000, 165, 163);
  t.recommend(Choice::faster, 1, exactly(1.65));
  CHECK(part(t.said(), "use") ==
        "Use trainer.intra_op_threads: 2: it is 1.65x as fast, 163 "
        "samples/s.");
  CHECK(part(t.said(), "next").empty());
  t.recommend(Choice::faster, 1, exactly(1.08));
  CHECK(part(t.said(), "next") == "Use a faster device or a cheaper model.");
}

TEST_CASE(
    "conclusion: the base's limit is not said to need "
    "no workers where the setting to use needs more",
    "[unit][report]") {
  ToldFindings t;
  t.add({{"loader.num_workers", "2"}, {"loader.batch_size", "8"}}, 1000, 100, 99);
  t.add({{"loader.batch_size", "32"}}, 300, 500, 300);
  t.recommend(Choice::faster, 1, exactly(3.03));
  CHECK(part(t.said(), "next") == "Try num_workers: 4, which was not measured.");
  CHECK(part(t.said(), "binds").find("will not help") == std::string::npos);
}

TEST_CASE("conclusion: without workers the sides take turns, and one worker is to be tried",
          "[unit][report]") {
  ToldFindings t;
  t.add(kNone, 150, 300, 100);
  t.f.points[0].side_takes_ms = exactly(1e4 / 150);
  t.recommend(Choice::only_one);
  CHECK(t.said() == Lines{"binds: The loader is the limit: it takes 66.7 ms of each 100 ms step "
                          "(67 %), and without workers the other "
                          "side waits meanwhile. Measured in 5 rounds.",
                          "use: Only these settings were measured: benchbench tune FILE or "
                          "--sweep compares others.",
                          "headroom: The loader alone makes 0.50x what the trainer alone takes, "
                          "but without workers they take turns.",
                          "next: Try num_workers: 1, which was not measured."});
  ToldFindings trainer;
  trainer.add(kNone, 300, 150, 100);
  trainer.f.points[0].side_takes_ms = exactly(1e4 / 150);
  // One worker overlaps them.
  CHECK(part(trainer.said(), "binds").find("will not help") == std::string::npos);
}

TEST_CASE("conclusion: balanced, contention and unclear have their own words", "[unit][report]") {
  ToldFindings t;
  PointFindings& p = t.add(kTwo, 1000, 1000, 990);
  t.f.indicative = false;
  p.side = Side::balanced, p.side_cost_ms.reset(), p.side_takes_ms.reset();
  CHECK(part(t.said(), "binds") ==
        "Loader and trainer are balanced: neither alone is shown to cost 2 % of the 10.1 ms step. "
        "Measured in 5 rounds.");
  CHECK(part(t.said(), "next") ==
        "Make both the loader and the step faster: one alone gains nothing.");
  p.rounds = 3, t.f.indicative = true;
  CHECK(part(t.said(), "binds") ==
        "Loader and trainer are balanced: neither alone is shown to cost 10 % of the 10.1 ms step. "
        "Indicative: 3 rounds.");
  CHECK(part(t.said(), "next") == "Measure more rounds (--rounds 10) before changing anything.");
  p.side = Side::contention, p.side_cost_ms = exactly(5.05), p.rounds = 5;
  CHECK(part(t.said(), "binds") ==
        "Loader and trainer hinder each other: that costs 5.05 ms of each 10.1 ms step (50 %, "
        "critical). Measured in 5 rounds.");
  CHECK(part(t.said(), "next") ==
        "Ask less of the cores, with fewer workers or threads, cheaper samples or a cheaper step.");
  t.f.warnings.other_programs.emplace();
  CHECK(part(t.said(), "next") == "");
  t.f.warnings.other_programs.reset();
  p.core_wait_ms = exactly(2.5);
  CHECK_THAT(part(t.said(), "binds"), !Catch::Contains("for a core"));
  p.core_wait_ms = exactly(4.04);
  CHECK(part(t.said(), "binds") ==
        "Loader and trainer hinder each other: that costs 5.05 ms of each 10.1 ms step (50 %, "
        "critical); for 4.04 ms the trainer's thread waits for a core or to be woken, its batch "
        "being there. Measured in 5 rounds.");
  p.core_wait_ms.reset();
  p.side = Side::unknown, p.unclear = true, p.side_cost_ms.reset();
  CHECK(part(t.said(), "binds") ==
        "No side can be named: the rounds, or the steps of one, differ too much to say what costs "
        "the 10.1 ms step. Measured in 5 rounds.");
  CHECK(part(t.said(), "next") == "Measure more rounds (--rounds 10) before changing anything.");
}

TEST_CASE("conclusion: a trainer named by its waits has no cost to tell", "[unit][report]") {
  ToldFindings t;
  PointFindings& p = t.add(kTwo, 1000, 31, 31, 10);
  p.by_waits = true, p.side_cost_ms.reset();
  CHECK(part(t.said(), "binds") ==
        "The trainer is the limit: it takes all of each 323 ms step; "
        "more workers will not help. Measured in 10 rounds.");
  p.side = Side::loader;
  CHECK(part(t.said(), "binds") ==
        "The loader is the limit: it takes all of each 323 ms step. Measured in 10 rounds.");
}

TEST_CASE("conclusion: noise, one round and another point than the base are said",
          "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 1000, 100, 99, 1).status = Status::noisy;
  CHECK(part(t.said(), "binds").ends_with("Indicative: 1 round, noisy."));
  t.f.points[0] = {};  // INVALID: nothing of it is spoken of
  t.f.points[0].mode_status = {Status::invalid, Status::invalid, Status::invalid};
  t.add(kFour, 1000, 100, 99, 4);
  CHECK(part(t.said(), "binds")
            .starts_with("The trainer is the limit with num_workers: 4: it takes 100 ms of each "
                         "101 ms step (99 %)"));
}

TEST_CASE("conclusion: what the substitutions named is named, and no other", "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 100, 500, 100);
  Substitutions s;
  s.step_ms = exactly(100);
  const auto recovered = [](Component c, double ms, Severity severity) {
    Recovered r;
    r.component = c, r.ms = exactly(ms), r.share = ms / 100, r.severity = severity;
    return r;
  };
  s.components = {recovered(Component::decode, 60, Severity::critical),
                  recovered(Component::storage, 12, Severity::high)};
  s.binding = Naming::one, s.bound_by = {Component::decode};
  t.f.substitutions = s;
  const std::string side =
      "The loader is the limit: it takes all of each 100 ms step, "
      "80 ms more than the trainer needs (80 % of the step, critical).";
  CHECK(part(t.said(), "binds") == side +
                                       " Of single components decode costs most: 60 ms of each 100 "
                                       "ms step (60 %). Measured in 5 rounds.");
  CHECK(part(t.said(), "next") == "Store the samples smaller or already decoded.");
  t.f.substitutions->binding = Naming::tie,
  t.f.substitutions->bound_by = {Component::decode, Component::storage};
  CHECK(part(t.said(), "binds") == side +
                                       " Of single components decode and storage cost most; they "
                                       "cannot be distinguished. Measured in 5 rounds.");
  // A batch's fixed cost is more than any component: it is what is told.
  t.f.substitutions->components.insert(t.f.substitutions->components.begin(),
                                       recovered(Component::tiny_batch, 75, Severity::critical));
  CHECK(part(t.said(), "binds") ==
        side +
            " With four times the batch size a sample takes 75 % less time. Measured in 5 rounds.");
  t.f.substitutions->bound_by.clear(), t.f.substitutions->binding = Naming::none;
  CHECK(part(t.said(), "binds") ==
        side +
            " With four times the batch size a sample takes 75 % less time. Measured in 5 rounds.");
  t.f.substitutions->components[0].severity = Severity::none;
  CHECK(part(t.said(), "binds") == side + " Measured in 5 rounds.");
}

TEST_CASE("conclusion: a lock that holds the pipeline back is named, with a side and without one",
          "[unit][report]") {
  const std::string waits = " A worker waits for a lock: 40 ms of each 100 ms step (40 %). ";
  const auto binds = [](double trainer, double waited_ms) {
    ToldFindings t;
    PointFindings& p = t.add(kTwo, 100, trainer, 100);
    p.lock_wait_ms = 40, p.exposed_wait_ms = exactly(waited_ms);
    return part(t.said(), "binds");
  };
  CHECK(binds(500, 80).find(waits) != std::string::npos);
  CHECK(binds(0, 80) ==
        "Training ran at 100 samples/s and waited for data 80 ms of each 100 ms step (80 %); the "
        "trainer was not measured alone, so no side can be named." +
            waits + "Measured in 5 rounds.");
  CHECK(binds(100, 5).find("lock") == std::string::npos);
}

TEST_CASE("conclusion: modes that were left out leave no side", "[unit][report]") {
  ToldFindings loader, trainer, pipeline, apart;
  loader.add(kTwo, 1234, 0, 0, 3);
  loader.add(kFour, 2000, 0, 0, 3);
  CHECK(part(loader.said(), "binds") ==
        "The loader delivers 1,234 samples/s; the trainer was not measured, so no side can be "
        "named. Indicative: 3 rounds.");
  loader.recommend(Choice::faster, 1, exactly(1.62)).mode = Mode::loader;
  CHECK(loader.said() ==
        Lines{"binds: The loader delivers 2,000 samples/s with num_workers: 4; "
              "the trainer was not measured, so no side can be named. Indicative: 3 rounds.",
              "use: Use num_workers: 4: it is 1.62x as fast, 2,000 samples/s, the loader alone.",
              "next: Measure all three: measure.modes: [loader, trainer, pipeline]."});
  trainer.add(kTwo, 0, 500, 0);
  CHECK(part(trainer.said(), "binds") ==
        "The trainer takes 500 samples/s; the loader was not measured, so no side can be named. "
        "Measured in 5 rounds.");
  pipeline.add(kTwo, 0, 0, 100).exposed_wait_ms = exactly(25);
  CHECK(part(pipeline.said(), "binds") ==
        "Training ran at 100 samples/s and waited for data 25 ms of each 100 ms step (25 %); the "
        "loader and the trainer were not measured alone, "
        "so no side can be named. Measured in 5 rounds.");
  apart.add(kTwo, 1000, 500, 0, 2);
  CHECK(part(apart.said(), "binds") ==
        "The loader delivers 1,000 samples/s and the trainer takes 500 samples/s; "
        "they were not measured together, so no side can be named. Indicative: 2 rounds.");
}

TEST_CASE("conclusion: a mode that ran and gave nothing usable is not called unmeasured",
          "[unit][report]") {
  const auto binds = [](std::optional<Status> loader, std::optional<Status> trainer,
                        std::optional<Status> pipeline) {
    ToldFindings t;
    PointFindings& p = t.add(kTwo, 1000, 500, 100, 5);
    p.side = Side::unknown, p.side_cost_ms.reset(), p.side_takes_ms.reset();
    p.mode_status = {loader, trainer, pipeline};
    const std::string text = part(t.said(), "binds");
    return text.substr(0, text.find(", so no side"));
  };
  const auto valid = Status::valid, invalid = Status::invalid, failed = Status::failed;
  CHECK(binds(invalid, valid, valid) ==
        "Training ran at 100 samples/s; the loader gave no usable result alone");
  CHECK(binds({}, failed, valid) ==
        "Training ran at 100 samples/s; the loader was not measured alone, the trainer gave no "
        "usable result alone");
  CHECK(binds(valid, valid, invalid) ==
        "The loader delivers 1,000 samples/s and the trainer takes 500 samples/s; together they "
        "gave no usable result");
  CHECK(binds(valid, failed, {}) ==
        "The loader delivers 1,000 samples/s; the trainer gave no usable result");
  CHECK(binds(valid, valid, valid) ==
        "Training ran at 100 samples/s; they have no round in common");
}

TEST_CASE(
    "conclusion: of a run that did not finish, finishing it comes before measuring anything else",
    "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 1234, 0, 0, 3);
  CHECK(part(t.said(), "next") == "Measure all three: measure.modes: [loader, trainer, pipeline].");
  t.f.trials_missing = 1;
  CHECK(part(t.said(), "next") ==
        "Let the run finish (--resume, or a larger --budget): 1 trial did not run.");
  ToldFindings decided;
  decided.add(kTwo, 1000, 100, 99, 5);
  decided.f.trials_missing = 26;
  CHECK(part(decided.said(), "next") == "Use a faster device or a cheaper model.");
}

TEST_CASE("conclusion: where the user's code raised, that is to be mended, whatever was measured",
          "[unit][report]") {
  const auto raised = [](std::string text, std::uint32_t trial) {
    return Problem{Status::failed,
                   "",
                   {{trial, 0, std::move(text)}},
                   "Traceback (most recent call last):\n  File ..."};
  };
  ToldFindings t;
  t.add(kTwo, 100, 1000, 99, 5);
  t.add(kFour, 200, 1000, 190, 5);
  t.plan.trials.resize(2);
  t.plan.trials[0].points = {0, 1};
  t.plan.trials[1].points = {1};
  CHECK(part(t.said(), "next") != "");
  t.f.problems = {raised("train.py:31: KeyError: 'mask' (in DataLoader worker process 1)", 1)};
  CHECK(part(t.said(), "next") ==
        "Fix train.py:31, which failed with num_workers: 4: KeyError: 'mask'.");
  CHECK(t.f.conclusion.next.kind == NextKind::mend_code);
  t.f.problems = {raised("step.py:7: RuntimeError: size: 3", 0),
                  raised("train.py:31: KeyError: 'mask' (in DataLoader worker process 0)", 0),
                  raised("train.py:31: KeyError: 'mask' (in DataLoader worker process 1)", 1)};
  CHECK(part(t.said(), "next") == "Fix train.py:31: KeyError: 'mask' (step.py:7 failed, too).");
  t.f.problems = {raised("killed by signal 9", 0), raised("a: 3: no place", 0)};
  CHECK(part(t.said(), "next").find("Fix") == std::string::npos);
  t.f.problems = {raised("train.py:31: KeyError: 'mask'", 0)};
  for (const char* details :
       {"and shape (4, 5)\nTraceback (most recent call last):\n  File ...",
        "  + Exception Group Traceback (most recent call last):\n  |   File ..."}) {
    t.f.problems.front().details = details;
    CHECK(part(t.said(), "next") == "Fix train.py:31: KeyError: 'mask'.");
  }
  // No code of the user's raised it.
  for (const char* details : {"", "The last it printed:\n  Traceback (most recent call last):"}) {
    t.f.problems.front().details = details;
    CHECK(part(t.said(), "next").find("Fix") == std::string::npos);
  }
}

TEST_CASE("conclusion: nothing that is INVALID is concluded from", "[unit][report]") {
  ToldFindings t;
  PointFindings& p = t.add(kTwo, 100, 500, 100);
  p.side = Side::unknown, p.side_cost_ms.reset(), p.side_takes_ms.reset(), p.headroom.reset();
  p.mode_status = {Status::invalid, Status::invalid, Status::invalid};
  t.f.epoch_samples = 1000;
  t.f.trials[static_cast<std::size_t>(Status::invalid)] = 9;
  t.job = JobAsked{JobUnit::samples, 1e6, {}};
  CHECK(
      t.said() ==
      Lines{
          "binds: No trial gave a usable result (9 invalid), so nothing can be concluded.",
          "job: The job's hours are not known: the pipeline of the base has no usable rate.",
          "next: See the reasons in the report; nothing can be advised before trials are valid."});
  ToldFindings none;
  none.add({}, 0, 0, 0);
  CHECK(none.said() == Lines{"binds: Nothing was measured yet."});
  ToldFindings skipped;
  skipped.add({}, 0, 0, 0);
  skipped.f.trials[static_cast<std::size_t>(Status::skipped)] = 3;
  CHECK(part(skipped.said(), "binds") ==
        "No trial gave a usable result (3 skipped), so nothing can be concluded.");
}

TEST_CASE("conclusion: a job's hours and sums, now and with the setting to use", "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 1000, 100, 100);
  t.add(kFour, 1000, 125, 125);
  t.f.epoch_samples = 3600;
  const auto job = [&](JobUnit unit, double amount, std::optional<double> price) {
    t.job = JobAsked{unit, amount, price};
    return part(t.said(), "job");
  };
  CHECK(job(JobUnit::samples, 3.6e6, {}) == "The job takes 10 hours.");
  CHECK(job(JobUnit::epochs, 100, 3.2) == "The job takes 1 hour; at 3.20 an hour that is 3.20.");
  t.recommend(Choice::faster, 1, exactly(1.25));
  CHECK(job(JobUnit::samples, 3.6e6, 3.2) ==
        "The job takes 10 hours now and 8 hours with num_workers: 4; "
        "at 3.20 an hour that is 32.00 and 25.60.");
  CHECK(job(JobUnit::hours, 1000, 20.0) ==
        "The job takes 1,000 hours now and 800 hours with num_workers: 4; at 20.00 an hour that is "
        "20,000 and 16,000.");
  CHECK(job(JobUnit::samples, 9000, {}) == "The job takes 90 s now and 72 s with num_workers: 4.");
  t.f.epoch_samples.reset();
  CHECK(job(JobUnit::epochs, 100, 3.2) ==
        "The job's hours are not known: how many samples an epoch has was not measured.");
}

// Findings of any kind, with names and reasons of any length.
ToldFindings any_findings(Random& random) {
  const auto pick = [&](std::uint64_t n) { return random.below(n); };
  const auto rate = [&] { return 1 + static_cast<double>(pick(100000)) / 7; };
  ToldFindings t;
  ToldFindings::Labels base;
  const std::uint64_t axes = pick(8);
  for (std::uint64_t a = 0; a < axes; ++a)
    base.emplace_back("loader.some_swept_key_" + std::to_string(a), std::string(1 + pick(40), 'v'));
  for (std::uint64_t i = 0, n = 1 + pick(6); i < n; ++i) {
    ToldFindings::Labels labels = base;
    if (i > 0)
      for (auto& label : labels) label.second += std::to_string(i);
    const bool alone = pick(5) == 0;
    PointFindings& p = t.add(labels, alone ? 0 : rate(), rate(), pick(6) == 0 ? 0 : rate(),
                             static_cast<std::uint32_t>(1 + pick(12)));
    if (pick(4) == 0) p.status = Status::noisy;
    if (p.side != Side::unknown && pick(3) == 0)
      p.side = std::array{Side::balanced, Side::contention, Side::unknown}[pick(3)];
    if (p.side == Side::unknown) p.unclear = p.step_ms && pick(2) == 0;
  }
  constexpr std::array kOutcomes{AxisOutcome::gain,
                                 AxisOutcome::loss,
                                 AxisOutcome::nothing,
                                 AxisOutcome::not_shown,
                                 AxisOutcome::could_not_be_tried,
                                 AxisOutcome::invalid,
                                 AxisOutcome::not_compared};
  for (const auto& [key, label] : base)
    t.axis(key, kOutcomes[pick(7)], std::string(1 + pick(30), 'w'),
           0.1 + 0.01 * static_cast<double>(pick(400)),
           pick(2) ? std::optional(0.001 * static_cast<double>(pick(9000))) : std::nullopt,
           std::string(pick(90), 'r'));
  if (pick(5) > 0) {
    constexpr std::array kChoices{Choice::only_one, Choice::no_difference_shown,
                                  Choice::base_is_best, Choice::faster, Choice::cheaper};
    const auto point = static_cast<std::uint32_t>(pick(t.f.points.size()));
    t.recommend(kChoices[pick(5)], point, {1.2, 1.1, 1.3, 5}).next =
        static_cast<std::uint32_t>(pick(t.f.points.size()));
  }
  t.plan.points[0].settings.set("loader.use", test::words("native"));
  if (pick(2)) t.plan.scenario.axes = {{"loader.num_workers", {}}};
  t.f.simulated = pick(3) == 0;
  if (pick(2)) t.f.epoch_samples = 1 + pick(10000000);
  if (pick(2))
    t.job = JobAsked{std::array{JobUnit::samples, JobUnit::epochs, JobUnit::hours}[pick(3)],
                     1e-3 + rate() * rate(), pick(2) ? std::optional(rate()) : std::nullopt};
  return t;
}

TEST_CASE("conclusion: eight lines at most and none too wide, whatever is found",
          "[unit][report]") {
  Random random(20261122);
  for (std::uint64_t i = 0; i < test::sweep_size(1000, 10'000); ++i) {
    ToldFindings t = any_findings(random);
    const Lines said = t.said();
    INFO("case " << i);
    for (const std::size_t width : {80u, 100u}) {
      const Lines lines = conclusion_lines(t.f, t.plan, width);
      REQUIRE(lines.size() >= 1);
      REQUIRE(lines.size() <= 8);
      for (const std::string& line : lines) {
        INFO(line);
        REQUIRE(display_width(line) <= width);
        REQUIRE(line.find("nan") == std::string::npos);
        REQUIRE(line.find("inf ") == std::string::npos);
      }
    }
    if (!t.f.simulated) continue;
    for (const char* label : {"headroom", "epoch", "job"})
      if (const std::string text = part(said, label);
          !text.empty() && text.find("not known") == std::string::npos)
        REQUIRE(text.find("would") != std::string::npos);
    for (const std::string& line : said) REQUIRE(line.find(" is the limit") == std::string::npos);
  }
}

TEST_CASE("conclusion: labels stand in front, and what does not fit is cut where it is longest",
          "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 1000, 100, 99, 3);
  t.recommend(Choice::only_one);
  t.said();
  CHECK(conclusion_lines(t.f, t.plan, 80) ==
        Lines{"binds     The trainer is the limit: it takes 100 ms of each 101 ms step (99 %);",
              "          more workers will not help. Indicative: 3 rounds.",
              "use       Only these settings were measured: benchbench tune FILE or --sweep",
              "          compares others.",
              "headroom  The loader alone makes 10.0x what the trainer alone takes: enough.",
              "next      Use a faster device or a cheaper model."});
}

}  // namespace conclusion_words_test
}  // namespace benchbench
