// Loaded before libc under the program and its children: makes one call fail, or kills the process
// that makes it.
//   BENCHBENCH_FAULT=CALL:N:ACTION   the N-th CALL, counted over all processes of a run; ACTION: an
//                                    errno such as ENOSPC, `short` (half of the bytes, then the
//                                    next call of the process fails with EIO) or `kill`
//                    media:BYTE:EIO instead: each read of that byte of the file
//                                    BENCHBENCH_FAULT_FILE fails
//                    clock:SECONDS:jump instead: every second reading of the wall clock is ahead
//                                    by so much
//   BENCHBENCH_FAULT_STATE=FILE      shared by these processes: what was counted (struct State)
// CALL: one of kCalls. `pwrite` stands apart, for HDF5 makes hundreds of them and nothing else
// many; `send` is a write to a pipe or a socket, which after a short one goes on. Without
// BENCHBENCH_FAULT it only counts.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

constexpr const char* kCalls[] = {"write", "sync", "rename", "open",   "ftruncate", "mkdir",
                                  "fork",  "pipe", "read",   "malloc", "pwrite",    "send"};
constexpr int kCallCount = sizeof kCalls / sizeof kCalls[0];
enum Call {
  kWrite,
  kSync,
  kRename,
  kOpen,
  kFtruncate,
  kMkdir,
  kFork,
  kPipe,
  kRead,
  kMalloc,
  kPwrite,
  kSend
};

// As tests/faults/state.py reads it.
struct State {
  std::atomic<uint64_t> counts[kCallCount];
  std::atomic<uint64_t> acknowledged;  // bytes of journal.jsonl that a sync has confirmed
  std::atomic<uint64_t> fired;         // process that was hit
  char where[256];                     // file of the call that was hit
};

struct Order {
  int call = -1;
  uint64_t n = 0;
  int number = 0;  // errno
  bool kills = false, halves = false;
};

struct Errno {
  const char* name;
  int number;
};
constexpr Errno kErrnos[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
                             {"EDQUOT", EDQUOT}, {"EROFS", EROFS},   {"ENOMEM", ENOMEM},
                             {"EAGAIN", EAGAIN}, {"EACCES", EACCES}, {"EFBIG", EFBIG},
                             {"ENFILE", ENFILE}, {"EPIPE", EPIPE}};

State* g_state = nullptr;
const char* g_medium = nullptr;  // the file with a byte that cannot be read
uint64_t g_bad_byte = 0;
long g_clock_jumps = 0;  // seconds
Order g_order;
bool g_next_fails = false;  // after a short write

void read_order(const char* text) {
  const char* const n = strchr(text, ':');
  const char* const action = n ? strchr(n + 1, ':') : nullptr;
  if (!action) return;
  if (strncmp(text, "media:", 6) == 0) {
    g_medium = getenv("BENCHBENCH_FAULT_FILE");
    g_bad_byte = strtoull(n + 1, nullptr, 10);
    return;
  }
  if (strncmp(text, "clock:", 6) == 0) g_clock_jumps = strtol(n + 1, nullptr, 10);
  for (int i = 0; i < kCallCount; ++i)
    if (strncmp(text, kCalls[i], static_cast<size_t>(n - text)) == 0 && kCalls[i][n - text] == 0)
      g_order.call = i;
  g_order.n = strtoull(n + 1, nullptr, 10);
  g_order.kills = strcmp(action + 1, "kill") == 0;
  g_order.halves = strcmp(action + 1, "short") == 0;
  for (const Errno& e : kErrnos)
    if (strcmp(action + 1, e.name) == 0) g_order.number = e.number;
}

__attribute__((constructor)) void begin() {
  const char* const path = getenv("BENCHBENCH_FAULT_STATE");
  if (!path) return;
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return;
  void* const at =
      mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(file), 0);
  syscall(SYS_close, file);
  if (at == MAP_FAILED) return;
  if (const char* const order = getenv("BENCHBENCH_FAULT")) read_order(order);
  g_state = static_cast<State*>(at);
}

void note_where(const char* path, int file) {
  g_state->fired = static_cast<uint64_t>(getpid());
  if (path) {
    strncpy(g_state->where, path, sizeof g_state->where - 1);
    return;
  }
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const long n = syscall(SYS_readlinkat, AT_FDCWD, link, g_state->where, sizeof g_state->where - 1);
  g_state->where[n > 0 ? n : 0] = 0;
}

enum class Hit { none, fails, halves };

// Counts a call; of the one that was ordered it says what becomes of it, errno set, or does not
// return.
Hit hit(Call call, const char* path, int file) {
  if (!g_state) return Hit::none;
  if (g_next_fails && (call == kWrite || call == kPwrite)) {
    g_next_fails = false;
    errno = EIO;
    return Hit::fails;
  }
  const uint64_t n = g_state->counts[call].fetch_add(1) + 1;
  if (g_order.call != call || g_order.n != n) return Hit::none;
  note_where(path, file);
  if (g_order.kills) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
  }
  if (g_order.halves) return Hit::halves;
  errno = g_order.number;
  return Hit::fails;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void note_synced(int file) {
  if (!g_state) return;
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = 0;
  const char* const name = strrchr(path, '/');
  struct stat about{};
  if (!name || strcmp(name, "/journal.jsonl") != 0 || fstat(file, &about) != 0) return;
  g_state->acknowledged = static_cast<uint64_t>(about.st_size);
}

bool is_channel(int file) {
  struct stat about{};
  return fstat(file, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

using Write = ssize_t (*)(int, const void*, size_t);
ssize_t written(int file, const void* bytes, size_t count) {
  const bool channel = is_channel(file);
  switch (hit(channel ? kSend : kWrite, nullptr, file)) {
    case Hit::fails:
      return -1;
    case Hit::halves:
      g_next_fails = !channel;
      return real<Write>("write")(file, bytes, (count + 1) / 2);
    case Hit::none:
      break;
  }
  return real<Write>("write")(file, bytes, count);
}

template <class... Rest>
ssize_t written_at(const char* name, int file, const void* bytes, size_t count, Rest... rest) {
  const Hit what = hit(kPwrite, nullptr, file);
  if (what == Hit::fails) return -1;
  if (what == Hit::halves) {
    g_next_fails = true;
    count = (count + 1) / 2;
  }
  return real<ssize_t (*)(int, const void*, size_t, Rest...)>(name)(file, bytes, count, rest...);
}

bool is_bad(int file, uint64_t from, size_t count) {
  if (!g_medium || g_bad_byte < from || g_bad_byte - from >= count) return false;
  struct stat ours{}, theirs{};
  if (fstat(file, &ours) != 0 || stat(g_medium, &theirs) != 0 || ours.st_ino != theirs.st_ino ||
      ours.st_dev != theirs.st_dev)
    return false;
  note_where(g_medium, -1);
  errno = EIO;
  return true;
}

template <class... Rest>
ssize_t have_read(const char* name, int file, void* bytes, size_t count, Rest... rest) {
  const Hit what = hit(kRead, nullptr, file);
  if (what == Hit::fails) return -1;
  if (what == Hit::halves) count = (count + 1) / 2;
  return real<ssize_t (*)(int, void*, size_t, Rest...)>(name)(file, bytes, count, rest...);
}

int synced(const char* name, int file) {
  if (hit(kSync, nullptr, file) != Hit::none) return -1;
  const int result = real<int (*)(int)>(name)(file);
  if (result == 0) note_synced(file);
  return result;
}

time_t jumped() {
  static std::atomic<unsigned> readings{0};
  return g_clock_jumps && readings.fetch_add(1) % 2 ? g_clock_jumps : 0;
}

}  // namespace

#define READ_MODE                      \
  mode_t mode = 0;                     \
  if (flags & (O_CREAT | O_TMPFILE)) { \
    va_list rest;                      \
    va_start(rest, flags);             \
    mode = va_arg(rest, mode_t);       \
    va_end(rest);                      \
  }

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);

int open(const char* path, int flags, ...) {
  READ_MODE
  return hit(kOpen, path, -1) == Hit::none
             ? real<int (*)(const char*, int, ...)>("open")(path, flags, mode)
             : -1;
}
int open64(const char* path, int flags, ...) {
  READ_MODE
  return hit(kOpen, path, -1) == Hit::none
             ? real<int (*)(const char*, int, ...)>("open64")(path, flags, mode)
             : -1;
}
int openat(int folder, const char* path, int flags, ...) {
  READ_MODE
  return hit(kOpen, path, -1) == Hit::none
             ? real<int (*)(int, const char*, int, ...)>("openat")(folder, path, flags, mode)
             : -1;
}
FILE* fopen(const char* path, const char* mode) {
  return hit(kOpen, path, -1) == Hit::none
             ? real<FILE* (*)(const char*, const char*)>("fopen")(path, mode)
             : nullptr;
}
FILE* fopen64(const char* path, const char* mode) {
  return hit(kOpen, path, -1) == Hit::none
             ? real<FILE* (*)(const char*, const char*)>("fopen64")(path, mode)
             : nullptr;
}
ssize_t write(int file, const void* bytes, size_t count) { return written(file, bytes, count); }
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  return written_at("pwrite", file, bytes, count, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  return written_at("pwrite64", file, bytes, count, at);
}
ssize_t writev(int file, const iovec* pieces, int count) {
  const bool channel = is_channel(file);
  const Hit what = hit(channel ? kSend : kWrite, nullptr, file);
  if (what == Hit::fails) return -1;
  if (what == Hit::halves && count > 0) {
    g_next_fails = !channel;
    return real<Write>("write")(file, pieces[0].iov_base, (pieces[0].iov_len + 1) / 2);
  }
  return real<ssize_t (*)(int, const iovec*, int)>("writev")(file, pieces, count);
}
ssize_t read(int file, void* bytes, size_t count) {
  if (g_medium && is_bad(file, static_cast<uint64_t>(lseek(file, 0, SEEK_CUR)), count)) return -1;
  return have_read("read", file, bytes, count);
}
ssize_t pread(int file, void* bytes, size_t count, off_t at) {
  return is_bad(file, static_cast<uint64_t>(at), count)
             ? -1
             : have_read("pread", file, bytes, count, at);
}
ssize_t pread64(int file, void* bytes, size_t count, off64_t at) {
  return is_bad(file, static_cast<uint64_t>(at), count)
             ? -1
             : have_read("pread64", file, bytes, count, at);
}
int fsync(int file) { return synced("fsync", file); }
int fdatasync(int file) { return synced("fdatasync", file); }
int rename(const char* from, const char* to) noexcept {
  return hit(kRename, to, -1) == Hit::none
             ? real<int (*)(const char*, const char*)>("rename")(from, to)
             : -1;
}
int ftruncate(int file, off_t size) noexcept {
  return hit(kFtruncate, nullptr, file) == Hit::none
             ? real<int (*)(int, off_t)>("ftruncate")(file, size)
             : -1;
}
int ftruncate64(int file, off64_t size) noexcept {
  return hit(kFtruncate, nullptr, file) == Hit::none
             ? real<int (*)(int, off64_t)>("ftruncate64")(file, size)
             : -1;
}
int mkdir(const char* path, mode_t mode) noexcept {
  return hit(kMkdir, path, -1) == Hit::none
             ? real<int (*)(const char*, mode_t)>("mkdir")(path, mode)
             : -1;
}
pid_t fork() noexcept {
  return hit(kFork, nullptr, -1) == Hit::none ? real<pid_t (*)()>("fork")() : -1;
}
int pipe(int* ends) noexcept {
  return hit(kPipe, nullptr, -1) == Hit::none ? real<int (*)(int*)>("pipe")(ends) : -1;
}
int pipe2(int* ends, int flags) noexcept {
  return hit(kPipe, nullptr, -1) == Hit::none ? real<int (*)(int*, int)>("pipe2")(ends, flags) : -1;
}
int clock_gettime(clockid_t clock, timespec* at) noexcept {
  const int result = real<int (*)(clockid_t, timespec*)>("clock_gettime")(clock, at);
  if (result == 0 && clock == CLOCK_REALTIME) at->tv_sec += jumped();
  return result;
}
time_t time(time_t* at) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return at ? *at = now.tv_sec : now.tv_sec;
}
void* malloc(size_t size) {
  return hit(kMalloc, nullptr, -1) == Hit::none ? __libc_malloc(size) : nullptr;
}
void* calloc(size_t count, size_t size) {
  return hit(kMalloc, nullptr, -1) == Hit::none ? __libc_calloc(count, size) : nullptr;
}
void* realloc(void* old, size_t size) {
  return hit(kMalloc, nullptr, -1) == Hit::none ? __libc_realloc(old, size) : nullptr;
}

}  // extern "C"
