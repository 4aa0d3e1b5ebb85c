#include "harness/core/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "harness/core/error.h"
#include "harness/core/parse_number.h"

namespace benchbench {
namespace {

Digest from(XXH128_hash_t hash) { return {hash.high64, hash.low64}; }

std::uint64_t hex64(std::string_view hex, std::string_view whole) {
  if (const auto value = parse_number<std::uint64_t>(hex, 16)) return *value;
  throw StoreError(fmt::format("'{}' is not a digest", whole), "a digest is 32 hex digits");
}

}  // namespace

std::string Digest::text() const { return fmt::format("{:016x}{:016x}", high, low); }

Digest Digest::from_text(std::string_view hex) {
  return {hex64(hex.substr(0, 16), hex), hex64(hex.size() == 32 ? hex.substr(16) : "", hex)};
}

Digest digest_of(std::span<const std::byte> bytes) noexcept {
  return from(XXH3_128bits(bytes.data(), bytes.size()));
}
Digest digest_of(std::string_view text) noexcept {
  return from(XXH3_128bits(text.data(), text.size()));
}

struct Digester::State {
  XXH3_state_t* xxh = XXH3_createState();  // needs 64-byte alignment, which the library sees to
  State() {
    if (!xxh) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
};

Digester::Digester() : state_(std::make_unique<State>()) {}
Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;

Digester& Digester::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
  return *this;
}
Digester& Digester::add(std::string_view text) { return add(std::as_bytes(std::span(text))); }
Digest Digester::finish() const { return from(XXH3_128bits_digest(state_->xxh)); }

}  // namespace benchbench
