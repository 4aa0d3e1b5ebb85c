// Tests what a record says of a script's run, so that each report of it says so.
#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/findings.h"
#include "harness/app/wrap/ending/wrap_ending.h"
#include "harness/part/catalog.h"
#include "tests/unit/app/wrapped_script.h"

namespace benchbench::wrap_kept_test {
namespace {

std::vector<std::string> find_notices(const Wrapped& w) {
  std::vector<std::string> texts;
  const Findings found = analyse(w.kept.plan(), w.kept.records(), &built_in_catalog());
  for (const Warnings::Notice& notice : found.warnings.notices) texts.push_back(notice.text);
  return texts;
}

}  // namespace

TEST_CASE("wrap: a record says that rounds had no room", "[unit][app][wrap]") {
  Wrapped w;
  w.request.order.exact = true;
  w.request.order.budget = std::chrono::seconds{20};
  w.plans(true, [](WrapSteady& steady) {
    steady.loop.batch = steady.loop.step = std::chrono::milliseconds{900};
    steady.loop.workers = 2, steady.loop.prefetched = 2, steady.loop.distinct = 4;
  });
  w.measures_round(0);
  w.finish();
  CHECK(find_notices(w) ==
        std::vector<std::string>{"the budget of 20 s has room for 1 of 2 rounds"});
}

TEST_CASE("wrap: a record says that the script failed, or saved, before the last round",
          "[unit][app][wrap]") {
  WrapEnd end;
  end.reason = WrapReason::script_failed, end.message = "ValueError: corrupt sample 9000";
  Wrapped w;
  w.measures_round(0);
  w.ends(end);
  const Journal read = w.finish({}, explain_early_end(end, {}));
  CHECK(find_notices(w) ==
        std::vector<std::string>{"the script failed: ValueError: corrupt sample 9000"});
  CHECK(read.records.at(1).facts.notices == w.kept.records().at(1).facts.notices);
  CHECK(explain_early_end(end, 1) == "rank 1 failed: ValueError: corrupt sample 9000");
  end.message = "KeyboardInterrupt";
  CHECK(explain_early_end(end, {}) == "the script was interrupted");
  end.reason = WrapReason::saver_called, end.saver = "transformers.Trainer._save_checkpoint";
  CHECK(
      explain_early_end(end, {}) ==
      "the script was stopped before transformers.Trainer._save_checkpoint wrote; more rounds can "
      "be measured without its checkpoints (save_strategy=\"no\")");
  end.reason = WrapReason::answer;
  CHECK(explain_early_end(end, {}).empty());
}

TEST_CASE("wrap: an end is said in a record without a stretch", "[unit][app][wrap]") {
  Wrapped w;
  w.finish(notice_ending(nullptr, HangSeen{}), "the script failed");
  CHECK(w.kept.records().at(0).facts.notices == std::vector<std::string>{"the script failed"});
}

}  // namespace benchbench::wrap_kept_test
