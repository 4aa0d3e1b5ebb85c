// Compares our pictures with photographs: bits per pixel and decode time per pixel, photographs as
// they are and re-encoded as ImageNet has them (about 500 × 375, 4:2:0, quality 90).
// scripts/calibrate_synthesis fetches photographs.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <jpeglib.h>

#include "harness/core/byte_span.h"
#include "harness/core/random.h"
#include "scenarios/synthesis/jpeg_writer.h"
#include "scenarios/synthesis/picture.h"

namespace {

using benchbench::ByteSpan;
using benchbench::synthesis::Picture;
using Bytes = std::vector<unsigned char>;

struct Frame {
  int width = 0;
  int height = 0;
  Bytes rgb;
};

// A JPEG of which the header is read.
struct Opened {
  explicit Opened(const Bytes& jpeg) {
    info.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, jpeg.data(), jpeg.size());
    jpeg_read_header(&info, TRUE);
  }
  ~Opened() { jpeg_destroy_decompress(&info); }
  Opened(const Opened&) = delete;
  jpeg_error_mgr errors;
  jpeg_decompress_struct info;
};

void decode(const Bytes& jpeg, Frame& out, bool scaled_down = false) {
  Opened opened(jpeg);
  jpeg_decompress_struct& info = opened.info;
  info.out_color_space = JCS_RGB;
  if (scaled_down) {
    while (info.scale_denom < 8 && info.image_width / (2 * info.scale_denom) >= 1000)
      info.scale_denom *= 2;
  }
  jpeg_start_decompress(&info);
  out.width = static_cast<int>(info.output_width);
  out.height = static_cast<int>(info.output_height);
  out.rgb.resize(static_cast<std::size_t>(out.width) * out.height * 3);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = out.rgb.data() + static_cast<std::size_t>(info.output_scanline) * out.width * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
}

// Area average to width × height, the frame's middle.
Frame shrink(const Frame& in, int width, int height) {
  const double scale =
      std::min(static_cast<double>(in.width) / width, static_cast<double>(in.height) / height);
  const double left = (in.width - scale * width) / 2;
  const double top = (in.height - scale * height) / 2;
  Frame out{width, height, Bytes(static_cast<std::size_t>(width) * height * 3)};
  for (int y = 0; y < height; ++y) {
    const int y0 = static_cast<int>(top + y * scale);
    const int y1 = std::max(y0 + 1, static_cast<int>(top + (y + 1) * scale));
    for (int x = 0; x < width; ++x) {
      const int x0 = static_cast<int>(left + x * scale);
      const int x1 = std::max(x0 + 1, static_cast<int>(left + (x + 1) * scale));
      for (int c = 0; c < 3; ++c) {
        unsigned sum = 0;
        for (int j = y0; j < y1; ++j) {
          for (int i = x0; i < x1; ++i)
            sum += in.rgb[(static_cast<std::size_t>(j) * in.width + i) * 3 + c];
        }
        const auto count = static_cast<unsigned>((y1 - y0) * (x1 - x0));
        out.rgb[(static_cast<std::size_t>(y) * width + x) * 3 + c] =
            static_cast<unsigned char>((sum + count / 2) / count);
      }
    }
  }
  return out;
}

void put(ByteSpan bytes, Bytes& to) {
  const auto* first = reinterpret_cast<const unsigned char*>(bytes.data());
  to.assign(first, first + bytes.size());
}

Bytes encode(const Frame& frame, int quality) {
  Bytes out;
  benchbench::synthesis::write_jpeg(
      benchbench::synthesis::RgbPicture{frame.width, frame.height, frame.rgb}, quality,
      [&](ByteSpan bytes) { put(bytes, out); });
  return out;
}

struct Set {
  std::string name;
  std::vector<Bytes> files;
  std::vector<double> rounds = {};  // ns per pixel
  double pixels = 0;
  double bits = 0;
  double min_bits = 1e9;
  double max_bits = 0;
};

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void weigh(Set& set) {
  Frame frame;
  for (const Bytes& file : set.files) {
    decode(file, frame);
    const double pixels = static_cast<double>(frame.width) * frame.height;
    const double bits = 8.0 * static_cast<double>(file.size());
    set.pixels += pixels;
    set.bits += bits;
    set.min_bits = std::min(set.min_bits, bits / pixels);
    set.max_bits = std::max(set.max_bits, bits / pixels);
  }
}

// The photographs at the two neighbouring qualities between which they have `bits` bits per pixel:
// what a decoder's time depends on first.
void add_around(std::vector<Set>& sets, const std::vector<Frame>& frames, double bits) {
  Set below;
  for (int quality = 90; quality <= 100; ++quality) {
    Set set{fmt::format("photographs, 500 x 375, quality {}", quality), {}};
    for (const Frame& frame : frames) set.files.push_back(encode(frame, quality));
    weigh(set);
    if (set.bits / set.pixels >= bits && !below.files.empty()) {
      sets.push_back(std::move(below));
      sets.push_back(std::move(set));
      return;
    }
    below = std::move(set);
  }
}

// Baseline with colour at half size both ways, as ours: others decode at other speeds.
bool comparable(const Bytes& jpeg) {
  const Opened opened(jpeg);
  const jpeg_decompress_struct& info = opened.info;
  return !info.progressive_mode && info.num_components == 3 &&
         info.comp_info[0].h_samp_factor == 2 && info.comp_info[0].v_samp_factor == 2;
}

// Sets take turns, so that a machine that changes its speed changes it for all.
void time_sets(std::vector<Set>& sets, int rounds) {
  Frame frame;
  for (int round = 0; round < rounds; ++round) {
    for (Set& set : sets) {
      const double start = cpu_seconds();
      for (const Bytes& file : set.files) decode(file, frame);
      set.rounds.push_back((cpu_seconds() - start) * 1e9 / set.pixels);
    }
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Set ours(int count, int quality) {
  Set set{fmt::format("synthesised, quality {}", quality), {}};
  Picture picture;
  for (int i = 0; i < count; ++i) {
    benchbench::synthesis::paint(benchbench::mix_seed(7, i), 500, 375, picture);
    benchbench::synthesis::write_jpeg(
        picture, quality, [&](ByteSpan bytes) { put(bytes, set.files.emplace_back()); });
  }
  return set;
}

Bytes read_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

// Time of photographs with our bits per pixel, on the straight line between the two sets around it.
void print_comparison(const Set& below, const Set& above, const Set& ours) {
  const double low = below.bits / below.pixels;
  const double high = above.bits / above.pixels;
  const double share = (ours.bits / ours.pixels - low) / (high - low);
  const double photographs =
      median(below.rounds) + share * (median(above.rounds) - median(below.rounds));
  fmt::print(
      "photographs with our bits per pixel: {:.2f} ns/pixel; synthesised: {:.2f} ns/pixel, {:.3f} "
      "of that\n",
      photographs, median(ours.rounds), median(ours.rounds) / photographs);
}

void print_per_quality() {
  fmt::print("\nbits per pixel of 64 synthesised pictures by quality:");
  for (const int quality : {1, 25, 50, 75, 90, 95, 100}) {
    Set set = ours(64, quality);
    weigh(set);
    fmt::print("  {}: {:.2f}", quality, set.bits / set.pixels);
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--write") == 0) {  // a few to look at
    const Set set = ours(8, 90);
    for (std::size_t i = 0; i < set.files.size(); ++i) {
      std::ofstream out(fmt::format("{}/{}.jpg", argv[2], i), std::ios::binary);
      out.write(reinterpret_cast<const char*>(set.files[i].data()),
                static_cast<std::streamsize>(set.files[i].size()));
    }
    return 0;
  }
  std::vector<Set> sets(2);
  sets[0].name = "photographs as they are, those in 4:2:0";
  sets[1].name = "photographs, 500 x 375, quality 90";
  std::vector<Frame> frames;
  Frame frame;
  for (int i = 1; i < argc; ++i) {
    const Bytes file = read_file(argv[i]);
    if (comparable(file)) sets[0].files.push_back(file);
    decode(file, frame, true);
    frames.push_back(shrink(frame, 500, 375));
    sets[1].files.push_back(encode(frames.back(), 90));
  }
  const double start = cpu_seconds();
  Set made = ours(64, 90);
  const double seconds = (cpu_seconds() - start) / 64;
  weigh(made);
  for (Set& set : sets) weigh(set);
  if (!frames.empty()) add_around(sets, frames, made.bits / made.pixels);
  sets.push_back(std::move(made));
  std::erase_if(sets, [](const Set& set) { return set.files.empty(); });
  time_sets(sets, 9);
  fmt::print("{:<40}{:>6}{:>12}{:>16}{:>18}\n", "set", "files", "bits/pixel", "from .. to",
             "decode ns/pixel");
  for (const Set& set : sets) {
    fmt::print("{:<40}{:>6}{:>12.2f}{:>16}{:>18.2f}\n", set.name, set.files.size(),
               set.bits / set.pixels, fmt::format("{:.2f} .. {:.2f}", set.min_bits, set.max_bits),
               median(set.rounds));
  }
  if (sets.size() >= 4) print_comparison(sets[sets.size() - 3], sets[sets.size() - 2], sets.back());
  fmt::print("making one picture: {:.2f} ms of CPU, {:.1f} ns per pixel\n", seconds * 1e3,
             seconds * 1e9 / (500 * 375));
  print_per_quality();
}
