#include "harness/core/spelling.h"

#include <catch2/catch.hpp>
#include <vector>

namespace benchbench::spelling_test {

TEST_CASE("spelling: one insert, delete, replace or swap of neighbours is one edit",
          "[unit][core]") {
  CHECK(spelling_distance("", "") == 0);
  CHECK(spelling_distance("abc", "abc") == 0);
  CHECK(spelling_distance("abc", "ABC") == 0);
  CHECK(spelling_distance("abc", "ab") == 1);
  CHECK(spelling_distance("ab", "axb") == 1);
  CHECK(spelling_distance("abc", "axc") == 1);
  CHECK(spelling_distance("abcd", "acbd") == 1);
  // No edit inside a swapped pair: the optimal string alignment.
  CHECK(spelling_distance("ca", "abc") == 3);
  CHECK(spelling_distance("kitten", "sitting") == 3);
  CHECK(spelling_distance("", "four") == 4);
}

TEST_CASE("spelling: the nearest allowed word is offered, a far one is not", "[unit][core]") {
  const std::vector<std::string> keys = {"num_workers", "batch_size", "prefetch_factor", "use"};
  CHECK(nearest_spelling("num_worker", keys) == "num_workers");
  CHECK(nearest_spelling("bacth_size", keys) == "batch_size");
  CHECK(nearest_spelling("Batch_Size", keys) == "batch_size");
  CHECK(nearest_spelling("prefetch", keys) == "prefetch_factor");
  CHECK(nearest_spelling("uze", keys) == "use");
  CHECK(nearest_spelling("xyz", keys).empty());
  CHECK(nearest_spelling("", keys).empty());
  CHECK(nearest_spelling("use", {}).empty());
}

TEST_CASE("spelling: what is the same but for length is nearest by length, and then the first",
          "[unit][core]") {
  const std::vector<std::string> windows = {"window_batches", "window", "windows_per_epoch"};
  CHECK(nearest_spelling("windo", windows) == "window");
  CHECK(nearest_spelling("batches", windows) == "window_batches");
  const std::vector<std::string> same = {"batch_time", "batch_size"};
  CHECK(nearest_spelling("batch", same) == "batch_time");
}

TEST_CASE("spelling: words of two letters are only taken for themselves in other letters",
          "[unit][core]") {
  const std::vector<std::string> words = {"io", "if", "format"};
  CHECK(nearest_spelling("IO", words) == "io");
  CHECK(nearest_spelling("i_f", words) == "if");
  CHECK(nearest_spelling("oi", words).empty());
  CHECK(nearest_spelling("fo", words).empty());
  CHECK(nearest_spelling("for", words) == "format");
}

TEST_CASE("spelling: a part that two words have tells nothing, one that one has does",
          "[unit][core]") {
  const std::vector<std::string> words = {"intra_threads", "inter_threads", "memory_format"};
  CHECK(nearest_spelling("num_threads", words).empty());
  CHECK(nearest_spelling("memory_layout", words) == "memory_format");
  CHECK(nearest_spelling("rate_limit_of_it", words).empty());
}

TEST_CASE("spelling: in another section only the same letters count", "[unit][core]") {
  const std::vector<std::string> keys = {"loader.batch_size", "trainer.device"};
  CHECK(nearest_spelling("trainer.batch_size", keys) == "loader.batch_size");
  CHECK(nearest_spelling("trainer.batch", keys).empty());
  CHECK(nearest_spelling("loader.devices", keys).empty());
}

TEST_CASE("spelling: a list is cut after so many and says how many are left out", "[unit][core]") {
  const std::vector<std::string> words = {"a", "b", "c", "d"};
  CHECK(listed(words) == "a, b, c, d");
  CHECK(listed(words, 2) == "a, b, ... (2 more)");
  CHECK(listed({}) == "");
}

}  // namespace benchbench::spelling_test
