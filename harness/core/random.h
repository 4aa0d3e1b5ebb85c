// Random numbers that are the same on every machine and compiler: std:: distributions are not, so
// the few we need are here. Header-only: parts in modules use it too.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace benchbench {

// splitmix64's finaliser: a good 64-bit mix (Steele, Lea, Flood 2014).
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
// Seed of one thing among many: mix_seed(seed, epoch, sample). Depends on nothing else, so that a
// sample's augmentation is the same whichever worker does it.
template <class... Part>
constexpr std::uint64_t mix_seed(std::uint64_t seed, Part... part) noexcept {
  ((seed = mix(seed ^ mix(static_cast<std::uint64_t>(part)))), ...);
  return seed;
}

// xoshiro256++ (Blackman, Vigna 2019). Not thread-safe; 32 bytes.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept {
    for (auto& s : state_) s = seed = mix(seed);
  }
  constexpr std::uint64_t next() noexcept {
    const std::uint64_t result = rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }
  // [0, 1), 53 bits.
  constexpr double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  constexpr double uniform(double low, double high) noexcept {
    return low + (high - low) * uniform();
  }
  // [0, n), n > 0, without bias (Lemire 2019).
  constexpr std::uint64_t below(std::uint64_t n) noexcept {
    unsigned __int128 m = static_cast<unsigned __int128>(next()) * n;
    if (static_cast<std::uint64_t>(m) < n) {
      const std::uint64_t min = (0 - n) % n;
      while (static_cast<std::uint64_t>(m) < min) m = static_cast<unsigned __int128>(next()) * n;
    }
    return static_cast<std::uint64_t>(m >> 64);
  }
  double exponential(double mean) noexcept { return -mean * std::log1p(-uniform()); }
  double normal() noexcept {  // Box–Muller, one of the pair
    const double r = std::sqrt(-2.0 * std::log1p(-uniform()));
    return r * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t rotl(std::uint64_t x, int k) noexcept {
    return (x << k) | (x >> (64 - k));
  }
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace benchbench
