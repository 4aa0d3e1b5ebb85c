#include "harness/dataset/making_lock.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "harness/core/error.h"

namespace benchbench {

namespace {

Descriptor open_lock(const std::string& path) {
  Descriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
  if (file) return file;
  if (errno == ELOOP)
    throw ScenarioError(fmt::format("'{}' is a link: a lock is a file of its own", path),
                        "remove the link");
  throw ScenarioError(fmt::format("cannot create '{}': {}", path, std::strerror(errno)),
                      kWritableHint);
}

}  // namespace

MakingLock::MakingLock(const std::string& path, Runtime& runtime, const std::atomic<bool>& stop,
                       const std::function<void()>& waiting)
    : file_(open_lock(path)) {
  while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      throw ScenarioError(fmt::format("cannot lock '{}': {}", path, std::strerror(errno)));
    }
    if (stop)
      throw InterruptedError(fmt::format(
          "interrupted while waiting for another process that is making the same dataset ('{}')",
          path));
    waiting();
    runtime.spend(std::chrono::milliseconds{100}, Spend::sleep);
  }
}

}  // namespace benchbench
