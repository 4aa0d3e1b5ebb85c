// What each way from a stored JPEG to a row of a batch costs: the same files, in turns, CPU time of
// one thread.
//   bench_decode FOLDER [ROUNDS [SCALE_MIN]]
// SCALE_MIN: the smallest random crop as a share of the picture's area, as
// loader.transform.scale_min. Prints images per CPU second and, beside the first line, the ratio of
// each round's pair: median [quartiles]; scaled decode also against the same without scaling.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "harness/part/null_meter.h"
#include "scenarios/decode/row_maker.h"

namespace {

using namespace benchbench;
using Huffman = JpegDecoder::Huffman;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kMaxFiles = 256;
constexpr int kImages = 128;  // a turn

class FaultCount final : public NullMeter {
 public:
  void fault(SampleId, SampleFault, std::string_view, std::string_view) override { ++faults; }
  bool stages_wanted() const noexcept override { return true; }
  int faults = 0;
};

bool is_jpeg(const std::filesystem::path& path) {
  const auto extension = path.extension();
  return extension == ".jpg" || extension == ".jpeg" || extension == ".JPEG";
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

std::vector<Bytes> read_folder(const char* folder) {
  std::vector<Bytes> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || !is_jpeg(entry.path())) continue;
    files.push_back(read_file(entry.path()));
    if (files.size() == kMaxFiles) break;
  }
  return files;
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

struct Maker {
  Maker(const ImageRecipe& recipe, const Runtime& runtime, Huffman huffman)
      : maker(recipe, runtime, huffman), whole(huffman), row(recipe.tensor().bytes_per_row()) {}
  void crop(const Bytes& file, std::uint64_t seed) {
    maker.make(sample_of(file), {.id = 0, .seed = seed}, 0, meter, row.data());
  }
  void from_whole(const Bytes& file, std::uint64_t seed) {
    const auto image = DecodedImage::of(file, whole);
    if (image) maker.make_from(*image, {.id = 0, .seed = seed}, 0, meter, row.data());
  }
  void decode(const Bytes& file, std::uint64_t seed) {
    maker.decode_only(sample_of(file), {.id = 0, .seed = seed}, 0, meter);
  }
  static StoredSample sample_of(const Bytes& file) {
    return {.payload = file, .label = 0, .name = "file"};
  }
  RowMaker maker;
  ImageDecoder whole;
  FaultCount meter;
  std::vector<std::byte> row;
};

// One way to make a row.
struct Way {
  const char* name;
  Maker& maker;
  void (Maker::*make)(const Bytes&, std::uint64_t seed);
  std::vector<double> rates = {};
};

void turn(Way& way, const std::vector<Bytes>& files, int round) {
  const double begin = cpu_seconds();
  for (int i = 0; i < kImages; ++i) {
    const auto at = static_cast<std::size_t>(round * kImages + i);
    (way.maker.*way.make)(files[at % files.size()], at);
  }
  way.rates.push_back(kImages / (cpu_seconds() - begin));
}

void print(const Way& way, const Way& first) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < way.rates.size(); ++i)
    ratios.push_back(way.rates[i] / first.rates[i]);
  fmt::print("{:<44}{:>8.0f} /s   {:.3f} [{:.3f}, {:.3f}]\n", way.name, quantile(way.rates, 0.5),
             quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_decode FOLDER [ROUNDS [SCALE_MIN]]\n");
    return 2;
  }
  const auto files = read_folder(argv[1]);
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 20;
  if (files.empty()) {
    fmt::print(stderr, "no .jpg files below {}\n", argv[1]);
    return 1;
  }
  const auto runtime = make_real_runtime();
  ImageRecipe bytes;
  if (argc > 3) bytes.range.scale_min = std::clamp(std::atof(argv[3]), 0.0001, 1.0);
  ImageRecipe floats = bytes, smaller = bytes;
  smaller.scaled_decode = true;
  floats.normalize = true;
  Maker library(bytes, *runtime, Huffman::library), ours(bytes, *runtime, Huffman::ours),
      scaled(smaller, *runtime, Huffman::ours), normalised(floats, *runtime, Huffman::ours);
  Way ways[] = {
      {"whole decode, crop, resize; library's Huffman", library, &Maker::from_whole},
      {"whole decode, crop, resize; ours", ours, &Maker::from_whole},
      {"crop decode, resize; library's Huffman", library, &Maker::crop},
      {"crop decode, resize; ours", ours, &Maker::crop},
      {"crop decode alone; ours", ours, &Maker::decode},
      {"crop decode, resize, normalise; ours", normalised, &Maker::crop},
      {"scaled crop decode, resize; ours", scaled, &Maker::crop},
  };
  constexpr int kWays = static_cast<int>(std::size(ways));
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < kWays; ++i) turn(ways[round % 2 ? kWays - 1 - i : i], files, round);
  fmt::print("{} files, {} rounds of {} images; ratios to the first line\n", files.size(), rounds,
             kImages);
  for (const Way& way : ways) print(way, ways[0]);
  fmt::print("scaled against the same without scaling:\n");
  print(ways[kWays - 1], ways[3]);
  return 0;
}
