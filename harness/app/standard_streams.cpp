#include "harness/app/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace benchbench {

// open() takes the lowest number that is free, which is the one at hand.
void reserve_standard_streams() noexcept {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY));
}

}  // namespace benchbench
