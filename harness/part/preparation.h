// What can be done once, ahead of time, to every image of a data set, so that no loader has to do it each time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "harness/part/sample_format.h"

namespace benchbench {

// One thread's. What it makes depends on the stored bytes and the size alone.
class Preparation {
 public:
  virtual ~Preparation() = default;
  // Of every prepared sample.
  virtual PayloadSpec payload() const noexcept = 0;
  virtual std::uint64_t bytes_estimate() const noexcept = 0;   // of one of them, from a picture of 4 : 3
  // Hands the prepared sample of an encoded image to `sink` once, valid during the call only. False where the image
  // cannot be decoded without complaint: the sample is then empty, or zeros where all are of one shape.
  virtual bool make(std::span<const std::byte> stored, const std::function<void(std::span<const std::byte>)>& sink) = 0;
};
// `size`: of the shorter side, in pixels.
using PreparationFactory = std::unique_ptr<Preparation> (*)(int size);

}  // namespace benchbench
