#include "scenarios/python/wrap/wrap_connection.h"

#include <sys/socket.h>

#include <cerrno>

namespace benchbench::python_part {

void WrapConnection::read() {
  char bytes[65536];
  while (open() && !at_end_) {
    const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0 && ignored_) continue;
    if (n > 0)
      reader_.feed({bytes, static_cast<std::size_t>(n)});
    else if (n < 0 && errno == EINTR)
      continue;
    else if (n < 0 && errno == EAGAIN)
      return;
    else
      at_end_ = true;
  }
}

void WrapConnection::send(const Json& message) noexcept try {
  const std::string bytes = encoded(message);
  if (open() && ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
                    static_cast<ssize_t>(bytes.size()))
    at_end_ = true;
} catch (const std::exception&) {
  at_end_ = true;
}

}  // namespace benchbench::python_part
