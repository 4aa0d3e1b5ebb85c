// A Huffman table of a JPEG file as look-up tables: one look at the next bits tells a whole symbol, code and
// value bits together.
#pragma once
#include <array>
#include <cstdint>

namespace benchbench {

// What a table segment (DHT) says; the library has checked it before it comes here.
struct HuffmanCodes {
  std::array<std::uint8_t, 17> counts{};  // of the codes of each length, 1..16
  std::array<std::uint8_t, 256> symbols{};
  bool operator==(const HuffmanCodes&) const = default;
};

// A symbol (run, size) and what it costs, in 32 bits: code length | code and value bits << 8 | size << 16 |
// advance << 24. The advance is that of the coefficient's index: run + 1; 16 of a run without a value; kEnd
// of the end of a block.
struct Symbol {
  static constexpr std::uint32_t kEnd = 64;
  std::uint32_t packed = 0;
  constexpr bool known() const noexcept { return packed != 0; }
  constexpr std::uint32_t code_bits() const noexcept { return packed & 255; }
  constexpr std::uint32_t all_bits() const noexcept { return packed >> 8 & 255; }
  constexpr std::uint32_t size() const noexcept { return packed >> 16 & 255; }
  constexpr std::uint32_t advance() const noexcept { return packed >> 24; }
  static constexpr Symbol of(unsigned value, unsigned code_bits) noexcept {
    const unsigned run = value >> 4;
    const unsigned size = value & 15;
    const unsigned advance = size ? run + 1 : run == 15 ? 16 : kEnd;
    return {code_bits | (code_bits + size) << 8 | size << 16 | advance << 24};
  }
};

// As many whole symbols of one block as the next kRunBits bits hold: bits | advance << 8. The advance, below
// 64 without the end of the block, has Symbol::kEnd added where the block ends with them. 0: not even one.
struct SymbolRun {
  std::uint16_t packed = 0;
  constexpr bool known() const noexcept { return packed != 0; }
  constexpr std::uint32_t bits() const noexcept { return packed & 255; }
  constexpr std::uint32_t advance() const noexcept { return packed >> 8; }
};

class HuffmanTable {
 public:
  static constexpr int kLookBits = 10;
  static constexpr int kRunBits = 12;
  static constexpr unsigned kMostSymbolBits = 16 + 15;

  // Keeps what it has where the codes are those of last time, as in most data sets.
  void set(const HuffmanCodes& codes);
  // `next`: the bits to come, the first in the topmost place. Unknown where the code is longer than
  // kLookBits.
  Symbol quick(std::uint64_t next) const noexcept { return symbols_[next >> (64 - kLookBits)]; }
  // Of any length; `bad` becomes true where no code begins so: 17 bits and nothing else, as libjpeg has it.
  Symbol slow(std::uint64_t next, bool& bad) const noexcept;
  // Runs are worth their making where a table is met again: before, none is known.
  SymbolRun run(std::uint64_t next) const noexcept { return runs_[next >> (64 - kRunBits)]; }

 private:
  void make_symbols();
  void make_runs();
  HuffmanCodes codes_;
  std::array<Symbol, 1 << kLookBits> symbols_{};
  std::array<SymbolRun, 1 << kRunBits> runs_{};
  std::array<std::int32_t, 18> past_{};    // first code of each length that is none of that length
  std::array<std::int32_t, 17> offset_{};  // code + offset: the symbol's place
  bool have_runs_ = false;
};

}  // namespace benchbench
