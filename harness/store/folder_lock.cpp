#include "harness/store/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/core/error.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

// The id that the holder wrote; another machine's id says nothing here, but is better than no word.
std::string holder(int fd) {
  char text[32] = {};
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  std::string pid(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  pid = pid.substr(0, pid.find_first_not_of("0123456789"));
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) {
  const std::string file = folder + "/" + kFile;
  file_ = Descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file_) store_failed(errno, file, "take the lock");
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    const std::string by = holder(file_.get());
    if (why != EWOULDBLOCK) store_failed(why, file, "take the lock");
    throw StoreError(fmt::format("{} is in use by {}", folder, by),
                     "wait for it to end, or choose another folder with --out");
  }
  const std::string pid = fmt::format("{}\n", getpid());
  // Who holds it is a courtesy: a full disk must not keep a run from being read or cut.
  if (ftruncate(file_.get(), 0) != 0 || pwrite(file_.get(), pid.data(), pid.size(), 0) < 0) return;
}

}  // namespace benchbench
