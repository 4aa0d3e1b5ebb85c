// What is said of a script's run in its record, so that each report of it says so.
#include <catch2/catch.hpp>

#include "harness/analysis/findings.h"
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
  REQUIRE(w.kept.finish(w.run));
  CHECK(find_notices(w) ==
        std::vector<std::string>{"the budget of 20 s has room for 1 of 2 rounds"});
}

}  // namespace benchbench::wrap_kept_test
