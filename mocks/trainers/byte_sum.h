// A sum over all bytes of a batch that is fast enough to cost little and cannot be had without
// reading each of them.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>

#include "harness/core/byte_span.h"
#include "harness/core/random.h"

namespace benchbench {

// Depends on every byte and on its place. Eight lanes of 64 bits, so that it runs at the speed of
// memory; no digest in the strict sense, and no proof against somebody who means harm.
class ByteSum {
 public:
  void add(ByteSpan bytes) noexcept {
    const std::byte* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= sizeof lane_; left -= sizeof lane_, at += sizeof lane_) add_block(at);
    if (left == 0) return;
    std::byte last[sizeof lane_] = {};
    std::memcpy(last, at, left);
    add_block(last);
  }
  std::uint64_t value() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t lane : lane_) sum = mix(sum ^ lane);
    return sum;
  }

 private:
  static std::uint64_t rotated(std::uint64_t x, int k) noexcept {
    return (x << k) | (x >> (64 - k));
  }
  void add_block(const std::byte* at) noexcept {
    std::uint64_t word[kLanes];
    std::memcpy(word, at, sizeof word);
    for (int i = 0; i < kLanes; ++i) lane_[i] = rotated(lane_[i], 5) + word[i];
  }

  static constexpr int kLanes = 8;
  std::uint64_t lane_[kLanes] = {1, 2, 3, 4, 5, 6, 7, 8};
};

}  // namespace benchbench
