#include "harness/core/files/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "harness/core/descriptor.h"
#include "harness/core/error.h"

namespace benchbench {
namespace {

[[noreturn]] void reading_failed(int number, const std::string& path, std::string_view doing) {
  throw StoreError(fmt::format("{}: cannot {}: {}", path, doing, strerrordesc_np(number)));
}

[[noreturn]] void too_large(const std::string& path, std::uint64_t most) {
  throw StoreError(fmt::format("{} has over {} bytes, the limit for such a file", path, most));
}

std::uint64_t read_size(const Descriptor& file, const std::string& path, std::uint64_t most) {
  struct stat about{};
  if (::fstat(file.get(), &about) != 0) reading_failed(errno, path, "read its size");
  if (!S_ISREG(about.st_mode)) throw StoreError(fmt::format("{} is not a regular file", path));
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size > most) too_large(path, most);
  return size;
}

}  // namespace

std::string read_whole(const std::string& path, std::uint64_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file) reading_failed(errno, path, "open");
  std::string text;
  text.reserve(read_size(file, path, most) + 1);
  char buffer[1 << 16];
  while (true) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) reading_failed(errno, path, "read");
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > most) too_large(path, most);
  }
}

bool is_there(const std::string& path) {
  std::error_code failed;
  const bool there = std::filesystem::exists(path, failed);
  if (failed && failed != std::errc::filename_too_long)
    reading_failed(failed.value(), path, "look at it");
  return there;
}

}  // namespace benchbench
