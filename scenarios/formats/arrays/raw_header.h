// The header of a file of raw records. All numbers little-endian:
//
//   byte  bytes
//      0      8  "BBRAW001"
//      8      4  kind: 0 encoded images, 1 decoded images, 2 volumes
//     12      4  element: 0 uint8, 1 int32, 2 int64, 3 float16, 4 bfloat16, 5 float32, 6 int16,
//                7 uint16
//     16      4  rank: sides of a sample, 0 of encoded images
//     20      4  alignment A: each record begins at a multiple of it (4096, so that O_DIRECT reads
//                whole records)
//     24   6x8   sides
//     72      8  samples
//     80      8  bytes of a record, a multiple of A: record i begins at byte A + i * this. 0:
//                records of encoded images differ in length; each begins where the table says, and
//                is filled up to the next multiple of A
//     88      8  where the tables begin, right behind the last record
//     96      8  bytes of the tables
//    104     16  XXH128 of bytes 0..103 and of the tables, high half first; 0 where its writer had
//                none
//    120         zeros up to A
//
// The tables: where each record begins (8 bytes a sample; none where records are of one size),
// bytes of each payload (8 a sample; none where records are of one size), label of each (8), where
// the name of each ends among the names (8), the names one behind the other, UTF-8. Files of others
// may leave out names: bytes of the tables tell.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "harness/core/byte_span.h"
#include "harness/part/sample_format.h"

namespace benchbench::raw {

inline constexpr std::string_view kMagic = "BBRAW001";
inline constexpr std::uint64_t kAlignment = 4096;
inline constexpr std::size_t kHeaderBytes = 120;

struct Header {
  PayloadSpec payload;
  std::uint64_t alignment = kAlignment;
  std::uint64_t samples = 0;
  std::uint64_t record_bytes = 0;
  std::uint64_t tables_at = 0, tables_bytes = 0;
  std::uint64_t digest_high = 0, digest_low = 0;
};

// PartError, saying what is wrong, where the numbers cannot be those of a file of `file_bytes`.
Header parse(ByteSpan head, std::uint64_t file_bytes);
// kHeaderBytes long, with the digest over itself and `tables`.
std::string text_of(const Header& header, std::string_view tables);
// False where the header's digest is neither 0 nor that of `head` and `tables`.
bool digest_fits(const Header& header, ByteSpan head, std::string_view tables);

}  // namespace benchbench::raw
