#include "harness/core/digest.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "harness/core/crc32c.h"
#include "harness/core/error.h"
#include "harness/core/random.h"

namespace benchbench::digest_test {

std::vector<std::byte> noise(std::size_t size) {
  Random random(size + 1);
  std::vector<std::byte> bytes(size);
  for (auto& b : bytes) b = static_cast<std::byte>(random.next());
  return bytes;
}

TEST_CASE("digest: it is the XXH3 of 128 bits, as other programs print it", "[unit][core]") {
  // `xxhsum -H2` of no bytes, and of "abc".
  CHECK(digest_of(std::string_view{}).text() == "99aa06d3014798d86001c324468d497f");
  CHECK(digest_of("abc").text() == "06b05ab6733a618578af5f94892f3950");
}

TEST_CASE("digest: fed in pieces of any size it is the same", "[unit][core]") {
  for (const std::size_t size : {0u, 1u, 16u, 17u, 128u, 129u, 240u, 241u, 1000u, 5000u}) {
    const auto bytes = noise(size);
    Random random(3);
    Digester digester;
    for (std::size_t at = 0; at < size;) {
      const std::size_t piece = std::min<std::size_t>(size - at, 1 + random.below(300));
      digester.add(std::span(bytes).subspan(at, piece));
      at += piece;
    }
    CHECK(digester.finish() == digest_of(bytes));
  }
}

TEST_CASE("digest: text and digest are one another's inverse; junk is refused", "[unit][core]") {
  const Digest digest{0x0123456789abcdef, 0xf0};
  CHECK(digest.text() == "0123456789abcdef00000000000000f0");
  CHECK(Digest::from_text(digest.text()) == digest);
  CHECK_THROWS_AS(Digest::from_text("0123"), StoreError);
  CHECK_THROWS_AS(Digest::from_text("0123456789abcdef00000000000000g0"), StoreError);
  CHECK_THROWS_AS(Digest::from_text("0x23456789abcdef00000000000000f0"), StoreError);
}

TEST_CASE("crc32c: the check value and the vectors of RFC 3720", "[unit][core]") {
  const std::string zeros(32, '\0');
  const std::string ones(32, '\xff');
  CHECK(crc32c("123456789") == 0xE3069283u);
  CHECK(crc32c(zeros) == 0x8A9136AAu);
  CHECK(crc32c(ones) == 0x62A8AB43u);
  CHECK(crc32c(std::string_view{}) == 0u);
}

TEST_CASE("crc32c: by table and by instruction are equal at every length and alignment",
          "[unit][core]") {
  const auto bytes = noise(300);
  CHECK(crc32c_by_table(std::as_bytes(std::span(std::string_view("123456789")))) == 0xE3069283u);
  if (!crc32c_has_instruction()) return;
  for (std::size_t first = 0; first < 9; ++first)
    for (std::size_t size = 0; size + first <= bytes.size(); ++size) {
      const auto part = std::span(bytes).subspan(first, size);
      REQUIRE(crc32c_by_instruction(part) == crc32c_by_table(part));
    }
}

TEST_CASE("crc32c: the sum of the first part is the seed of the next", "[unit][core]") {
  const auto bytes = noise(1000);
  const auto whole = std::span<const std::byte>(bytes);
  for (const std::size_t cut : {0u, 1u, 7u, 512u, 1000u})
    CHECK(crc32c(whole.subspan(cut), crc32c(whole.first(cut))) == crc32c(whole));
}

}  // namespace benchbench::digest_test
