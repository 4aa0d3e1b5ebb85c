#include "scenarios/formats/looked_bytes.h"

#include <algorithm>

namespace benchbench {

ByteSpan MemoryBytes::look(std::uint64_t at, std::uint64_t max) {
  const std::uint64_t begin = std::min(at, size());
  return bytes_.subspan(begin, std::min({max, kMaxLook, size() - begin}));
}

ByteSpan FileBytes::look(std::uint64_t at, std::uint64_t max) {
  const std::uint64_t begin = std::min(at, size());
  const std::uint64_t wanted = std::min({max, kMaxLook, size() - begin});
  if (begin < begin_ || begin + wanted > end_) {
    const std::uint64_t there = std::min(kMaxLook, size() - begin);
    begin_ = end_ = 0;  // until the read is done the buffer holds nothing
    file_.read_at(begin, buffer_.room(there), path_);
    begin_ = begin;
    end_ = begin + there;
  }
  return ByteSpan(buffer_.room(end_ - begin_)).subspan(begin - begin_, wanted);
}

}  // namespace benchbench
