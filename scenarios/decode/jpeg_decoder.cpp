#include "scenarios/decode/jpeg_decoder.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <vector>

#include <jerror.h>
#include <jpeglib.h>

#include "harness/core/error.h"
#include "scenarios/decode/colour.h"
#include "scenarios/decode/end_mark.h"
#include "scenarios/decode/libjpeg_entropy.h"

namespace benchbench {

// libjpeg reports through callbacks: a failure must not return, so it jumps back to guarded(). What
// is jumped over is libjpeg's C and lambdas without destructors.
struct JpegDecoder::State {
  jpeg_decompress_struct image{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf back{};
  char words[JMSG_LENGTH_MAX]{};
  DecodeProblem problem;
  ByteSpan bytes;
  bool started = false;

  LibjpegEntropy entropy;
  Huffman huffman;
  bool attached = false;  // entropy decodes this image

  Region region;
  int skipped_columns = 0;  // decoded to the left of the region
  int rows_left = 0;
  std::vector<std::uint8_t> band;
  std::array<std::uint8_t*, kBandRows> rows{};
  std::array<const std::uint8_t*, kBandRows> first_pixels{};

  explicit State(Huffman by) : huffman(by) {
    image.err = jpeg_std_error(&errors);
    errors.error_exit = fail;
    errors.emit_message = note;
    errors.output_message = [](j_common_ptr) {};
    progress.progress_monitor = watch_scans;
    image.client_data = this;
    if (!guarded([this] { jpeg_create_decompress(&image); })) throw PartError(words);
  }
  ~State() { jpeg_destroy_decompress(&image); }

  static State& of(j_common_ptr common) { return *static_cast<State*>(common->client_data); }

  [[noreturn]] static void fail(j_common_ptr common) {
    State& state = of(common);
    state.errors.format_message(common, state.words);
    state.problem.failed = true;
    std::longjmp(state.back, 1);
  }

  static void note(j_common_ptr common, int level) {
    if (level >= 0) return;  // traces
    State& state = of(common);
    if (state.errors.msg_code == JWRN_JPEG_EOF) state.problem.truncated = true;
    if (state.problem.warnings++ == 0) state.errors.format_message(common, state.words);
  }

  static boolean next_unit(j_decompress_ptr image, JBLOCKROW* blocks) {
    of(reinterpret_cast<j_common_ptr>(image)).entropy.next(*image, blocks);
    return TRUE;
  }

  // A small progressive file may ask for thousands of passes over a large image.
  static void watch_scans(j_common_ptr common) {
    State& state = of(common);
    if (state.image.input_scan_number > kMaxScans)
      state.refuse("over 100 scans: more than any encoder writes");
  }

  [[noreturn]] void refuse(const char* why) {
    std::snprintf(words, sizeof words, "%s", why);
    problem.failed = true;
    std::longjmp(back, 1);
  }

  // False if `call` failed. setjmp's frame is this one: `call` is inlined or not, nothing of it is
  // needed afterwards.
  template <class Call>
  bool guarded(Call call) {
    if (setjmp(back) != 0) return false;
    call();
    return true;
  }

  void read_header();
  void attach_entropy() { attached = huffman == Huffman::ours && entropy.attach(image, next_unit); }
  void crop_columns();
  bool prepare_band();
  void skip_rows(int count);
  void read_to_end();
  bool is_cmyk() const noexcept { return image.out_color_space == JCS_CMYK; }
};

// Anew for each file (0.2 us): the library keeps tables for files that come without, and pixels
// would then depend on which file the thread had before.
void JpegDecoder::State::read_header() {
  jpeg_destroy_decompress(&image);
  jpeg_create_decompress(&image);
  image.progress = &progress;
  jpeg_mem_src(&image, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&image, TRUE);
  const std::uint64_t values = std::uint64_t{image.image_width} * image.image_height *
                               static_cast<std::uint64_t>(image.num_components);
  if (values > kMaxValues) refuse("image too large: over 300 million channel values");
  const bool four = image.jpeg_color_space == JCS_CMYK || image.jpeg_color_space == JCS_YCCK;
  image.out_color_space = four ? JCS_CMYK : JCS_EXT_RGBX;
}

// Columns: libjpeg widens the crop to whole blocks on the left, but interpolates colour at both
// ends of the crop as if the image ended there. One column more to the left and two to the right
// keep those pixels out of the region.
void JpegDecoder::State::crop_columns() {
  const int left = std::max(region.x - 1, 0);
  const int right = std::min(region.x + region.width + 2, static_cast<int>(image.output_width));
  JDIMENSION at = static_cast<JDIMENSION>(left);
  JDIMENSION width = static_cast<JDIMENSION>(right - left);
  if (width < image.output_width)
    jpeg_crop_scanline(&image, &at, &width);
  else
    at = 0;
  if (attached) entropy.want_columns(image, at, width);
  skipped_columns = region.x - static_cast<int>(at);
  rows_left = region.height;
}

// Rows begin beside every multiple of 32: libjpeg-turbo writes rows that are aligned past the
// caches (non-temporal stores), and the resize would wait for memory.
bool JpegDecoder::State::prepare_band() {
  constexpr std::size_t kInterference = 16;
  const std::size_t stride =
      (std::size_t{image.output_width} * kPixelBytes + kRowSlack + 63) / 64 * 64;
  const std::size_t room = stride * kBandRows + 64 + kInterference;
  if (band.size() < room) band.resize(room);
  const std::size_t to_line = (64 - reinterpret_cast<std::uintptr_t>(band.data()) % 64) % 64;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row] = band.data() + to_line + row * stride + kInterference;
    first_pixels[row] = rows[row] + skipped_columns * kPixelBytes;
  }
  return true;
}

void JpegDecoder::State::skip_rows(int count) {
  if (count > 0) jpeg_skip_scanlines(&image, static_cast<JDIMENSION>(count));
}

// Skipping to the very end would skip reading too: the last row is decoded.
void JpegDecoder::State::read_to_end() {
  const int left = static_cast<int>(image.output_height - image.output_scanline);
  if (left > 1) skip_rows(left - 1);
  if (left > 0) jpeg_read_scanlines(&image, rows.data(), 1);
  jpeg_finish_decompress(&image);
}

JpegDecoder::JpegDecoder(Huffman by) : state_(std::make_unique<State>(by)) {}
JpegDecoder::~JpegDecoder() = default;

bool JpegDecoder::open(ByteSpan jpeg) {
  State& s = *state_;
  s.problem = {};
  s.words[0] = '\0';
  s.bytes = jpeg;
  return s.guarded([&s] { s.read_header(); });
}

int JpegDecoder::width() const noexcept { return static_cast<int>(state_->image.image_width); }
int JpegDecoder::height() const noexcept { return static_cast<int>(state_->image.image_height); }

bool JpegDecoder::is_common() const noexcept {
  const jpeg_decompress_struct& image = state_->image;
  return image.data_precision == 8 && image.arith_code == FALSE &&
         (image.jpeg_color_space == JCS_GRAYSCALE || image.jpeg_color_space == JCS_YCbCr);
}

JpegDecoder::Huffman JpegDecoder::huffman() const noexcept {
  return state_->attached ? Huffman::ours : Huffman::library;
}

bool JpegDecoder::start_reduced(Region region, int reduction) {
  State& s = *state_;
  s.region = region;
  s.started = true;
  s.image.scale_num = 1;
  s.image.scale_denom = static_cast<unsigned>(reduction);
  if (!s.guarded([&s] { jpeg_start_decompress(&s.image); })) return false;
  s.attach_entropy();
  return s.guarded([&s] { s.crop_columns(); }) && s.prepare_band() &&
         s.guarded([&s] { s.skip_rows(s.region.y); });
}

RowPointers JpegDecoder::next_rows() {
  State& s = *state_;
  const int wanted = std::min(s.rows_left, kBandRows);
  int volatile done = 0;  // volatile: read after a jump back
  const bool ok = s.guarded([&s, &done, wanted] {
    while (done < wanted) {
      done = done + static_cast<int>(jpeg_read_scanlines(&s.image, s.rows.data() + done,
                                                         static_cast<JDIMENSION>(wanted - done)));
    }
  });
  if (!ok) return {};
  s.rows_left -= wanted;
  if (s.is_cmyk()) {
    for (int row = 0; row < wanted; ++row)
      cmyk_to_rgb(s.rows[static_cast<std::size_t>(row)], s.image.output_width);
  }
  return {s.first_pixels.data(), static_cast<std::size_t>(wanted)};
}

void JpegDecoder::close() {
  State& s = *state_;
  // Decoding stops after the last row needed, where a missing end goes unseen. The few files that
  // do not end in an end mark are read on to where libjpeg warns or finds it.
  if (s.started && !s.problem.failed && !s.problem.truncated && !has_end_mark(s.bytes)) {
    s.guarded([&s] { s.read_to_end(); });
  }
  s.started = false;
  s.guarded([&s] { jpeg_abort_decompress(&s.image); });
}

const DecodeProblem& JpegDecoder::problem() const noexcept {
  state_->problem.words = state_->words;
  return state_->problem;
}

}  // namespace benchbench
