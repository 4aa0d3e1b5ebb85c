#include "harness/trial/probes/kernel_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace benchbench {
namespace {

// Of /proc/stat, /proc/cpuinfo and the like the first lines matter; a machine of 1,000 CPUs writes
// megabytes of them.
constexpr std::size_t kMax = 65536;
constexpr std::size_t kFirstRoom = 4096;

}  // namespace

KernelFile::KernelFile(std::string path) : path_(std::move(path)) {
  file_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_) why_ = path_ + ": " + std::strerror(errno);
}

std::string_view KernelFile::text(std::uint64_t tick) {
  if (tick != tick_) {
    tick_ = tick;
    length_ = 0;
    if (file_) read();
  }
  return {text_.data(), length_};
}

void KernelFile::read() {
  why_.clear();
  if (text_.empty()) text_.resize(kFirstRoom);
  // Up to the read that gives nothing: many of these files hand over a page of whole lines at a
  // time, so that a buffer with room left does not say that it was all.
  while (length_ < kMax) {
    if (length_ == text_.size()) text_.resize(2 * text_.size());
    const ssize_t n = ::pread(file_.get(), text_.data() + length_, text_.size() - length_,
                              static_cast<off_t>(length_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      why_ = path_ + ": " + std::strerror(errno);
      length_ = 0;
    }
    if (n <= 0) break;
    length_ += static_cast<std::size_t>(n);
  }
  if (length_ == 0 && why_.empty()) why_ = path_ + " is empty";
}

KernelFile& KernelFiles::at(const std::string& path) {
  auto [at, fresh] = files_.try_emplace(path);
  if (fresh) at->second = std::make_unique<KernelFile>(path);
  return *at->second;
}

std::optional<std::uint64_t> first_number(std::string_view text) noexcept {
  const std::size_t at = text.find_first_not_of(" \t:");
  if (at == text.npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (result.ec != std::errc{}) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key) noexcept {
  std::optional<std::uint64_t> number;
  for_each_line(text, [&](std::string_view line) {
    if (!line.starts_with(key)) return true;
    number = first_number(line.substr(key.size()));
    return false;
  });
  return number;
}

std::optional<std::int64_t> scaled(std::optional<std::uint64_t> number,
                                   std::int64_t size) noexcept {
  return number ? std::optional(static_cast<std::int64_t>(*number) * size) : std::nullopt;
}

std::string_view word(std::string_view text, unsigned n) noexcept {
  text = text.substr(0, text.find('\n'));
  for (;; --n) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return {};
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    if (n == 0) return text.substr(0, end);
    text.remove_prefix(end);
  }
}

}  // namespace benchbench
