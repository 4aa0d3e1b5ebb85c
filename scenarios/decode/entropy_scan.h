// The Huffman-coded data of a sequential JPEG file -> coefficients, one unit (MCU) after the other,
// in place of libjpeg-turbo's decoder, which takes most of the time of a picture. Everything else
// (headers, inverse transform, colours) stays the library's.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenarios/decode/huffman_table.h"

namespace benchbench {

// One scan that holds all of the image. One thread's; keeps its memory and its tables.
class EntropyScan {
 public:
  static constexpr int kMaxBlocks = 10;  // of a unit
  static constexpr int kMaxTables = 4;
  using Block = std::int16_t[64];

  struct BlockPlan {
    int component = 0;
    int dc_table = 0;
    int ac_table = 0;
    bool detail = true;  // are its AC coefficients wanted?
  };
  struct Plan {
    std::array<BlockPlan, kMaxBlocks> blocks;
    int count = 0;  // blocks in a unit
    std::uint32_t units_per_row = 0;
    std::uint64_t units = 0;
  };

  HuffmanTable& dc_table(int index) { return dc_tables_[static_cast<std::size_t>(index)]; }
  HuffmanTable& ac_table(int index) { return ac_tables_[static_cast<std::size_t>(index)]; }
  // The tables the plan names are set. `data`: from the first byte of entropy-coded data to the end
  // of the file.
  void begin(const Plan& plan, std::span<const std::uint8_t> data);
  // Only units of these columns are kept, [first, last]; all until this is said.
  void want_columns(std::uint32_t first, std::uint32_t last) noexcept {
    first_ = first, last_ = last;
  }

  // The next unit into blocks[0..count), which are zeroed; nullptr: read over it. A unit that is
  // not wanted is read over too.
  void next_unit(std::int16_t (*const* blocks)[64]);

  bool finished() const noexcept { return unit_ >= plan_.units; }
  // The data ended in the middle: this unit was made up from zero bits, and those behind it stay
  // zero.
  bool ran_out() const noexcept { return ran_out_; }
  // Codes met that the tables do not have.
  std::uint64_t bad_codes() const noexcept { return bad_codes_; }
  // Where a reader of what follows the scan goes on: bytes of `data` used up.
  std::size_t used() const noexcept;
  // Is there a marker behind the data, or does the file end?
  bool at_marker() const noexcept { return ended_ && input_ < input_size_; }

 private:
  // The bits ahead, the next in the topmost place; the first `count` are real, and at `next` more
  // follow.
  struct Bits {
    std::uint64_t ahead = 0;
    std::uint64_t count = 0;
    const std::uint8_t* next = nullptr;
  };
  struct Decode;
  void decode_unit(std::int16_t (*const* blocks)[64]);
  void decode_unit_bmi(std::int16_t (*const* blocks)[64]);
  void top_up();
  void unstuff();
  void check_end() noexcept;

  Plan plan_;
  std::array<HuffmanTable, kMaxTables> dc_tables_, ac_tables_;
  // By component; unsigned: damaged files may wrap.
  std::array<std::uint32_t, kMaxBlocks> last_dc_{};
  Bits bits_;
  const std::uint8_t* data_ = nullptr;
  std::size_t input_size_ = 0;
  std::size_t input_ = 0;  // bytes taken into plain_
  bool ended_ = false;     // at the marker or the end
  bool ran_out_ = false;
  std::uint64_t bad_codes_ = 0;
  std::uint32_t first_ = 0, last_ = 0, column_ = 0;
  std::uint64_t unit_ = 0;
  std::vector<std::uint8_t> plain_;  // a stretch of the data without its stuffed zeros
  const std::uint8_t* plain_end_ = nullptr;
};

}  // namespace benchbench
