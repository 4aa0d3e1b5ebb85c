#include "harness/report/html/packed_json.h"

#include <libdeflate.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

#include "harness/report/html/html_text.h"

namespace benchbench {
namespace {

constexpr int kLevel = 6;

std::string gzipped(const std::string& text) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  out.resize(
      libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), out.data(), out.size()));
  return out;
}

}  // namespace

std::string packed_json(const std::string& document) {
  if (document.size() <= kPlainJson) return json_in_html(document);
  return "{\"gzip_base64\":\"" + base64(gzipped(document)) + "\"}";
}

}  // namespace benchbench
