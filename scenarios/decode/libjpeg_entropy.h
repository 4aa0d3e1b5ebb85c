// EntropyScan in the place of libjpeg-turbo's own Huffman decoder.
#pragma once
#include <cstddef>
#include <cstdio>
#include <span>

#include <jpeglib.h>

#include "scenarios/decode/entropy_scan.h"

namespace benchbench {

// Files it takes: sequential, Huffman-coded, all components in one scan, no restart marks. Others
// stay the library's, and all of them where the library is not libjpeg-turbo 2 or 3. One thread's.
class LibjpegEntropy {
 public:
  using NextUnit = boolean (*)(j_decompress_ptr image, JBLOCKROW* blocks);

  // After jpeg_start_decompress and before the first row; `next_unit` calls next() with the same
  // arguments. False where the library goes on by itself.
  bool attach(jpeg_decompress_struct& image, NextUnit next_unit);
  // What jpeg_crop_scanline gave.
  void want_columns(const jpeg_decompress_struct& image, JDIMENSION at, JDIMENSION width) noexcept;
  void next(jpeg_decompress_struct& image, JBLOCKROW* blocks);
  // Whether a library's messages, as jpeg_std_error() gives them, are libjpeg-turbo's (or
  // mozjpeg's, which is made of it).
  static bool are_words_of_turbo(const jpeg_error_mgr& errors) noexcept;

 private:
  static bool takes(const jpeg_decompress_struct& image) noexcept;
  EntropyScan::Plan plan_of(const jpeg_decompress_struct& image);
  void set_tables(const jpeg_decompress_struct& image);
  void warn(jpeg_decompress_struct& image, int code);
  void tell_end(jpeg_decompress_struct& image);
  void hand_back(jpeg_decompress_struct& image);
  EntropyScan scan_;
  const unsigned char* data_ = nullptr;
  std::size_t data_bytes_ = 0;
  bool told_end_ = false;
  bool told_code_ = false;
};

}  // namespace benchbench
