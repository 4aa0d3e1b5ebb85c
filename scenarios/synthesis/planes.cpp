#include "scenarios/synthesis/planes.h"

#include <algorithm>

namespace benchbench::synthesis {
namespace {

// in[0..n) twice as wide, first `width` values.
void double_row(const std::int16_t* in, int n, int width, std::int16_t* out) {
  const int pairs = width / 2;
  const int inner = std::min(pairs, n - 1);
  if (width > 0) out[0] = in[0];
  if (width > 1) out[1] = static_cast<std::int16_t>((3 * in[0] + in[std::min(1, n - 1)] + 2) >> 2);
  for (int i = 1; i < inner; ++i) {
    out[2 * i] = static_cast<std::int16_t>((3 * in[i] + in[i - 1] + 2) >> 2);
    out[2 * i + 1] = static_cast<std::int16_t>((3 * in[i] + in[i + 1] + 2) >> 2);
  }
  for (int x = std::max(2, 2 * inner); x < width; ++x) {
    const int i = std::min(x / 2, n - 1);
    const int other = std::clamp(x % 2 ? i + 1 : i - 1, 0, n - 1);
    out[x] = static_cast<std::int16_t>((3 * in[i] + in[other] + 2) >> 2);
  }
}

// Adds noise to a row, of the strength that `strength_at` gives for each value. Two random bytes a
// value: their sum is triangular, -255..255, standard deviation 104.5. n × strength is at most
// 255 × 127 and fits 16 bits; >> 4 leaves strength × 6.5 plane units = 0.4 levels.
template <class StrengthAt>
void add_noise_to_row(std::int16_t* row, int width, Random& random, StrengthAt strength_at) {
  thread_local std::vector<std::uint8_t> bytes;
  bytes.resize((static_cast<std::size_t>(width) * 2 + 7) / 8 * 8);
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t x = random.next();
    for (int b = 0; b < 8; ++b) bytes[i + b] = static_cast<std::uint8_t>(x >> (8 * b));
  }
  const std::uint8_t* first = bytes.data();
  const std::uint8_t* second = bytes.data() + width;
  for (int x = 0; x < width; ++x) {
    const auto n = static_cast<std::int16_t>(first[x] + second[x] - 255);
    row[x] =
        static_cast<std::int16_t>(row[x] + (static_cast<std::int16_t>(n * strength_at(x)) >> 4));
  }
}

}  // namespace

void double_plane(const Plane& in, int width, int height, Plane& out) {
  out.resize(width, height);
  thread_local std::vector<std::int16_t> mixed;
  mixed.resize(static_cast<std::size_t>(in.width));
  for (int y = 0; y < height; ++y) {
    const int near = std::min(y / 2, in.height - 1);
    const int far = std::clamp(y % 2 ? near + 1 : near - 1, 0, in.height - 1);
    const std::int16_t* a = in.row(near);
    const std::int16_t* b = in.row(far);
    for (int x = 0; x < in.width; ++x)
      mixed[x] = static_cast<std::int16_t>((3 * a[x] + b[x] + 2) >> 2);
    double_row(mixed.data(), in.width, width, out.row(y));
  }
}

void add_noise(Plane& plane, int strength, Random& random) {
  if (strength <= 0) return;
  const auto s = static_cast<std::int16_t>(std::min(strength, 127));
  for (int y = 0; y < plane.height; ++y)
    add_noise_to_row(plane.row(y), plane.width, random, [s](int) { return s; });
}

void add_rough_noise(Plane& plane, int level, int strength, const Roughness& roughness,
                     Random& random) {
  if (strength <= 0) return;
  thread_local std::vector<std::int16_t> strengths;
  const int shift = 3 - level;
  strengths.resize(static_cast<std::size_t>(roughness.width) << shift);
  for (int y = 0; y < plane.height; ++y) {
    if ((y & ((1 << shift) - 1)) == 0) {
      const std::uint8_t* rough = roughness.row(std::min(y >> shift, roughness.height - 1));
      for (int block = 0; block < roughness.width; ++block) {
        const auto s = static_cast<std::int16_t>(std::min(127, (strength * rough[block]) >> 6));
        for (int x = block << shift; x < (block + 1) << shift; ++x) strengths[x] = s;
      }
    }
    add_noise_to_row(plane.row(y), plane.width, random,
                     [s = strengths.data()](int x) { return s[x]; });
  }
}

}  // namespace benchbench::synthesis
