#include "scenarios/formats/token_index.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <type_traits>

#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kHeader = 9 + 8 + 1 + 8 + 8;

struct ElementCode {
  std::uint8_t code;
  DType type;
};
constexpr ElementCode kElements[] = {
    {1, DType::uint8}, {3, DType::int16}, {4, DType::int32}, {5, DType::int64}, {8, DType::uint16}};

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::make_unsigned_t<T> n = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    n |= static_cast<std::make_unsigned_t<T>>(static_cast<std::make_unsigned_t<T>>(bytes[at + i])
                                              << (8 * i));
  return static_cast<T>(n);
}

template <class T>
void put(std::string& to, T number) {
  const auto n = static_cast<std::uint64_t>(number);
  for (std::size_t i = 0; i < sizeof(T); ++i) to.push_back(static_cast<char>(n >> (8 * i)));
}

[[noreturn]] void refuse(std::string_view name, std::string_view what) {
  throw ScenarioError(fmt::format("'{}': {}", name, what),
                      "expected: a token index as Megatron-LM writes it next to its .bin");
}

DType element_of(std::uint8_t code, std::string_view name) {
  for (const ElementCode& e : kElements)
    if (e.code == code) return e.type;
  refuse(name, fmt::format("elements of kind {} are not tokens", code));
}

// How many sequences, checked against the file's size before anything is made for them.
std::uint64_t sequences_in(std::span<const std::byte> bytes, std::string_view name) {
  const auto sequences = number_at<std::uint64_t>(bytes, 18),
             documents = number_at<std::uint64_t>(bytes, 26);
  const std::uint64_t room = bytes.size() - kHeader;
  const auto fits = [&](std::uint64_t each) {
    return sequences <= room / each && documents == (room - sequences * each) / 8 &&
           (room - sequences * each) % 8 == 0;
  };
  if (!fits(12) && !fits(13))
    refuse(name, fmt::format("{} bytes are too few for its {} sequences and {} documents",
                             bytes.size(), sequences, documents));
  if (sequences == 0) refuse(name, "no sequences in it");
  return sequences;
}

}  // namespace

bool is_token_type(DType type) noexcept {
  for (const ElementCode& e : kElements)
    if (e.type == type) return true;
  return false;
}

TokenIndex parse_token_index(std::span<const std::byte> bytes, std::uint64_t bin_bytes,
                             std::string_view name) {
  if (bytes.size() < kHeader ||
      std::memcmp(bytes.data(), kTokenIndexMagic.data(), kTokenIndexMagic.size()) != 0)
    refuse(name, "not a token index: it does not begin with MMIDIDX");
  if (const auto version = number_at<std::uint64_t>(bytes, 9); version != kVersion)
    refuse(name, fmt::format("index version {} is not supported, only {}", version, kVersion));
  TokenIndex index;
  index.dtype = element_of(number_at<std::uint8_t>(bytes, 17), name);
  const std::uint64_t sequences = sequences_in(bytes, name);
  const std::uint64_t element = size_of(index.dtype);
  index.lengths.reserve(sequences);
  index.offsets.reserve(sequences);
  for (std::uint64_t i = 0; i < sequences; ++i) {
    const auto length = number_at<std::int32_t>(bytes, kHeader + 4 * i);
    const auto offset = number_at<std::int64_t>(bytes, kHeader + 4 * sequences + 8 * i);
    const bool inside = length >= 0 && offset >= 0 &&
                        static_cast<std::uint64_t>(offset) <= bin_bytes &&
                        static_cast<std::uint64_t>(length) <=
                            (bin_bytes - static_cast<std::uint64_t>(offset)) / element;
    if (!inside)
      refuse(name,
             fmt::format("sequence {}: {} elements at byte {} are outside the .bin's {} bytes", i,
                         length, offset, bin_bytes));
    index.lengths.push_back(static_cast<std::uint32_t>(length));
    index.offsets.push_back(static_cast<std::uint64_t>(offset));
  }
  return index;
}

std::string token_index_bytes(const TokenIndex& index) {
  std::string bytes(kTokenIndexMagic);
  put(bytes, kVersion);
  for (const ElementCode& e : kElements)
    if (e.type == index.dtype) put(bytes, e.code);
  const std::uint64_t sequences = index.lengths.size();
  put(bytes, sequences);
  put(bytes, sequences + 1);
  for (const std::uint32_t length : index.lengths) put(bytes, length);
  for (const std::uint64_t offset : index.offsets) put(bytes, offset);
  for (std::uint64_t i = 0; i <= sequences; ++i) put(bytes, i);
  return bytes;
}

}  // namespace benchbench
