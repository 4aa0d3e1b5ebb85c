// JPEG and PNG through our wrapper, any bytes: a region by both Huffman decoders, which must agree,
// and rows by RowMaker. The first 8 bytes choose region and seed, the rest is the file.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "harness/part/null_meter.h"
#include "scenarios/decode/image_decoder.h"
#include "scenarios/decode/row_maker.h"

namespace {

using namespace benchbench;

// Larger images are the library's memory and time, and find nothing that smaller ones do not.
constexpr int kMaxPixels = 1 << 18;

class WantingMeter final : public NullMeter {
 public:
  bool stages_wanted() const noexcept override { return true; }
};

Region region_of(const std::uint8_t* choice, int width, int height) {
  const int x = choice[0] * width / 256;
  const int y = choice[1] * height / 256;
  return {x, y, 1 + choice[2] * (width - x - 1) / 255, 1 + choice[3] * (height - y - 1) / 255};
}

struct Decoded {
  bool opened = false, failed = false;
  int pixels = 0;
  std::vector<std::uint8_t> values;
};

Decoded decode(ImageDecoder& decoder, std::span<const std::byte> file, const std::uint8_t* choice) {
  Decoded got;
  got.opened = decoder.open(file);
  if (got.opened) {
    const std::int64_t pixels = std::int64_t{decoder.width()} * decoder.height();
    got.pixels = static_cast<int>(std::min<std::int64_t>(pixels, kMaxPixels + 1));
    const bool small = got.pixels <= kMaxPixels;
    const Region region = small ? region_of(choice, decoder.width(), decoder.height()) : Region{};
    if (small && decoder.start(region)) {
      for (int y = 0; y < region.height;) {
        const auto rows = decoder.next_rows();
        if (rows.empty()) break;
        for (const std::uint8_t* row : rows) {
          for (int i = 0; i < region.width; ++i)
            got.values.insert(got.values.end(), row + 4 * i, row + 4 * i + 3);
        }
        y += static_cast<int>(rows.size());
      }
    }
  }
  decoder.close();
  got.failed = decoder.problem().failed;
  if (got.failed && decoder.problem().words.empty()) std::abort();
  return got;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ImageDecoder ours, library(JpegDecoder::Huffman::library);
  static const auto runtime = make_real_runtime();
  static RowMaker maker(ImageRecipe{.size = 32, .range = {}}, *runtime);
  static RowMaker evaluation(ImageRecipe{.crop = ImageRecipe::Crop::centre,
                                         .size = 32,
                                         .resize = 40,
                                         .range = {},
                                         .normalize = true},
                             *runtime);
  static WantingMeter meter;
  if (size <= 8) return 0;
  // A copy of its own length: reading behind the file is found.
  std::vector<std::byte> file(size - 8);
  std::memcpy(file.data(), data + 8, file.size());
  const Decoded mine = decode(ours, file, data);
  if (mine.pixels > kMaxPixels) return 0;
  const Decoded theirs = decode(library, file, data);
  if (mine.failed != theirs.failed || mine.values != theirs.values) std::abort();
  std::uint64_t seed;
  std::memcpy(&seed, data, sizeof seed);
  std::vector<std::byte> row(32 * 32 * 3 * sizeof(float));
  const StoredSample sample{.payload = file, .label = 0, .name = "fuzz"};
  maker.make(sample, {.id = 0, .seed = seed}, 0, meter, row.data());
  evaluation.make(sample, {.id = 0, .seed = seed}, 0, meter, row.data());
  return 0;
}
