// Loaded before libc under the program: writes down, in the order of the calls, which files are
// written, synced and renamed, by every process of a run. One line a call in the file that
// BENCHBENCH_TEST_CALLS names:
//   PID create PATH      after it succeeded: opened with O_CREAT
//   PID write PATH WORD  before it; WORD: the small letters that the bytes begin with, or -
//   PID sync PATH        after it succeeded: fsync or fdatasync
//   PID rename FROM TO   before it
// so that what stands before another line was done before it.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// Opened anew for each line: an open descriptor would take a number that the program hands to its
// children.
void note(const char* call, const char* first, const char* second) {
  const int before = errno;
  const char* const to = ::getenv("BENCHBENCH_TEST_CALLS");
  char line[2 * 4096 + 64];
  const int length =
      ::snprintf(line, sizeof line, "%d %s %s %s\n", ::getpid(), call, first, second);
  const long file =
      to ? ::syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)
         : -1;
  if (file >= 0) {
    ::syscall(SYS_write, file, line, static_cast<size_t>(length));
    ::syscall(SYS_close, file);
  }
  errno = before;
}

struct PathOf {
  explicit PathOf(int file) {
    const int before = errno;
    char link[64];
    ::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t n = ::readlink(link, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    errno = before;
  }
  char text[4096];
};

void note_write(int file, const void* bytes, size_t count) {
  char word[16] = "-";
  const auto* const begin = static_cast<const char*>(bytes);
  for (size_t i = 0; i < count && i + 1 < sizeof word && begin[i] >= 'a' && begin[i] <= 'z'; ++i) {
    word[i] = begin[i];
    word[i + 1] = 0;
  }
  note("write", PathOf(file).text, word);
}

int synced(int result, int file) {
  if (result == 0) note("sync", PathOf(file).text, "-");
  return result;
}

using Open = int (*)(const char*, int, ...);
int opened(const char* name, const char* path, int flags, mode_t mode) {
  const int file = real<Open>(name)(path, flags, mode);
  if (file >= 0 && (flags & O_CREAT)) note("create", PathOf(file).text, "-");
  return file;
}

}  // namespace

#define READ_MODE                \
  mode_t mode = 0;               \
  if (flags & O_CREAT) {         \
    va_list rest;                \
    va_start(rest, flags);       \
    mode = va_arg(rest, mode_t); \
    va_end(rest);                \
  }

extern "C" {

int open(const char* path, int flags, ...) {
  READ_MODE
  return opened("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  READ_MODE
  return opened("open64", path, flags, mode);
}
ssize_t write(int file, const void* bytes, size_t count) {
  note_write(file, bytes, count);
  return real<ssize_t (*)(int, const void*, size_t)>("write")(file, bytes, count);
}
ssize_t writev(int file, const iovec* pieces, int count) {
  note_write(file, count > 0 ? pieces[0].iov_base : nullptr, count > 0 ? pieces[0].iov_len : 0);
  return real<ssize_t (*)(int, const iovec*, int)>("writev")(file, pieces, count);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  note_write(file, bytes, count);
  return real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(file, bytes, count, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  note_write(file, bytes, count);
  return real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64")(file, bytes, count, at);
}
int fsync(int file) { return synced(real<int (*)(int)>("fsync")(file), file); }
int fdatasync(int file) { return synced(real<int (*)(int)>("fdatasync")(file), file); }
int rename(const char* from, const char* to) noexcept {
  note("rename", from, to);
  return real<int (*)(const char*, const char*)>("rename")(from, to);
}

}  // extern "C"
