#include "tests/unit/decode/png_making.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "harness/core/random.h"
#include "scenarios/formats/deflate.h"

namespace benchbench::test {
namespace {

struct Pass {
  int x, y, across, down;
};
constexpr Pass kWhole[] = {{0, 0, 1, 1}};
constexpr Pass kAdam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                           {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::span<const std::byte> as_bytes(const std::string& bytes) {
  return std::as_bytes(std::span(bytes));
}

int channels_of(PngOrder::Colour colour) {
  switch (colour) {
    case PngOrder::rgb:
      return 3;
    case PngOrder::grey_alpha:
      return 2;
    case PngOrder::rgb_alpha:
      return 4;
    default:
      return 1;
  }
}

int paeth(int left, int up, int corner) {
  const int guess = left + up - corner;
  const int a = std::abs(guess - left), b = std::abs(guess - up), c = std::abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

// One row as it is stored: how it is filtered, then its bytes.
std::string filtered(const std::string& row, const std::string& above, int filter,
                     std::size_t pixel) {
  std::string bytes(1, static_cast<char>(filter));
  const auto at = [](const std::string& from, std::size_t i) {
    return static_cast<int>(static_cast<unsigned char>(from[i]));
  };
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int left = i < pixel ? 0 : at(row, i - pixel), up = above.empty() ? 0 : at(above, i);
    const int corner = i < pixel || above.empty() ? 0 : at(above, i - pixel);
    const std::array<int, 5> guess{0, left, up, (left + up) / 2, paeth(left, up, corner)};
    bytes += static_cast<char>(at(row, i) - guess[static_cast<std::size_t>(filter)]);
  }
  return bytes;
}

class Picture {
 public:
  explicit Picture(const PngOrder& order) : order_(order), channels_(channels_of(order.colour)) {
    Random random(order.seed);
    const auto count = static_cast<std::size_t>(order.width * order.height * channels_);
    for (std::size_t i = 0; i < count; ++i)
      values_.push_back(static_cast<int>(random.below(std::uint64_t{1} << order.bits)));
    for (int i = 0; i < 3 << std::min(order.bits, 8); ++i)
      palette_ += static_cast<char>(random.below(256));
  }

  // The rows of one pass, filtered.
  std::string rows_of(const Pass& pass) const {
    std::string bytes, above;
    int filter = 0;
    for (int y = pass.y; y < order_.height; y += pass.down) {
      const std::string row = row_of(pass, y);
      if (row.empty()) return {};
      bytes += filtered(row, above, filter++ % 5,
                        static_cast<std::size_t>(std::max(1, order_.bits * channels_ / 8)));
      above = row;
    }
    return bytes;
  }
  std::vector<std::uint8_t> pixels() const {
    std::vector<std::uint8_t> pixels;
    for (int y = 0; y < order_.height; ++y)
      for (int x = 0; x < order_.width; ++x)
        for (int c = 0; c < 3; ++c) pixels.push_back(colour_at(x, y, c));
    return pixels;
  }
  const std::string& palette() const { return palette_; }

 private:
  int value(int x, int y, int channel) const {
    return values_[static_cast<std::size_t>((y * order_.width + x) * channels_ + channel)];
  }
  std::string row_of(const Pass& pass, int y) const {
    std::string row;
    int held = 0, bits = 0;
    for (int x = pass.x; x < order_.width; x += pass.across)
      for (int c = 0; c < channels_; ++c) {
        const int v = value(x, y, c);
        if (order_.bits == 16) row += static_cast<char>(v >> 8);
        held = held << std::min(order_.bits, 8) | (v & 255);
        bits += std::min(order_.bits, 8);
        if (bits == 8) row += static_cast<char>(held), held = bits = 0;
      }
    if (bits > 0) row += static_cast<char>(held << (8 - bits));
    return row;
  }
  std::uint8_t colour_at(int x, int y, int channel) const {
    if (order_.colour == PngOrder::palette)
      return static_cast<std::uint8_t>(
          palette_[static_cast<std::size_t>(3 * value(x, y, 0) + channel)]);
    const int v = value(x, y, channels_ < 3 ? 0 : channel);
    return static_cast<std::uint8_t>(order_.bits == 16 ? v >> 8
                                                       : v * 255 / ((1 << order_.bits) - 1));
  }

  const PngOrder& order_;
  int channels_;
  std::vector<int> values_;
  std::string palette_;
};

}  // namespace

std::string png_chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(crc32(as_bytes(body)));
}

MadePng make_png(const PngOrder& order) {
  const Picture picture(order);
  std::string rows;
  if (order.interlaced)
    for (const Pass& pass : kAdam7) rows += picture.rows_of(pass);
  else
    rows = picture.rows_of(kWhole[0]);
  const std::string head = big_endian(static_cast<std::uint32_t>(order.width)) +
                           big_endian(static_cast<std::uint32_t>(order.height)) +
                           static_cast<char>(order.bits) + static_cast<char>(order.colour) +
                           std::string(2, '\0') + static_cast<char>(order.interlaced);
  const auto deflated = deflate(Deflated::zlib, 6, as_bytes(rows));
  const std::string packed(reinterpret_cast<const char*>(deflated.data()), deflated.size());
  std::string file = "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", head);
  if (order.colour == PngOrder::palette) file += png_chunk("PLTE", picture.palette());
  file += order.chunks + png_chunk("IDAT", packed) + png_chunk("IEND", "");
  MadePng made{{}, picture.pixels()};
  for (const char c : file) made.file.push_back(static_cast<std::byte>(c));
  return made;
}

}  // namespace benchbench::test
