// What can be done once, ahead of time, to every image of a data set, so that no loader has to do
// it each time: dataset.prepare. What comes of it is a data set like any other, and loaders read it
// as one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "harness/part/sample_format.h"

namespace benchbench {

// One thread's: each thread that makes the data set has its own. What it makes depends on the
// stored bytes and the size alone, so that every thread makes the same.
class Preparation {
 public:
  virtual ~Preparation() = default;
  // Of every prepared sample. Does not change.
  virtual PayloadSpec payload() const noexcept = 0;
  // Of one prepared sample, from a picture of 4 : 3: what room on disk is asked for with, before
  // the data set is made.
  virtual std::uint64_t bytes_estimate() const noexcept = 0;
  // Hands the prepared sample of an encoded image to `sink` once, as bytes that are valid while
  // `sink` runs only. False where the image cannot be decoded without complaint: the sample is then
  // empty, or zeros where all are of one shape, and the harness names it and goes on. `stored` is
  // empty where the user's file could not be read. What `sink` throws comes out.
  virtual bool make(std::span<const std::byte> stored,
                    const std::function<void(std::span<const std::byte>)>& sink) = 0;
};
// `size`: of the prepared picture's shorter side, in pixels. Never nullptr.
using PreparationFactory = std::unique_ptr<Preparation> (*)(int size);

}  // namespace benchbench
