#include "scenarios/formats/token_index.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"

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

std::uint64_t number_at(ByteSpan bytes, std::size_t at, std::size_t width = 8) {
  return little_endian(bytes.subspan(at, width));
}

[[noreturn]] void refuse(std::string_view name, std::string_view what) {
  throw ScenarioError(fmt::format("'{}': {}", name, what),
                      "expected: a token index as Megatron-LM writes it next to its .bin");
}

DType element_of(std::uint64_t code, std::string_view name) {
  for (const ElementCode& e : kElements)
    if (e.code == code) return e.type;
  refuse(name, fmt::format("elements of kind {} are not tokens", code));
}

// How many sequences, checked against the file's size before anything is made for them.
std::uint64_t sequences_in(ByteSpan bytes, std::string_view name) {
  const std::uint64_t sequences = number_at(bytes, 18), documents = number_at(bytes, 26);
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

TokenIndex parse_token_index(ByteSpan bytes, std::uint64_t bin_bytes, std::string_view name) {
  if (bytes.size() < kHeader || !as_text(bytes).starts_with(kTokenIndexMagic))
    refuse(name, "not a token index: it does not begin with MMIDIDX");
  if (const std::uint64_t version = number_at(bytes, 9); version != kVersion)
    refuse(name, fmt::format("index version {} is not supported, only {}", version, kVersion));
  TokenIndex index;
  index.dtype = element_of(number_at(bytes, 17, 1), name);
  const std::uint64_t sequences = sequences_in(bytes, name);
  const std::uint64_t element = size_of(index.dtype);
  index.lengths.reserve(sequences);
  index.offsets.reserve(sequences);
  for (std::uint64_t i = 0; i < sequences; ++i) {
    const auto length = static_cast<std::int32_t>(number_at(bytes, kHeader + 4 * i, 4));
    const auto offset =
        static_cast<std::int64_t>(number_at(bytes, kHeader + 4 * sequences + 8 * i));
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
  put_little_endian(bytes, kVersion);
  for (const ElementCode& e : kElements)
    if (e.type == index.dtype) put_little_endian(bytes, e.code, 1);
  const std::uint64_t sequences = index.lengths.size();
  put_little_endian(bytes, sequences);
  put_little_endian(bytes, sequences + 1);
  for (const std::uint32_t length : index.lengths) put_little_endian(bytes, length, 4);
  for (const std::uint64_t offset : index.offsets) put_little_endian(bytes, offset);
  for (std::uint64_t i = 0; i <= sequences; ++i) put_little_endian(bytes, i);
  return bytes;
}

}  // namespace benchbench
