#include "scenarios/synthesis/jpeg_writer.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include "harness/core/error.h"

namespace benchbench::synthesis {
namespace {

// libjpeg's own handler calls exit(); this one leaves by longjmp, over C frames only.
struct Failure {
  jpeg_error_mgr base;  // first, so that cinfo->err is a Failure*
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX] = "";
};

void on_error(j_common_ptr info) {
  auto* failure = reinterpret_cast<Failure*>(info->err);
  info->err->format_message(info, failure->text);
  std::longjmp(failure->back, 1);
}

struct Encoded {
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  ~Encoded() { std::free(bytes); }
};

template <class AnyPicture>
void set_up(jpeg_compress_struct& info, const AnyPicture& picture, J_COLOR_SPACE colours,
            int quality) {
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.input_components = 3;
  info.in_color_space = colours;
  jpeg_set_defaults(&info);  // 4:2:0
  jpeg_set_quality(&info, quality, TRUE);
}

void set_up(jpeg_compress_struct& info, const Picture& picture, int quality) {
  set_up(info, picture, JCS_YCbCr, quality);
  info.raw_data_in = TRUE;
}

void set_up(jpeg_compress_struct& info, const RgbPicture& picture, int quality) {
  set_up(info, picture, JCS_RGB, quality);
}

// 16 rows of brightness and 8 of each colour at a time.
void write_rows(jpeg_compress_struct& info, const Picture& picture) {
  JSAMPROW light[16];
  JSAMPROW blue[8];
  JSAMPROW red[8];
  JSAMPARRAY planes[3] = {light, blue, red};
  const auto at = [](const std::vector<std::uint8_t>& plane, int row, int width) {
    return const_cast<JSAMPROW>(plane.data() + static_cast<std::size_t>(row) * width);
  };
  while (info.next_scanline < info.image_height) {
    const int top = static_cast<int>(info.next_scanline);
    for (int i = 0; i < 16; ++i) light[i] = at(picture.light, top + i, picture.padded_width);
    for (int i = 0; i < 8; ++i) {
      blue[i] = at(picture.blue, top / 2 + i, picture.padded_width / 2);
      red[i] = at(picture.red, top / 2 + i, picture.padded_width / 2);
    }
    jpeg_write_raw_data(&info, planes, 16);
  }
}

void write_rows(jpeg_compress_struct& info, const RgbPicture& picture) {
  while (info.next_scanline < info.image_height) {
    const std::size_t at = std::size_t{info.next_scanline} * info.image_width * 3;
    JSAMPROW row = const_cast<JSAMPROW>(picture.pixels.data() + at);
    jpeg_write_scanlines(&info, &row, 1);
  }
}

// No object with a destructor lives in this frame: longjmp may leave it.
template <class AnyPicture>
bool encode(const AnyPicture& picture, int quality, Encoded& out, Failure& failure) {
  jpeg_compress_struct info;
  info.err = jpeg_std_error(&failure.base);
  failure.base.error_exit = on_error;
  if (setjmp(failure.back)) {
    jpeg_destroy_compress(&info);
    return false;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &out.bytes, &out.size);
  set_up(info, picture, quality);
  jpeg_start_compress(&info, TRUE);
  write_rows(info, picture);
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return true;
}

template <class AnyPicture>
void write(const AnyPicture& picture, int quality, const PayloadSink& sink) {
  Encoded encoded;
  Failure failure;
  if (!encode(picture, quality, encoded, failure)) {
    throw PartError(failure.text, "while encoding an image; is there enough memory?");
  }
  sink({reinterpret_cast<const std::byte*>(encoded.bytes), encoded.size});
}

}  // namespace

void write_jpeg(const Picture& picture, int quality, const PayloadSink& sink) {
  write(picture, quality, sink);
}

void write_jpeg(const RgbPicture& picture, int quality, const PayloadSink& sink) {
  write(picture, quality, sink);
}

}  // namespace benchbench::synthesis
