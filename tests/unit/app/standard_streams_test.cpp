// What stands in for streams that the caller closed.
#include "harness/app/standard_streams.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace benchbench::standard_streams_test {
namespace {

constexpr int kEmptyInput = 1, kRefusesOutput = 2, kSwallowsErrors = 4, kNextIsFree = 8;

// Of a process whose streams are closed: what it finds in their place.
int found_with(const char* nothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (int fd = 0; fd < 3; ++fd) ::close(fd);
    reserve_standard_streams(nothing);
    char byte = 'x';
    int found = 0;
    if (::read(0, &byte, 1) == 0) found |= kEmptyInput;
    if (::fcntl(1, F_GETFD) >= 0 && ::write(1, &byte, 1) < 0) found |= kRefusesOutput;
    if (::write(2, &byte, 1) == 1) found |= kSwallowsErrors;
    if (::open("/", O_RDONLY) > 2) found |= kNextIsFree;
    ::_exit(found);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("standard streams: closed ones are taken, with /dev/null and where it cannot be opened",
          "[unit][app]") {
  constexpr int all = kEmptyInput | kRefusesOutput | kSwallowsErrors | kNextIsFree;
  CHECK(found_with("/dev/null") == all);
  CHECK(found_with("/nonexistent/null") == all);
}

}  // namespace benchbench::standard_streams_test
