// A Huffman table of a JPEG file as look-up tables: one look at the next bits tells a whole symbol,
// code and value bits together.
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

// A symbol (run, size) and what it costs, in 32 bits: code length | code and value bits << 8 | size
// << 16 | advance << 24. The advance is that of the coefficient's index: run + 1; 16 of a run
// without a value; kEnd of the end of a block.
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

// One symbol of a block or two: the first one's value is known, of the last the value bits are
// still to be read. Where there is one only, its place stands twice and the first value is 0.
struct SymbolPair {
  std::uint8_t all_bits = 0;   // 0: a code longer than kPairBits
  std::uint8_t code_bits = 0;  // up to the last one's value bits
  std::uint8_t size = 0;       // of the last
  std::uint8_t advance = 0;    // of both
  std::uint8_t first_advance = 0;
  std::int8_t first_value = 0;
  // With an index beyond 62 - guard the first would end the block: one at a time then.
  std::uint8_t guard = 0;
  std::uint8_t spare = 0;
};

// As many whole symbols of one block as the next kRunBits bits hold: bits | advance << 8. The
// advance, below 64 without the end of the block, has Symbol::kEnd added where the block ends with
// them. 0: not even one.
struct SymbolRun {
  std::uint16_t packed = 0;
  constexpr bool known() const noexcept { return packed != 0; }
  constexpr std::uint32_t bits() const noexcept { return packed & 255; }
  constexpr std::uint32_t advance() const noexcept { return packed >> 8; }
};

class HuffmanTable {
 public:
  static constexpr int kLookBits = 10;
  static constexpr int kPairBits = 11;
  static constexpr int kRunBits = 13;
  static constexpr unsigned kMaxSymbolBits = 16 + 15;

  // Keeps what it has where the codes are those of last time, as in most data sets.
  void set(const HuffmanCodes& codes);
  // `next`: the bits to come, the first in the topmost place. Unknown where the code is longer than
  // kLookBits.
  Symbol quick(std::uint64_t next) const noexcept { return symbols_[next >> (64 - kLookBits)]; }
  // Where quick() knows none. `bad` becomes true where no code begins so: 17 bits and nothing else,
  // as libjpeg has it.
  Symbol slow(std::uint64_t next, bool& bad) const noexcept;
  const SymbolPair& pair(std::uint64_t next) const noexcept {
    return pairs_[next >> (64 - kPairBits)];
  }
  // Runs are worth their making where a table is met again: before, none is known.
  SymbolRun run(std::uint64_t next) const noexcept { return runs_[next >> (64 - kRunBits)]; }

 private:
  void make_symbols();
  void make_pairs();
  void make_runs();
  HuffmanCodes codes_;
  std::array<Symbol, 1 << kLookBits> symbols_{};
  std::array<SymbolPair, 1 << kPairBits> pairs_{};
  std::array<SymbolRun, 1 << kRunBits> runs_{};
  std::array<std::int32_t, 18> past_{};    // first code of each length that is none of that length
  std::array<std::int32_t, 17> offset_{};  // code + offset: the symbol's place
  bool have_runs_ = false;
};

}  // namespace benchbench
