// The record of a script follows the loop that is measured.
#include <catch2/catch.hpp>

#include <algorithm>

#include "harness/store/run_folder.h"
#include "tests/unit/app/wrapped_script.h"

namespace benchbench::wrap_kept_test {

TEST_CASE("wrap: a loop that is another one than before has a record of its own",
          "[unit][app][wrap]") {
  for (const bool measured : {true, false}) {
    Wrapped w;
    w.measures_round(0);
    w.kept.keep(w.run);
    w.plans(true, [](WrapSteady& steady) {
      steady.loader.own["num_workers"] = std::int64_t{3};
      steady.loop.workers = 3;
    });
    if (measured) {
      w.measures(WrapKind::full, 0);
      w.kept.keep(w.run);
      CHECK(RunFolder::read(w.request.folder).records.size() == 1);
    }
    REQUIRE(w.kept.finish(w.run, {{.kind = "hang", .what = {}, .where = {}, .count = 1}}));
    const Journal journal = RunFolder::read(w.request.folder);
    CHECK(journal.records.size() == 1);
    CHECK(journal.plan.points[0].settings.integer("loader.num_workers") == 3);
    CHECK(w.kept.folder() == w.request.folder);
  }
}

TEST_CASE("wrap: gradients that are accumulated are noted with the script as it is",
          "[unit][app][wrap]") {
  Wrapped w;
  w.plans(true, [](WrapSteady& steady) { steady.cycle = 4; });
  w.measures_round(0);
  REQUIRE(w.kept.finish(w.run));
  for (const TrialRecord& r : w.kept.records()) {
    const bool noted = std::ranges::any_of(r.facts.notices, [](const std::string& notice) {
      return notice.starts_with("the optimizer steps once in 4 batches");
    });
    CHECK(noted == (r.trial.mode == Mode::pipeline));
  }
}

}  // namespace benchbench::wrap_kept_test
