#include "harness/core/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

#include "harness/core/digest.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace benchbench {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // Castagnoli, reflected

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? kPolynomial : 0);
    t[0][i] = c;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t i = 0; i < 256; ++i) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xff];
  return t;
}
constexpr Tables kTables = make_tables();
static_assert(std::endian::native == std::endian::little,
              "the eight-byte step reads little-endian words");

std::uint64_t load64(const std::byte* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  std::uint32_t c = ~seed;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint64_t word = load64(at) ^ c;
    c = 0;
    for (std::size_t k = 0; k < 8; ++k) c ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; left > 0; --left, ++at)
    c = (c >> 8) ^ kTables[0][(c ^ static_cast<std::uint32_t>(*at)) & 0xff];
  return ~c;
}

#if defined(__x86_64__)
bool crc32c_has_instruction() noexcept { return __builtin_cpu_supports("sse4.2"); }

__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(
    std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  std::uint64_t c = ~seed;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) c = _mm_crc32_u64(c, load64(at));
  auto small = static_cast<std::uint32_t>(c);
  for (; left > 0; --left, ++at) small = _mm_crc32_u8(small, static_cast<std::uint8_t>(*at));
  return ~small;
}
#else
bool crc32c_has_instruction() noexcept { return false; }
std::uint32_t crc32c_by_instruction(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  return crc32c_by_table(bytes, seed);
}
#endif

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  static const bool by_instruction = crc32c_has_instruction();
  return by_instruction ? crc32c_by_instruction(bytes, seed) : crc32c_by_table(bytes, seed);
}
std::uint32_t crc32c(std::string_view text, std::uint32_t seed) noexcept {
  return crc32c(std::as_bytes(std::span(text)), seed);
}

}  // namespace benchbench
