#include "scenarios/storage/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::uint64_t kMaxPayload = 1ull << 30;

}  // namespace

ReadFile ReadFile::open(const char* path) { return open_at(AT_FDCWD, path); }

// O_NONBLOCK: a pipe that somebody named x.jpg must not hold a worker for ever. Regular files
// ignore it.
int ReadFile::open_flags() noexcept { return O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY; }

ReadFile ReadFile::open_at(int folder, const char* path, int more_flags) {
  const int descriptor = ::openat(folder, path, open_flags() | more_flags);
  if (descriptor < 0) refuse_read(path, "open", errno);
  return adopt(descriptor, path);
}

ReadFile ReadFile::adopt(int descriptor, const char* path) {
  ReadFile file;
  file.descriptor_ = Descriptor(descriptor);
  struct stat found{};
  if (::fstat(descriptor, &found) != 0) refuse_read(path, "stat", errno);
  if (!S_ISREG(found.st_mode)) throw PartError(fmt::format("'{}' is not a regular file", path));
  file.stamp_.size = static_cast<std::uint64_t>(found.st_size);
  file.stamp_.modified_ns = found.st_mtim.tv_sec * 1'000'000'000ll + found.st_mtim.tv_nsec;
  return file;
}

std::uint64_t ReadFile::size_now() const noexcept {
  struct stat found{};
  return ::fstat(descriptor_.get(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

void ReadFile::read_at(std::uint64_t offset, std::span<std::byte> into,
                       std::string_view name) const {
  const std::size_t done = read_some_at(offset, into, name);
  if (done < into.size()) refuse_short(name, into.size(), offset, done);
}

std::size_t ReadFile::read_some_at(std::uint64_t offset, std::span<std::byte> into,
                                   std::string_view name) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(descriptor_.get(), into.data() + done, into.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_read(name, "read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void refuse_short(std::string_view name, std::uint64_t wanted, std::uint64_t offset,
                  std::uint64_t there) {
  throw PartError(fmt::format("short read of '{}': {} bytes requested at offset {}, {} available",
                              name, wanted, offset, there));
}

void refuse_read(std::string_view name, std::string_view doing, int error) {
  throw PartError(fmt::format("cannot {} '{}': {}", doing, name, std::strerror(error)));
}

std::span<std::byte> ReadBuffer::room(std::size_t size) {
  if (size + kSlack > capacity_) {
    capacity_ = (size + size / 2 + kSlack + 4095) / 4096 * 4096;
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(capacity_);
  }
  return {bytes_.get(), size};
}

std::size_t checked_length(std::uint64_t length, std::string_view name) {
  if (length > kMaxPayload)
    throw PartError(
        fmt::format("'{}' has {} bytes: too large for a sample (limit 1 GiB)", name, length));
  return static_cast<std::size_t>(length);
}

std::string read_small_file(const std::string& path, std::uint64_t max) {
  const ReadFile file = ReadFile::open(path.c_str());
  if (file.size() > max)
    throw PartError(fmt::format("'{}' has {} bytes; at most {} expected", path, file.size(), max));
  std::string text(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)), path);
  return text;
}

}  // namespace benchbench
