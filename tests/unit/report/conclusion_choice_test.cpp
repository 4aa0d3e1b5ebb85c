// What is said of the setting to use, word for word.
#include <catch2/catch.hpp>

#include "tests/unit/report/told_findings.h"

namespace benchbench {
namespace conclusion_choice_test {

using test::exactly;
using test::ToldFindings;
using namespace test::told;

TEST_CASE("conclusion: why a setting is kept or used", "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 1000, 100, 99);
  t.add(kFour, 1000, 101, 100);
  t.add({{"loader.num_workers", "1"}}, 1000, 100, 99);
  const auto use = [&] { return part(t.said(), "use"); };
  t.recommend(Choice::only_one);
  CHECK(use() == "Nothing is recommended: no other setting could be compared.");
  t.recommend(Choice::only_one).other_jobs = 2;  // such as faster storage
  CHECK(use().empty());
  t.recommend(Choice::only_one).other_jobs = 1;
  CHECK(use() == "Nothing is recommended: no other setting of this job could be compared.");
  t.recommend(Choice::no_difference_shown).detectable = 0.034;
  CHECK(
      use() ==
      "Keep num_workers: 2: no other setting is shown to be faster (3.4 % would have been seen).");
  t.recommend(Choice::no_difference_shown).detectable = 0.49;
  CHECK(use() ==
        "Keep num_workers: 2: "
        "no other setting is shown to be faster (49 % would have been seen).");
  t.recommend(Choice::no_difference_shown).detectable = 0.51;
  CHECK(use() == "Nothing is recommended: not even a difference of 50 % would have been seen.");
  t.recommend(Choice::no_difference_shown);
  CHECK(use() == "Keep num_workers: 2: no other setting is shown to be faster.");
  t.recommend(Choice::base_is_best);
  CHECK(
      use() ==
      "Keep num_workers: 2: every other setting measured was slower, or no more than 2 % faster.");
  t.recommend(Choice::base_is_best).compared = 1;
  CHECK(use() ==
        "Keep num_workers: 2: every other setting that could be compared was slower, "
        "or no more than 2 % faster.");
  Recommended& best = t.recommend(Choice::base_is_best);
  best.compared = best.other_jobs = 1;
  CHECK(use() ==
        "Keep num_workers: 2: every other setting of this job measured was slower, "
        "or no more than 2 % faster.");
  t.recommend(Choice::no_difference_shown).other_jobs = 1;
  CHECK(use() == "Keep num_workers: 2: no other setting of this job is shown to be faster.");
  t.recommend(Choice::cheaper, 2);
  CHECK(use() ==
        "Use num_workers: 1: it is as fast as num_workers: 2 within 2 %, with fewer workers.");
  t.recommend(Choice::cheaper, 1);
  CHECK(use() ==
        "Use num_workers: 4: it is as fast as num_workers: 2 within 2 %, with less memory.");
  Recommended& r = t.recommend(Choice::faster, 1, exactly(1.01));
  r.next = 2, r.over_next.shown = Shown::not_shown;
  CHECK(use() ==
        "Use num_workers: 4: it is 1.01x as fast, 100 samples/s; num_workers: 1 may do as well.");
  r.over_next.shown = Shown::faster;
  CHECK(use() == "Use num_workers: 4: it is 1.01x as fast, 100 samples/s.");
  r.over_next.shown = Shown::slower;  // of other rounds than those with the base
  CHECK(use() ==
        "Use num_workers: 4: it is 1.01x as fast, 100 samples/s; num_workers: 1 may be faster.");
  r.fastest = 2;
  CHECK(use() ==
        "Use num_workers: 4: it is 1.01x as fast, 100 samples/s; num_workers: 1 is not shown to be "
        "faster than that.");
  r.fastest_over.shown = Shown::same;
  CHECK(use() ==
        "Use num_workers: 4: it is 1.01x as fast, 100 samples/s; "
        "num_workers: 1 is no more than 2 % faster.");
  r.fastest_over.shown = Shown::not_shown;
  CHECK(use() ==
        "Use num_workers: 4: it is 1.01x as fast, 100 samples/s; num_workers: 1 is not shown to be "
        "faster than that.");
  t.recommend(Choice::cheaper).fastest = 1;
  CHECK(use() == "Keep num_workers: 2: num_workers: 4 is not shown to be faster than that.");
  t.f.recommended.reset();
  CHECK(use().empty());
  t.f.points[0].mode_status = {Status::invalid, Status::invalid, Status::invalid};
  CHECK(use() == "The base has no usable rate: no setting can be compared with it.");
}

TEST_CASE("conclusion: where nothing else was measured nothing is advised", "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 1000, 100, 99);
  t.recommend(Choice::only_one);
  for (const bool labelled : {true, false}) {
    if (!labelled) t.plan.points[0].labels.clear();
    CHECK(part(t.said(), "use") ==
          "Only these settings were measured: benchbench tune FILE or --sweep compares others.");
  }
}

TEST_CASE("conclusion: from one round nothing is recommended, what it has seen is told",
          "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 1000, 100, 99, 1);
  t.add(kFour, 1000, 101, 100, 1);
  const auto use = [&] { return part(t.said(), "use"); };
  Recommended& once = t.recommend(Choice::no_difference_shown);
  once.next = 1, once.over_next.ratio = exactly(0.25, 1);
  CHECK(use() ==
        "Nothing is recommended from one round; "
        "in it num_workers: 4 was 4.00x as fast as num_workers: 2.");
  CHECK(part(t.said(), "next") == "Measure more rounds (--rounds 10) before changing anything.");
  once.over_next.ratio = exactly(0.99, 1);
  CHECK(use() ==
        "Nothing is recommended from one round; in it no other setting was more than 2 % faster.");
  once.over_next.ratio = exactly(0.25, 2);
  CHECK(use() == "Keep num_workers: 2: no other setting is shown to be faster.");
}

TEST_CASE("conclusion: while the base has not run, the next step is to let the run finish",
          "[unit][report]") {
  ToldFindings t;
  t.add(kTwo, 0, 0, 0);
  t.add(kFour, 100, 200, 99);
  t.f.trials_missing = 3;
  CHECK(part(t.said(), "next") ==
        "Let the run finish (--resume, or a larger --budget): 3 trials did not run.");
  t.f.trials_missing = 0;
  CHECK(part(t.said(), "next") !=
        "Let the run finish (--resume, or a larger --budget): 3 trials did not run.");
}

}  // namespace conclusion_choice_test
}  // namespace benchbench
