#include "harness/app/standard_streams.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <initializer_list>

namespace benchbench {
namespace {

// What opens takes the lowest number that is free, which is the one at hand; of a pipe that is the
// end to read from, which is at its end and refuses to be written to.
void take_without_a_file(int fd) noexcept {
  if (fd == STDERR_FILENO && ::memfd_create("standard error", 0) == fd) return;
  int ends[2];
  if (::pipe(ends) == 0) ::close(ends[1]);
}

}  // namespace

void reserve_standard_streams(const char* nothing) noexcept {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && ::open(nothing, fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
      take_without_a_file(fd);
}

}  // namespace benchbench
