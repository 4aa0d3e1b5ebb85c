#include "harness/process/frame.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "harness/core/parse_number.h"

namespace benchbench {

namespace {

constexpr std::size_t kLongestHeader = 64;
// The most of a payload: a thousand times what the largest has.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

// Returns the size that a frame's header says its payload has.
std::size_t size_in(std::string_view header) {
  const std::size_t space = header.find(' ');
  std::size_t bytes = 0;
  if (space == std::string_view::npos || !read_number(header.substr(space + 1), bytes) ||
      bytes > kMostBytes)
    throw PartError(fmt::format("invalid data on the child's pipe: '{}'", header));
  return bytes;
}
}  // namespace

std::string frame_text(std::string_view kind, std::string_view payload) {
  std::string whole = fmt::format("{} {}\n", kind, payload.size());
  whole.append(payload);
  return whole;
}

// One write: a frame is not torn by another thread's.
bool write_frame(int fd, std::string_view kind, std::string_view payload) {
  return write_all(fd, frame_text(kind, payload)) == 0;
}

std::optional<Frame> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(used_);
  const std::size_t end = rest.find('\n');
  if (std::min(end, rest.size()) > kLongestHeader)
    throw PartError("invalid data on the child's pipe");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view header = rest.substr(0, end);
  const std::size_t space = header.find(' '), bytes = size_in(header);
  if (rest.size() - end - 1 < bytes) return std::nullopt;
  Frame frame{std::string(header.substr(0, space)), std::string(rest.substr(end + 1, bytes))};
  used_ += end + 1 + bytes;
  if (used_ == buffer_.size() || used_ > (1u << 20)) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  return frame;
}

}  // namespace benchbench
