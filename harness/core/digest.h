// Digests (XXH3, 128 bit) and the CRC32C of a journal line.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace benchbench {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const Digest&) const = default;
  std::string text() const;                       // 32 hex digits
  static Digest from_text(std::string_view hex);  // throws StoreError where it is none
};

Digest digest_of(std::span<const std::byte> bytes) noexcept;
Digest digest_of(std::string_view text) noexcept;

// The same digest, fed in pieces. Not thread-safe.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(Digester&&) noexcept;
  Digester& add(std::span<const std::byte> bytes);
  Digester& add(std::string_view text);
  Digest finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// CRC32C (Castagnoli, reflected, as iSCSI and leveldb use it), by instruction where the CPU has it.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed = 0) noexcept;
std::uint32_t crc32c(std::string_view text, std::uint32_t seed = 0) noexcept;

}  // namespace benchbench
