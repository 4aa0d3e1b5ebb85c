// PNG through our wrapper, any bytes: a region, and rows by RowMaker. The first 8 bytes choose
// region and seed, the rest is the file.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "harness/part/null_meter.h"
#include "scenarios/decode/png_decoder.h"
#include "scenarios/decode/row_maker.h"

namespace {

using namespace benchbench;

// Larger images are the library's memory and time, and find nothing that smaller ones do not.
constexpr std::int64_t kMaxPixels = 1 << 18;

Region region_of(const std::uint8_t* choice, int width, int height) {
  const int x = static_cast<int>(std::int64_t{choice[0]} * width / 256);
  const int y = static_cast<int>(std::int64_t{choice[1]} * height / 256);
  return {x, y, 1 + choice[2] * (width - x - 1) / 255, 1 + choice[3] * (height - y - 1) / 255};
}

// False where the image is too large to go on with.
bool decode(PngDecoder& decoder, std::span<const std::byte> file, const std::uint8_t* choice) {
  bool small = true;
  if (decoder.open(file)) {
    small = std::int64_t{decoder.width()} * decoder.height() <= kMaxPixels;
    const Region region = small ? region_of(choice, decoder.width(), decoder.height()) : Region{};
    std::uint64_t sum = 0;
    if (small && decoder.start(region))
      for (int y = 0; y < region.height;) {
        const auto rows = decoder.next_rows();
        if (rows.empty()) break;
        for (const std::uint8_t* row : rows)
          for (int i = 0; i < 4 * region.width; ++i) sum += row[i];
        y += static_cast<int>(rows.size());
      }
    if (sum == ~std::uint64_t{0}) std::abort();  // the pixels are read
  }
  decoder.close();
  if (decoder.problem().failed && decoder.problem().words.empty()) std::abort();
  return small;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static PngDecoder decoder;
  static const auto runtime = make_real_runtime();
  static RowMaker maker(ImageRecipe{.size = 32, .range = {}}, *runtime);
  static NullMeter meter;
  if (size <= 8) return 0;
  // A copy of its own length: reading behind the file is found.
  std::vector<std::byte> file(size - 8);
  std::memcpy(file.data(), data + 8, file.size());
  if (!PngDecoder::begins(file) || !decode(decoder, file, data)) return 0;
  std::uint64_t seed;
  std::memcpy(&seed, data, sizeof seed);
  std::vector<std::byte> row(32 * 32 * 3);
  maker.make({.payload = file, .label = 0, .name = "fuzz"}, {.id = 0, .seed = seed}, 0, meter,
             row.data());
  return 0;
}
