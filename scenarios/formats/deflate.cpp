#include "scenarios/formats/deflate.h"

#include <libdeflate.h>

#include <memory>
#include <new>

namespace benchbench {
namespace {

struct Free {
  void operator()(libdeflate_decompressor* d) const noexcept { libdeflate_free_decompressor(d); }
  void operator()(libdeflate_compressor* c) const noexcept { libdeflate_free_compressor(c); }
};

}  // namespace

bool inflate(Deflated how, ByteSpan from, std::span<std::byte> to) {
  thread_local const std::unique_ptr<libdeflate_decompressor, Free> engine(
      libdeflate_alloc_decompressor());
  if (!engine) throw std::bad_alloc();
  const auto call =
      how == Deflated::zlib ? libdeflate_zlib_decompress : libdeflate_deflate_decompress;
  return call(engine.get(), from.data(), from.size(), to.data(), to.size(), nullptr) ==
         LIBDEFLATE_SUCCESS;
}

std::vector<std::byte> deflate(Deflated how, int level, ByteSpan from) {
  const std::unique_ptr<libdeflate_compressor, Free> engine(libdeflate_alloc_compressor(level));
  if (!engine) throw std::bad_alloc();
  const bool zlib = how == Deflated::zlib;
  const auto bound = zlib ? libdeflate_zlib_compress_bound : libdeflate_deflate_compress_bound;
  const auto call = zlib ? libdeflate_zlib_compress : libdeflate_deflate_compress;
  std::vector<std::byte> to(bound(engine.get(), from.size()));
  to.resize(call(engine.get(), from.data(), from.size(), to.data(), to.size()));
  return to;
}

std::uint32_t crc32(ByteSpan bytes) noexcept {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace benchbench
