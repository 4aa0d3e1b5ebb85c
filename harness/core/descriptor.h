// File descriptors with an owner.
#pragma once
#include <unistd.h>
#include <cerrno>
#include <string_view>

#include <utility>

namespace benchbench {

// Owns one descriptor, or none (-1), and closes it. Not shared between threads.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void close() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// Writes all of it, and waits for as long as that takes. Returns 0, or the error's number.
inline int write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Both ends are closed on exec: a child gets those that its ChildStart names.
struct Pipe {
  Descriptor read, write;
};
// Throws PartError where the process has too many descriptors.
Pipe make_pipe();

}  // namespace benchbench
