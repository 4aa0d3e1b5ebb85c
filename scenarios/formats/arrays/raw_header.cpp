#include "scenarios/formats/arrays/raw_header.h"

#include <fmt/format.h>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"
#include "scenarios/formats/arrays/array_payload.h"

namespace benchbench::raw {
namespace {

constexpr std::size_t kDigestAt = 104;

[[noreturn]] void refuse(std::string_view what) {
  throw PartError(fmt::format("not a file of raw records: {}", what));
}

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width = 8) {
  return little_endian(bytes.substr(at, width));
}

PayloadSpec payload_in(std::string_view head) {
  const std::uint64_t kind = number(head, 8, 4), element = number(head, 12, 4),
                      rank = number(head, 16, 4);
  if (kind > 2 || element > 7 || rank > kMaxRank || (kind == 0) != (rank == 0))
    refuse(fmt::format("kind {}, element {}, rank {}", kind, element, rank));
  PayloadSpec payload{.data = kind == 2 ? DataKind::volume : DataKind::image,
                      .dtype = static_cast<DType>(element)};
  payload.row.rank = static_cast<std::uint8_t>(rank);
  for (std::uint64_t i = 0; i < rank; ++i) {
    const std::uint64_t side = number(head, 24 + 8 * i);
    if (side > (1ull << 30)) refuse(fmt::format("a side of {}", side));
    payload.row.extent[i] = static_cast<std::int64_t>(side);
  }
  if (rank > 0) array_bytes(payload);
  return payload;
}

// Every product and sum is checked: a file that lies must not lead outside of itself.
void require_fit(const Header& h, std::uint64_t file_bytes) {
  const std::uint64_t a = h.alignment;
  if (a < 512 || a > (1 << 20) || (a & (a - 1)) != 0) refuse(fmt::format("an alignment of {}", a));
  if (h.samples == 0) refuse("no samples in it");
  std::uint64_t tables_end = 0, records_end = a, table_bytes = 0;
  if (__builtin_add_overflow(h.tables_at, h.tables_bytes, &tables_end) || tables_end > file_bytes ||
      h.tables_at < a)
    refuse(fmt::format(
        "its tables are at {} + {} of {} bytes: the file is truncated or its header is wrong",
        h.tables_at, h.tables_bytes, file_bytes));
  if (h.payload.encoded_image() != (h.record_bytes == 0))
    refuse("its records' size does not match their kind");
  if (h.record_bytes > 0) {
    if (h.record_bytes % a != 0 || h.record_bytes < array_bytes(h.payload))
      refuse(fmt::format("records of {} bytes for samples of {}", h.record_bytes,
                         words_of(h.payload)));
    if (__builtin_mul_overflow(h.samples, h.record_bytes, &records_end) ||
        __builtin_add_overflow(records_end, a, &records_end) || records_end > h.tables_at)
      refuse(fmt::format("{} records of {} bytes do not fit", h.samples, h.record_bytes));
  }
  const std::uint64_t columns = h.record_bytes > 0 ? 1 : 3;  // without names
  if (__builtin_mul_overflow(h.samples, columns * 8, &table_bytes) || table_bytes > h.tables_bytes)
    refuse(fmt::format("{} bytes of tables for {} samples", h.tables_bytes, h.samples));
}

Digest digest(std::string_view head, std::string_view tables) {
  Digester digester;
  digester.add(head.substr(0, kDigestAt));
  digester.add(tables);
  return digester.finish();
}

}  // namespace

Header parse(ByteSpan bytes, std::uint64_t file_bytes) {
  const std::string_view head = as_text(bytes);
  if (!head.starts_with(kMagic)) refuse("it has no header of such a file");
  if (head.size() < kHeaderBytes) refuse("its header is truncated");
  Header header{.payload = payload_in(head),
                .alignment = number(head, 20, 4),
                .samples = number(head, 72),
                .record_bytes = number(head, 80),
                .tables_at = number(head, 88),
                .tables_bytes = number(head, 96),
                .digest_high = number(head, kDigestAt),
                .digest_low = number(head, kDigestAt + 8)};
  require_fit(header, file_bytes);
  return header;
}

std::string text_of(const Header& h, std::string_view tables) {
  std::string head(kMagic);
  put_little_endian(head,
                    h.payload.encoded_image()           ? 0
                    : h.payload.data == DataKind::image ? 1
                                                        : 2,
                    4);
  put_little_endian(head, static_cast<std::uint64_t>(h.payload.dtype), 4);
  put_little_endian(head, h.payload.row.rank, 4);
  put_little_endian(head, h.alignment, 4);
  for (const std::int64_t side : h.payload.row.extent)
    put_little_endian(head, static_cast<std::uint64_t>(side));
  for (const std::uint64_t value : {h.samples, h.record_bytes, h.tables_at, h.tables_bytes})
    put_little_endian(head, value);
  const Digest sum = digest(head, tables);
  put_little_endian(head, sum.high);
  put_little_endian(head, sum.low);
  return head;
}

bool digest_fits(const Header& header, ByteSpan head, std::string_view tables) {
  if (header.digest_high == 0 && header.digest_low == 0) return true;
  return digest(as_text(head), tables) == Digest{header.digest_high, header.digest_low};
}

}  // namespace benchbench::raw
