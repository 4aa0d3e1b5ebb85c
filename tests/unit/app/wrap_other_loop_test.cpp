// The record of a script follows the loop that is measured.
#include <catch2/catch.hpp>

#include "tests/unit/app/wrapped_script.h"

namespace benchbench::wrap_kept_test {

TEST_CASE("wrap: a loop that is another one than before has a record of its own",
          "[unit][app][wrap]") {
  for (const bool measured : {true, false}) {
    Wrapped w;
    w.measures_round(0);
    w.keep();
    w.plans(true, [](WrapSteady& steady) {
      steady.loader.own["num_workers"] = std::int64_t{3};
      steady.loop.workers = 3;
    });
    if (measured) {
      w.keep(WrapKind::full);
      CHECK(w.count_records() == 1);
    }
    const Journal journal = w.finish({{.kind = "hang", .what = {}, .where = {}, .count = 1}});
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
  w.finish();
  for (const std::size_t i : {0u, 1u, 2u})  // T, F, L
    CHECK(w.has_notice(i, "the optimizer steps once in 4 batches") == (i == 1));
}

}  // namespace benchbench::wrap_kept_test
