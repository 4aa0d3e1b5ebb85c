#include "scenarios/formats/arrays/array_payload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/error.h"
#include "scenarios/formats/arrays/npy_header.h"

namespace benchbench {

std::uint64_t array_bytes(const PayloadSpec& payload) {
  constexpr std::uint64_t kMax = 1ull << 30;
  std::uint64_t bytes = size_of(payload.dtype);
  for (std::uint8_t i = 0; i < payload.row.rank; ++i) {
    const std::int64_t side = payload.row.extent[i];
    if (side < 1)
      throw PartError(
          fmt::format("a sample of shape {}: every side must be at least 1", words_of(payload)));
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(side), &bytes) || bytes > kMax)
      throw PartError(fmt::format("a sample of {} is too large (limit 1 GiB)", words_of(payload)));
  }
  return bytes;
}

PayloadSpec array_payload(DType dtype, std::span<const std::uint64_t> shape) {
  if (shape.empty() || shape.size() > kMaxRank)
    throw PartError(
        fmt::format("a sample with {} dimensions; 1 to {} are supported", shape.size(), kMaxRank));
  PayloadSpec payload{.data = DataKind::volume, .dtype = dtype};
  for (const std::uint64_t side : shape) {
    if (side > (1ull << 30))
      throw PartError(fmt::format("a sample with a side of {} elements (limit 1 GiB)", side));
    payload.row.extent[payload.row.rank++] = static_cast<std::int64_t>(side);
  }
  if (dtype == DType::uint8 && shape.size() == 3 && shape[2] == 3) payload.data = DataKind::image;
  array_bytes(payload);
  return payload;
}

PayloadSpec payload_of_npy(ByteSpan npy) {
  const npy::Header header = npy::parse(npy);
  return array_payload(header.dtype, header.shape);
}

ByteSpan elements_of_npy(ByteSpan npy, const PayloadSpec& payload) {
  const npy::Header header = npy::parse(npy);
  const PayloadSpec found = array_payload(header.dtype, header.shape);
  if (found.dtype != payload.dtype || found.row != payload.row)
    throw PartError(
        fmt::format("{} although the first sample is {}", words_of(found), words_of(payload)));
  const auto elements = npy.subspan(header.size);
  if (elements.size() != array_bytes(payload))
    throw PartError(
        fmt::format("{} bytes of elements instead of {}", elements.size(), array_bytes(payload)));
  return elements;
}

std::vector<std::uint64_t> shape_of(const PayloadSpec& payload) {
  return {payload.row.extent.begin(), payload.row.extent.begin() + payload.row.rank};
}

std::string words_of(const PayloadSpec& payload) {
  return fmt::format("{} [{}]", name_of(payload.dtype), fmt::join(shape_of(payload), ", "));
}

std::string_view kind_word(const PayloadSpec& payload) noexcept {
  return payload.data == DataKind::image ? "image" : "volume";
}

DataKind kind_from(std::string_view word) noexcept {
  return word == "image" ? DataKind::image : DataKind::volume;
}

void require_array(ByteSpan sample, const PayloadSpec& payload, std::string_view name) {
  if (const std::uint64_t bytes = array_bytes(payload); sample.size() != bytes)
    throw ScenarioError(fmt::format("'{}' has {} bytes; samples of {} have {}", name, sample.size(),
                                    words_of(payload), bytes));
}

}  // namespace benchbench
