// The exit code of `history`: changes that make it fail, nights that leave it inconclusive.
#include "harness/analysis/history/open_changes.h"

#include <catch2/catch.hpp>

#include "tests/unit/analysis/kept_nights.h"

namespace benchbench::open_changes_test {

using test::KeptNights;

TEST_CASE("history: a change for the worse is open until it is accepted, or gets better again",
          "[unit][analysis]") {
  KeptNights nights(11);
  for (int i = 0; i < 12; ++i) nights.add("s", 80);
  NotedHistory noted{make_history(nights.all), {}};
  CHECK(open_regressions(noted) == 1);
  const SeriesHistory& series = noted.history.machines.at(0).series.at(0);
  noted.written.accepted = {{series.series.name(), "n12", ""}};
  CHECK(open_regressions(noted) == 0);
  for (int i = 0; i < 6; ++i) nights.add("s", 100);
  CHECK(open_regressions({make_history(nights.all), {}}) == 0);
}

TEST_CASE("history: a series that was not judged for three nights leaves it inconclusive",
          "[unit][analysis]") {
  KeptNights nights(9);
  nights.lose(8, "x"), nights.lose(7, "x");
  CHECK(learning_night(nights.judged()) == 7u);
  CHECK_FALSE(is_unjudged(nights.judged()));
  nights.lose(6, "x");
  CHECK(unjudged_series(nights.judged()) == 1);
  CHECK(is_unjudged(nights.judged()));
}

TEST_CASE("history: once it has learned, one night in which nothing was judged is inconclusive",
          "[unit][analysis]") {
  KeptNights nights(12);
  CHECK_FALSE(learning_night(nights.judged()));
  CHECK_FALSE(is_unjudged(nights.judged()));
  nights.lose(11, "x");
  CHECK(is_unjudged(nights.judged()));
}

}  // namespace benchbench::open_changes_test
