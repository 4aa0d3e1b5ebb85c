// Tests of what says, while a script runs, if another round could change its first advice.
#include <catch2/catch.hpp>

#include "tests/unit/app/wrapped_script.h"

namespace benchbench {
namespace wrap_open_advice_test {

using wrap_kept_test::Wrapped;

// Two rounds: whatever else runs here, these are as many as settle anything.
bool is_open_after_rounds(Wrapped& w) {
  w.measures_round(0);
  w.measures_round(1);
  return w.kept.is_advice_open(w.run);
}

TEST_CASE("wrap: a finding that costs just enough to be one asks for another round",
          "[unit][app][wrap]") {
  Wrapped much, little;
  CHECK_FALSE(much.kept.is_advice_open(much.run));
  much.noticed = {{"host copies", "item", "train.py:9", 1, 0, 1'000'000}};  // of steps of 10 ms
  CHECK_FALSE(is_open_after_rounds(much));
  little.noticed = {{"host copies", "item", "train.py:9", 1, 0, 210'000}};
  CHECK(is_open_after_rounds(little));
  Wrapped nothing;
  CHECK_FALSE(is_open_after_rounds(nothing));
}

}  // namespace wrap_open_advice_test
}  // namespace benchbench
