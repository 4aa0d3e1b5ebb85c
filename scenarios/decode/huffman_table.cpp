#include "scenarios/decode/huffman_table.h"

#include <algorithm>

namespace benchbench {

void HuffmanTable::set(const HuffmanCodes& codes) {
  if (codes == codes_) {
    if (!have_runs_) make_runs();
    return;
  }
  codes_ = codes;
  if (have_runs_) runs_.fill({});
  have_runs_ = false;
  make_symbols();
}

void HuffmanTable::make_symbols() {
  symbols_.fill({});
  std::int32_t code = 0;
  std::int32_t place = 0;
  for (unsigned length = 1; length <= 16; ++length, code *= 2) {
    const std::int32_t count = codes_.counts[length];
    offset_[length] = place - code;
    for (std::int32_t i = 0; i < count && length <= kLookBits; ++i) {
      const Symbol symbol = Symbol::of(codes_.symbols[static_cast<std::size_t>(place + i) & 255], length);
      const unsigned rest = kLookBits - length;
      const auto first = static_cast<std::size_t>(code + i) << rest;
      for (std::size_t at = first; at < first + (std::size_t{1} << rest) && at < symbols_.size(); ++at)
        symbols_[at] = symbol;
    }
    place += count;
    code += count;
    past_[length] = code;
  }
}

Symbol HuffmanTable::slow(std::uint64_t next, bool& bad) const noexcept {
  for (unsigned length = 1; length <= 16; ++length) {
    const auto code = static_cast<std::int32_t>(next >> (64 - length));
    if (codes_.counts[length] && code < past_[length])
      return Symbol::of(codes_.symbols[static_cast<std::size_t>(code + offset_[length]) & 255], length);
  }
  bad = true;
  return Symbol::of(0, 17);
}

void HuffmanTable::make_runs() {
  have_runs_ = true;
  for (std::size_t index = 0; index < runs_.size(); ++index) {
    const std::uint64_t next = std::uint64_t{index} << (64 - kRunBits);
    unsigned bits = 0;
    unsigned advance = 0;
    bool ends = false;
    while (!ends && bits < kRunBits) {
      const Symbol symbol = quick(next << bits);
      if (!symbol.known() || bits + symbol.all_bits() > kRunBits) break;
      ends = symbol.advance() == Symbol::kEnd;
      if (!ends && advance + symbol.advance() > 63) break;
      advance += symbol.advance();
      bits += symbol.all_bits();
    }
    runs_[index].packed = static_cast<std::uint16_t>(bits | advance << 8);
  }
}

}  // namespace benchbench
