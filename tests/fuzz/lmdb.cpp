// The pages of an LMDB file and the Datum records in it.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "scenarios/formats/tables/lmdb_datum.h"
#include "scenarios/formats/tables/lmdb_pages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  benchbench::MemoryBytes pages(std::as_bytes(std::span(data, size))),
      values(std::as_bytes(std::span(data, size)));
  try {
    benchbench::lmdb::walk_pages(pages,
                                 [&](std::string_view, std::uint64_t offset, std::uint64_t length) {
                                   benchbench::lmdb::parse_datum(values, offset, offset + length);
                                 });
  } catch (const benchbench::Malformed&) {
  }
  return 0;
}
