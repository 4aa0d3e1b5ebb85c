#include "scenarios/decode/png_decoder.h"

#include <spng.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace benchbench {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
// Memory that is kept from one interlaced image to the next.
constexpr std::size_t kMostKept = 16u << 20;

}  // namespace

struct PngDecoder::State {
  struct FreeContext {
    void operator()(spng_ctx* context) const noexcept { spng_ctx_free(context); }
  };
  std::unique_ptr<spng_ctx, FreeContext> context;
  spng_ihdr header{};
  Region region;
  int next = 0;                      // row of the image that comes next
  std::vector<std::uint8_t> pixels;  // a band of rows; of an interlaced image all of it
  std::array<const std::uint8_t*, JpegDecoder::kBandRows> rows{};
  DecodeProblem problem;

  bool interlaced() const noexcept { return header.interlace_method != SPNG_INTERLACE_NONE; }
  std::size_t row_bytes() const noexcept {
    return std::size_t{header.width} * JpegDecoder::kPixelBytes;
  }
  // From one row of the band to the next.
  std::size_t stride() const noexcept {
    return interlaced() ? row_bytes() : (row_bytes() + JpegDecoder::kRowSlack + 63) / 64 * 64;
  }
  bool refuse(std::string_view words) {
    problem.failed = true;
    problem.words = words;
    return false;
  }
  bool worked(int code) {
    if (code == SPNG_OK) return true;
    return refuse(code == SPNG_IO_EOF ? "the PNG file ends before its image does"
                                      : spng_strerror(code));
  }
  void require_room(std::size_t bytes) {
    if (pixels.size() < bytes) pixels.resize(bytes);
  }
  // The last row of an image comes with SPNG_EOI.
  bool read_row(std::uint8_t* to) {
    const int code = spng_decode_row(context.get(), to, row_bytes());
    return worked(code == SPNG_EOI ? SPNG_OK : code);
  }
  bool read_whole() {
    const std::size_t bytes = row_bytes() * header.height;
    require_room(bytes + JpegDecoder::kRowSlack);
    next = region.y;
    return worked(spng_decode_image(context.get(), pixels.data(), bytes, SPNG_FMT_RGBA8, 0));
  }
  bool begin_rows() {
    require_room(stride() * JpegDecoder::kBandRows);
    if (!worked(
            spng_decode_image(context.get(), nullptr, 0, SPNG_FMT_RGBA8, SPNG_DECODE_PROGRESSIVE)))
      return false;
    for (next = 0; next < region.y; ++next)
      if (!read_row(pixels.data())) return false;
    return true;
  }
};

bool PngDecoder::begins(ByteSpan image) noexcept {
  return std::string_view(reinterpret_cast<const char*>(image.data()), image.size())
      .starts_with(kSignature);
}

PngDecoder::PngDecoder() : state_(std::make_unique<State>()) {}
PngDecoder::~PngDecoder() = default;

// A context decodes one image, and cannot be used again.
bool PngDecoder::open(ByteSpan png) {
  State& s = *state_;
  s.problem = {};
  s.header = {};
  s.context.reset(spng_ctx_new(0));
  if (!s.context) return s.refuse("out of memory");
  spng_set_crc_action(s.context.get(), SPNG_CRC_ERROR, SPNG_CRC_DISCARD);
  spng_set_chunk_limits(s.context.get(), kMaxChunk, kMaxChunk);
  if (!s.worked(spng_set_png_buffer(s.context.get(), png.data(), png.size())) ||
      !s.worked(spng_get_ihdr(s.context.get(), &s.header)))
    return false;
  if (std::uint64_t{s.header.width} * s.header.height * 3 > JpegDecoder::kMaxValues)
    return s.refuse("image too large: over 300 million channel values");
  return true;
}

int PngDecoder::width() const noexcept { return static_cast<int>(state_->header.width); }
int PngDecoder::height() const noexcept { return static_cast<int>(state_->header.height); }

bool PngDecoder::start(Region region) {
  state_->region = region;
  return state_->interlaced() ? state_->read_whole() : state_->begin_rows();
}

RowPointers PngDecoder::next_rows() {
  State& s = *state_;
  const int count = std::min(JpegDecoder::kBandRows, s.region.y + s.region.height - s.next);
  for (int i = 0; i < count; ++i, ++s.next) {
    const int at = s.interlaced() ? s.next : i;
    std::uint8_t* const row = s.pixels.data() + static_cast<std::size_t>(at) * s.stride();
    if (!s.interlaced() && !s.read_row(row)) return {};
    s.rows[static_cast<std::size_t>(i)] =
        row + std::ptrdiff_t{s.region.x} * JpegDecoder::kPixelBytes;
  }
  return {s.rows.data(), static_cast<std::size_t>(std::max(count, 0))};
}

void PngDecoder::close() {
  state_->context.reset();
  if (state_->pixels.size() > kMostKept) std::vector<std::uint8_t>().swap(state_->pixels);
}

const DecodeProblem& PngDecoder::problem() const noexcept { return state_->problem; }

}  // namespace benchbench
