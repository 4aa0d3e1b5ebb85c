// One axis of an antialiased bilinear resize: which input pixels each output pixel is made of, and
// with what weight.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace benchbench {

// Weights are fixed point; those of an output pixel add up to exactly kWeightOne, so that a flat
// area keeps its value.
inline constexpr int kWeightBits = 14;
inline constexpr int kWeightOne = 1 << kWeightBits;

// The triangle filter of Pillow's BILINEAR: its support grows with the reduction, so that small
// outputs are averages. Planned anew for each image; keeps its memory. One thread.
class ResizeAxis {
 public:
  // Of the `out` pixels that `in` pixels become, those from `first` on, `count` of them; with
  // `mirrored` in reverse. All at least 1, first + count <= out.
  void plan(int in, int out, int first, int count, bool mirrored);
  // The same of a stretch [begin, end) of the `in` pixels that begins and ends anywhere within
  // them; begins() count from the first of all. Pixels that the stretch only touches count as much
  // as it covers of them.
  void plan_stretch(double begin, double end, int in, int out, int first, int count, bool mirrored);

  int count() const noexcept { return static_cast<int>(begins_.size()); }
  // Weights of each output pixel, an even number; what lies beyond the input has weight 0 (but is
  // read).
  int taps() const noexcept { return taps_; }
  // The first input pixel of output pixel i; it needs begin(i) .. begin(i) + used(i).
  int begin(int i) const noexcept { return begins_[static_cast<std::size_t>(i)]; }
  int used(int i) const noexcept { return used_[static_cast<std::size_t>(i)]; }
  const std::int16_t* weights(int i) const noexcept {
    return weights_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(taps_);
  }
  // The input pixels that any output pixel needs: [least, most).
  int min() const noexcept { return min_; }
  int max() const noexcept { return max_; }
  std::span<const std::int32_t> begins() const noexcept { return begins_; }
  std::span<const std::int32_t> used_all() const noexcept { return used_; }

 private:
  void weigh(int i, double centre, double reach, double scale, double min, double max);
  std::vector<std::int32_t> begins_;
  std::vector<std::int32_t> used_;
  std::vector<std::int16_t> weights_;
  std::vector<double> exact_;
  int taps_ = 0;
  int min_ = 0;
  int max_ = 0;
};

}  // namespace benchbench
