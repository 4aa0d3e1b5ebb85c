// What the shell's limits (ulimit) leave no room for is said, with the limit to raise.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/golden/program/program.h"
#include "tests/places.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace limits_test {

using Catch::Matchers::Contains;

struct Limited {
  int code;
  std::string text;  // both streams, one space between two words
};

// `benchbench words...` under `ulimit limit`.
Limited limited(const Scratch& folder, const std::string& limit, const std::string& words) {
  const std::string line = "cd " + folder.path() + " && ulimit " + limit +
                           " && BENCHBENCH_CACHE=" + folder.path("cache") + " exec " +
                           program_path() + " " + words + " >said 2>&1 </dev/null";
  const int status = std::system(("bash -c '" + line + "'").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          on_one_line(read_file(folder.path("said")))};
}

TEST_CASE("limits: threads that find no memory for their stacks name both limits",
          "[golden][app]") {
#ifdef BENCHBENCH_SANITIZED
  BENCHBENCH_SKIP("a sanitizer needs terabytes of address space");
#endif
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  // Small images, so that the batches find room.
  const std::string small = "--set loader.height=8 --set loader.width=8";
  const Limited run = limited(
      s, "-v 1000000",
      "run tiny.yaml --out r --rounds 1 --set loader.num_workers=400 --set measure.modes=loader " +
          small);
  INFO(run.text);
  CHECK(run.code == 8);
  CHECK_THAT(run.text, Contains("cannot start thread") && Contains("(ulimit -u)") &&
                           Contains("(ulimit -v, ulimit -d)"));
}

TEST_CASE("limits: a stack that is too small is refused before anything runs", "[golden][app]") {
#ifdef BENCHBENCH_SANITIZED
  BENCHBENCH_SKIP("a sanitizer needs a larger stack");
#endif
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const std::string words = "run tiny.yaml --clock simulated --out r --rounds 1";
  for (const char* kib : {"64", "128", "255"}) {
    const Limited run = limited(s, std::string("-s ") + kib, words);
    INFO(run.text);
    CHECK(run.code == 5);
    CHECK_THAT(run.text, Contains("error: the stack may have " + std::string(kib) + " KiB") &&
                             Contains("ulimit -s 256"));
    CHECK(read_file(s.path("r/journal.jsonl")).empty());
  }
  CHECK(limited(s, "-s 256", words).code == 0);
}

}  // namespace limits_test
}  // namespace benchbench::test
