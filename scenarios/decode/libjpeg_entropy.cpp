#include "scenarios/decode/libjpeg_entropy.h"

#include <algorithm>
#include <cstring>

#include <jerror.h>

// jpeglib.h names this type without its contents. In libjpeg-turbo 2 and 3 it begins with these
// two, whichever libjpeg's interface (JPEG_LIB_VERSION 62, 70, 80) it was built for; what follows
// is not looked at. Nothing else is reached into: of other libraries, and of versions not looked
// at, the Huffman decoder stays their own.
struct jpeg_entropy_decoder {
  void (*start_pass)(j_decompress_ptr);
  boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW*);
};

namespace benchbench {
namespace {

#if defined(LIBJPEG_TURBO_VERSION_NUMBER) && LIBJPEG_TURBO_VERSION_NUMBER >= 2'000'000 && \
    LIBJPEG_TURBO_VERSION_NUMBER < 4'000'000
constexpr bool kBuiltForTurbo = true;
#else
constexpr bool kBuiltForTurbo = false;
#endif

// Since version 7 of the interface a block has a width and a height; libjpeg-turbo goes by the
// width.
#if JPEG_LIB_VERSION >= 70
int scaled_size(const jpeg_component_info& component) { return component.DCT_h_scaled_size; }
int min_scaled_size(const jpeg_decompress_struct& image) { return image.min_DCT_h_scaled_size; }
#else
int scaled_size(const jpeg_component_info& component) { return component.DCT_scaled_size; }
int min_scaled_size(const jpeg_decompress_struct& image) { return image.min_DCT_scaled_size; }
#endif

bool linked_with_turbo() {
  static const bool turbo = [] {
    jpeg_error_mgr errors{};
    return LibjpegEntropy::are_words_of_turbo(*jpeg_std_error(&errors));
  }();
  return turbo;
}

bool has(const JHUFF_TBL* const* tables, int index) {
  return index >= 0 && index < NUM_HUFF_TBLS && tables[index] != nullptr;
}

HuffmanCodes codes_of(const JHUFF_TBL& table) {
  HuffmanCodes codes;
  std::memcpy(codes.counts.data(), table.bits, codes.counts.size());
  codes.counts[0] = 0;
  std::memcpy(codes.symbols.data(), table.huffval, codes.symbols.size());
  return codes;
}

}  // namespace

// No function tells, but its copyright does, which is one of them; an index would differ from
// library to library.
bool LibjpegEntropy::are_words_of_turbo(const jpeg_error_mgr& errors) noexcept {
  if (!errors.jpeg_message_table) return false;
  const std::span words(errors.jpeg_message_table,
                        static_cast<std::size_t>(errors.last_jpeg_message) + 1);
  return std::ranges::any_of(
      words, [](const char* text) { return text && std::strstr(text, "libjpeg-turbo"); });
}

bool LibjpegEntropy::takes(const jpeg_decompress_struct& image) noexcept {
  static_assert(sizeof(JBLOCK) == sizeof(EntropyScan::Block) &&
                D_MAX_BLOCKS_IN_MCU == EntropyScan::kMaxBlocks &&
                NUM_HUFF_TBLS == EntropyScan::kMaxTables);
  if (!kBuiltForTurbo || !linked_with_turbo()) return false;
  if (image.progressive_mode || image.arith_code || image.restart_interval != 0 ||
      image.data_precision != 8 || image.comps_in_scan != image.num_components ||
      image.unread_marker != 0 || !image.entropy)
    return false;
  for (int i = 0; i < image.comps_in_scan; ++i) {
    const jpeg_component_info& component = *image.cur_comp_info[i];
    if (!has(image.dc_huff_tbl_ptrs, component.dc_tbl_no) ||
        !has(image.ac_huff_tbl_ptrs, component.ac_tbl_no))
      return false;
  }
  return true;
}

bool LibjpegEntropy::attach(jpeg_decompress_struct& image, NextUnit next_unit) {
  if (!takes(image)) return false;
  set_tables(image);
  data_ = image.src->next_input_byte;
  data_bytes_ = image.src->bytes_in_buffer;
  told_end_ = told_code_ = false;
  scan_.begin(plan_of(image), {data_, data_bytes_});
  image.entropy->decode_mcu = next_unit;
  return true;
}

EntropyScan::Plan LibjpegEntropy::plan_of(const jpeg_decompress_struct& image) {
  EntropyScan::Plan plan;
  plan.count = image.blocks_in_MCU;
  plan.units_per_row = image.MCUs_per_row;
  plan.units = std::uint64_t{image.MCUs_per_row} * image.MCU_rows_in_scan;
  for (int i = 0; i < plan.count; ++i) {
    const int place = image.MCU_membership[i];
    const jpeg_component_info& component = *image.cur_comp_info[place];
    plan.blocks[static_cast<std::size_t>(i)] = {
        place, component.dc_tbl_no, component.ac_tbl_no,
        component.component_needed && scaled_size(component) > 1};
  }
  return plan;
}

void LibjpegEntropy::set_tables(const jpeg_decompress_struct& image) {
  unsigned dc_done = 0;
  unsigned ac_done = 0;
  for (int i = 0; i < image.comps_in_scan; ++i) {
    const jpeg_component_info& component = *image.cur_comp_info[i];
    const int dc = component.dc_tbl_no;
    const int ac = component.ac_tbl_no;
    if (!(dc_done >> dc & 1)) scan_.dc_table(dc).set(codes_of(*image.dc_huff_tbl_ptrs[dc]));
    if (!(ac_done >> ac & 1)) scan_.ac_table(ac).set(codes_of(*image.ac_huff_tbl_ptrs[ac]));
    dc_done |= 1u << dc;
    ac_done |= 1u << ac;
  }
}

// Of a scan of one component the library counts units differently: all are kept.
void LibjpegEntropy::want_columns(const jpeg_decompress_struct& image, JDIMENSION at,
                                  JDIMENSION width) noexcept {
  if (image.comps_in_scan == 1 || width == 0) return;
  const auto unit = static_cast<JDIMENSION>(image.max_h_samp_factor * min_scaled_size(image));
  scan_.want_columns(at / unit, (at + width - 1) / unit);
}

void LibjpegEntropy::next(jpeg_decompress_struct& image, JBLOCKROW* blocks) {
  scan_.next_unit(blocks);
  if (scan_.bad_codes() != 0 && !told_code_) {
    told_code_ = true;
    warn(image, JWRN_HUFF_BAD_CODE);
  }
  if (scan_.ran_out() && !told_end_) tell_end(image);
  if (scan_.finished() && !told_end_) hand_back(image);
}

void LibjpegEntropy::warn(jpeg_decompress_struct& image, int code) {
  image.err->msg_code = code;
  image.err->emit_message(reinterpret_cast<j_common_ptr>(&image), -1);
}

// As the library does: the source is asked for more, which at the end of a file in memory warns and
// makes up an end mark.
void LibjpegEntropy::tell_end(jpeg_decompress_struct& image) {
  told_end_ = true;
  hand_back(image);
  if (!scan_.at_marker()) image.src->fill_input_buffer(&image);
  warn(image, JWRN_HIT_MARKER);
}

// What follows the scan is the library's to read.
void LibjpegEntropy::hand_back(jpeg_decompress_struct& image) {
  const std::size_t used = std::min(scan_.used(), data_bytes_);
  image.src->next_input_byte = data_ + used;
  image.src->bytes_in_buffer = data_bytes_ - used;
}

}  // namespace benchbench
