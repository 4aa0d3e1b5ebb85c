#include "harness/store/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "harness/core/characters.h"
#include "harness/core/error.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

constexpr int kLongestId = 32;

// The id that the holder wrote; another machine's id says nothing here, but is better than no word.
std::string holder(int fd) {
  char text[kLongestId] = {};
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  std::string pid(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  pid = pid.substr(0, pid.find_first_not_of("0123456789"));
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) {
  const std::string file = folder + "/" + kFile;
  folder_ = Descriptor(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder_) store_failed(errno, file, "take the lock");
  file_ = Descriptor(openat(folder_.get(), kFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file_) store_failed(errno, file, "take the lock");
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    const std::string by = holder(file_.get());
    if (why != EWOULDBLOCK) store_failed(why, file, "take the lock");
    throw StoreError(fmt::format("{} is in use by {}", folder, by),
                     "wait for it to end, or choose another folder with --out");
  }
}

void FolderLock::sign() {
  const std::string pid = fmt::format("{}\n", getpid());
  // Who holds it is a courtesy: a full disk must not keep a run from being read or cut.
  if (ftruncate(file_.get(), 0) != 0 || pwrite(file_.get(), pid.data(), pid.size(), 0) < 0) return;
}

bool FolderLock::is_elsewhere(const std::string& folder) const {
  struct stat there{}, held{};
  if (stat(folder.c_str(), &there) != 0 || fstat(folder_.get(), &held) != 0) return false;
  return there.st_dev != held.st_dev || there.st_ino != held.st_ino;
}

bool FolderLock::is_foreign(const std::string& folder) {
  const std::string path = folder + "/" + kFile;
  struct stat about{};
  // A link is refused when it is opened.
  if (lstat(path.c_str(), &about) != 0 || S_ISLNK(about.st_mode)) return false;
  if (!S_ISREG(about.st_mode) || about.st_size > kLongestId) return true;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  char text[kLongestId];
  const ssize_t n = file ? pread(file.get(), text, sizeof text, 0) : 0;
  // A lost power supply may have left zeros.
  return std::any_of(text, text + std::max<ssize_t>(n, 0),
                     [](char c) { return c != '\n' && c != '\0' && !is_digit(c); });
}

}  // namespace benchbench
