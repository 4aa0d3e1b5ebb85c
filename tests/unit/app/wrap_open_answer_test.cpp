// While a script runs: could another round change its answer?
#include <catch2/catch.hpp>

#include "tests/unit/app/wrapped_script.h"

namespace benchbench {
namespace wrap_open_answer_test {

using wrap_kept_test::Wrapped;

// Two rounds: whatever else runs here, these are as many as settle anything.
bool is_open_after_rounds(Wrapped& w) {
  w.measures_round(0);
  w.measures_round(1);
  return w.kept.is_answer_open(w.run);
}

TEST_CASE("wrap: a finding that costs just enough to be one asks for another round",
          "[unit][app][wrap]") {
  Wrapped much, little;
  CHECK_FALSE(much.kept.is_answer_open(much.run));
  much.noticed = {{"host copies", "item", "train.py:9", 1, 0, 1'000'000}};  // of steps of 10 ms
  CHECK_FALSE(is_open_after_rounds(much));
  little.noticed = {{"host copies", "item", "train.py:9", 1, 0, 210'000}};
  CHECK(is_open_after_rounds(little));
  Wrapped nothing;
  CHECK_FALSE(is_open_after_rounds(nothing));
}

TEST_CASE("wrap: stretches of a kind that are all INVALID ask for another round",
          "[unit][app][wrap]") {
  Wrapped refused;
  refused.measures(WrapKind::trainer, 0,
                   [](WrapStretch& s) { s.result.facts.hooks_ns = 400'000'000; });
  refused.measures(WrapKind::full, 0);
  refused.measures(WrapKind::loader, 0);
  CHECK(refused.kept.is_answer_open(refused.run));
  refused.measures_round(1);
  CHECK_FALSE(refused.kept.is_answer_open(refused.run));
}

}  // namespace wrap_open_answer_test
}  // namespace benchbench
