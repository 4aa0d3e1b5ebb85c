// Catch2 2.13 has no SKIP. Each of these macros prints the reason, counts the case, and leaves it.
#pragma once
#include <catch2/catch.hpp>
#include <string>

namespace benchbench::test {

// Notes that this machine lacks what the running case needs. Use BENCHBENCH_SKIP.
void skip(const std::string& reason);

// Notes that the running case's own control shows that nothing can be said of it now: it has
// neither passed nor failed. Use BENCHBENCH_NOT_JUDGED.
void leave_unjudged(const std::string& reason);

}  // namespace benchbench::test

#define BENCHBENCH_SKIP(reason)       \
  do {                                \
    benchbench::test::skip((reason)); \
    SUCCEED("skipped");               \
    return;                           \
  } while (false)

#define BENCHBENCH_NOT_JUDGED(reason)           \
  do {                                          \
    benchbench::test::leave_unjudged((reason)); \
    SUCCEED("not judged");                      \
    return;                                     \
  } while (false)
