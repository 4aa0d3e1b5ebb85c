#include "scenarios/storage/mapped_file.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "harness/core/error.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace benchbench {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::uint64_t kNoDamage = std::numeric_limits<std::uint64_t>::max();

// What the handler knows: fixed places, so that it needs no lock and no memory.
struct Guarded {
  std::atomic<std::uintptr_t> begin{0};  // 0: free
  std::atomic<std::uintptr_t> end{0};
  // Offsets from the lowest page that was lost to behind the highest.
  std::atomic<std::uint64_t> damaged_from{kNoDamage}, damaged_to{0};
};
constexpr std::size_t kMaxGuarded = 16384;
Guarded guarded[kMaxGuarded];
std::atomic<std::size_t> guarded_end{0};  // no place behind it was ever used
struct sigaction action_before;

void pass_on(int signal, siginfo_t* info, void* context) {
  if (action_before.sa_flags & SA_SIGINFO) return action_before.sa_sigaction(signal, info, context);
  if (action_before.sa_handler != SIG_DFL && action_before.sa_handler != SIG_IGN)
    return action_before.sa_handler(signal);
  // The instruction is tried again and ends as it would have.
  ::sigaction(SIGBUS, &action_before, nullptr);
}

// On the thread that read. mmap is a plain system call: allowed here.
void on_lost_page(int signal, siginfo_t* info, void* context) {
  const int error_before = errno;
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::size_t end = guarded_end.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < end; ++i) {
    Guarded& g = guarded[i];
    const std::uintptr_t begin = g.begin.load(std::memory_order_acquire);
    if (begin == 0 || at < begin || at >= g.end.load(std::memory_order_relaxed)) continue;
    const std::uintptr_t page = at / kPageBytes * kPageBytes;
    std::uint64_t lowest = g.damaged_from.load();
    std::uint64_t highest = g.damaged_to.load();
    while (page - begin < lowest && !g.damaged_from.compare_exchange_weak(lowest, page - begin)) {
    }
    while (page + kPageBytes - begin > highest &&
           !g.damaged_to.compare_exchange_weak(highest, page + kPageBytes - begin)) {
    }
    if (::mmap(reinterpret_cast<void*>(page), kPageBytes, PROT_READ,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      break;
    errno = error_before;
    return;
  }
  pass_on(signal, info, context);
}

void install_handler() {
  static const bool installed = [] {
    struct sigaction action{};
    action.sa_sigaction = on_lost_page;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    return ::sigaction(SIGBUS, &action, &action_before) == 0;
  }();
  static_cast<void>(installed);
}

// The place in the table of what is guarded now.
std::size_t guard(ByteSpan mapping) {
  install_handler();
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping.data());
  for (std::size_t i = 0; i < kMaxGuarded; ++i) {
    std::uintptr_t free_place = 0;
    // 1 is no address: the place is taken, and nothing lies in it yet.
    if (guarded[i].begin.load(std::memory_order_relaxed) != 0 ||
        !guarded[i].begin.compare_exchange_strong(free_place, 1))
      continue;
    guarded[i].end.store(begin + mapping.size(), std::memory_order_relaxed);
    guarded[i].damaged_from.store(kNoDamage, std::memory_order_relaxed);
    guarded[i].damaged_to.store(0, std::memory_order_relaxed);
    guarded[i].begin.store(begin, std::memory_order_release);
    std::size_t seen = guarded_end.load();
    while (seen < i + 1 && !guarded_end.compare_exchange_weak(seen, i + 1)) {
    }
    return i;
  }
  throw PartError(fmt::format("more than {} files mapped at once", kMaxGuarded),
                  "use loader.io: pread, which needs no mapping");
}

std::size_t pages_of(std::size_t bytes) noexcept { return (bytes + kPageBytes - 1) / kPageBytes; }

}  // namespace

MapGuard::MapGuard(ByteSpan mapping) : place_(guard(mapping)) {}

MapGuard::~MapGuard() { guarded[place_].begin.store(0, std::memory_order_release); }

bool MapGuard::lost(std::uint64_t begin, std::uint64_t end) const noexcept {
  const Guarded& g = guarded[place_];
  return g.damaged_from.load(std::memory_order_relaxed) < end &&
         g.damaged_to.load(std::memory_order_relaxed) > begin;
}

std::unique_ptr<MappedFile> MappedFile::open(int folder, const char* path) {
  std::unique_ptr<MappedFile> mapped(new MappedFile);
  mapped->file_ = ReadFile::open_at(folder, path);
  mapped->path_ = path;
  const std::size_t pages = pages_of(mapped->file_.size());
  const std::size_t room = (pages + 1) * kPageBytes;
  void* const reserved =
      ::mmap(nullptr, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) refuse_read(path, "map", errno);
  mapped->base_ = static_cast<std::byte*>(reserved);
  mapped->room_ = room;
  if (pages > 0 && ::mmap(reserved, pages * kPageBytes, PROT_READ, MAP_SHARED | MAP_FIXED,
                          mapped->file_.descriptor(), 0) == MAP_FAILED)
    refuse_read(path, "map", errno);
  // What is needed is fetched by fetch(), in one go: the kernel need not guess what lies around a
  // page that is missing.
  if (pages > 0) ::madvise(reserved, pages * kPageBytes, MADV_RANDOM);
  mapped->guard_.emplace(std::span(mapped->base_, pages * kPageBytes));
  mapped->fetched_ = std::make_unique<std::atomic<std::uint64_t>[]>(pages / 64 + 1);
  return mapped;
}

MappedFile::~MappedFile() {
  guard_.reset();  // before others can be mapped there
  if (base_) ::munmap(base_, room_);
}

bool MappedFile::fetched(std::uint64_t first, std::uint64_t end) const noexcept {
  for (std::uint64_t word = first / 64; word * 64 < end; ++word) {
    std::uint64_t wanted = ~std::uint64_t{0};
    if (word == first / 64) wanted &= ~std::uint64_t{0} << (first % 64);
    if (end < (word + 1) * 64) wanted &= ~(~std::uint64_t{0} << (end % 64));
    if ((fetched_[word].load(std::memory_order_relaxed) & wanted) != wanted) return false;
  }
  return true;
}

void MappedFile::note_fetched(std::uint64_t first, std::uint64_t end) noexcept {
  for (std::uint64_t page = first; page < end; ++page)
    fetched_[page / 64].fetch_or(std::uint64_t{1} << (page % 64), std::memory_order_relaxed);
}

// Whether none has been reclaimed since. Much cheaper than to populate what is there: a raw data
// set in memory is read at the rate of memcpy.
bool MappedFile::resident(std::uint64_t first, std::uint64_t end) const noexcept {
  constexpr std::uint64_t kAtOnce = 1024;
  unsigned char in[kAtOnce];
  for (; first < end; first += std::min(kAtOnce, end - first)) {
    const std::size_t pages = std::min(kAtOnce, end - first);
    if (::mincore(base_ + first * kPageBytes, pages * kPageBytes, in) != 0) return false;
    if (!std::all_of(in, in + pages, [](unsigned char page) { return page & 1; })) return false;
  }
  return true;
}

// False where a page is not to be had.
bool MappedFile::populate(std::uint64_t first, std::uint64_t end) {
  std::byte* const start = base_ + first * kPageBytes;
  const std::size_t bytes = (end - first) * kPageBytes;
  ::madvise(start, bytes, MADV_WILLNEED);  // one large request; the next call waits for it
  int failed = 0;
  do failed = ::madvise(start, bytes, MADV_POPULATE_READ) == 0 ? 0 : errno;
  while (failed == EINTR || failed == EAGAIN);
  if (failed == 0) return true;
  if (failed != EINVAL) return false;
  touch(first, end);  // Linux before 5.14; the handler stands by
  return !guard_->lost(first * kPageBytes, end * kPageBytes);
}

void MappedFile::touch(std::uint64_t first, std::uint64_t end) const noexcept {
  for (; first < end; ++first) {
    [[maybe_unused]] const std::byte touched =
        *static_cast<const volatile std::byte*>(base_ + first * kPageBytes);
  }
}

ByteSpan MappedFile::fetch(std::uint64_t offset, std::size_t length) {
  const std::uint64_t size = std::min(file_.size(), file_.size_now());
  if (offset >= size) return {};
  length = static_cast<std::size_t>(std::min<std::uint64_t>(length, size - offset));
  const std::uint64_t first = offset / kPageBytes, end = pages_of(offset + length);
  // What was there may have been reclaimed, and whoever uses the bytes would wait for it in our
  // place.
  if (length > 0 && !(fetched(first, end) && resident(first, end))) {
    if (populate(first, end)) {
      note_fetched(first, end);
    } else {
      const std::uint64_t now = file_.size_now();
      if (now >= offset + length) refuse_read(path_, "read", EIO);
      length = static_cast<std::size_t>(now > offset ? now - offset : 0);
    }
  }
  return {base_ + offset, length};
}

std::string_view MappedFile::problem(std::uint64_t offset, std::size_t length) const noexcept {
  if (file_.size_now() < offset + length) return "its file shrank while it was being read";
  // An error of the device, or a file that has grown again.
  return guard_->lost(offset, offset + length)
             ? "a page of its file could not be loaded while it was being read"
             : "";
}

void MappedFile::let_go() noexcept {
  const std::size_t pages = room_ / kPageBytes - 1;
  for (std::size_t word = 0; word <= pages / 64; ++word)
    fetched_[word].store(0, std::memory_order_relaxed);
  if (pages > 0) ::madvise(base_, pages * kPageBytes, MADV_DONTNEED);
}

}  // namespace benchbench
