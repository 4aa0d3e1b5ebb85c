#include "harness/core/spelling.h"

#include <catch2/catch.hpp>
#include <vector>

namespace benchbench::spelling_test {

TEST_CASE("spelling: one insert, delete, replace or swap of neighbours is one edit", "[unit][core]") {
  CHECK(spelling_distance("", "") == 0);
  CHECK(spelling_distance("abc", "abc") == 0);
  CHECK(spelling_distance("abc", "ABC") == 0);
  CHECK(spelling_distance("abc", "ab") == 1);
  CHECK(spelling_distance("ab", "axb") == 1);
  CHECK(spelling_distance("abc", "axc") == 1);
  CHECK(spelling_distance("abcd", "acbd") == 1);
  CHECK(spelling_distance("ca", "abc") == 3);  // no edit inside a swapped pair: the optimal string alignment
  CHECK(spelling_distance("kitten", "sitting") == 3);
  CHECK(spelling_distance("", "four") == 4);
}

TEST_CASE("spelling: the nearest allowed word is offered, a far one is not", "[unit][core]") {
  const std::vector<std::string> keys = {"num_workers", "batch_size", "prefetch_factor", "use"};
  CHECK(nearest_spelling("num_worker", keys) == "num_workers");
  CHECK(nearest_spelling("bacth_size", keys) == "batch_size");
  CHECK(nearest_spelling("Batch_Size", keys) == "batch_size");
  CHECK(nearest_spelling("prefetch", keys).empty());
  CHECK(nearest_spelling("uze", keys) == "use");
  CHECK(nearest_spelling("xyz", keys).empty());
  CHECK(nearest_spelling("", keys).empty());
  CHECK(nearest_spelling("use", {}).empty());
}

TEST_CASE("spelling: a list is cut after so many and says how many are left out", "[unit][core]") {
  const std::vector<std::string> words = {"a", "b", "c", "d"};
  CHECK(listed(words) == "a, b, c, d");
  CHECK(listed(words, 2) == "a, b, ... (2 more)");
  CHECK(listed({}) == "");
}

}  // namespace benchbench::spelling_test
