// File descriptors with an owner.
#pragma once
#include <unistd.h>

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

// Both ends are closed on exec: a child gets those that its ChildStart names.
struct Pipe {
  Descriptor read, write;
};
// Throws PartError where the process has too many descriptors.
Pipe make_pipe();

}  // namespace benchbench
