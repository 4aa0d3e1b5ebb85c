#include "scenarios/decode/huffman_table.h"

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
  make_pairs();
}

void HuffmanTable::make_symbols() {
  symbols_.fill({});
  std::int32_t code = 0;
  std::int32_t place = 0;
  for (unsigned length = 1; length <= 16; ++length, code *= 2) {
    const std::int32_t count = codes_.counts[length];
    offset_[length] = place - code;
    for (std::int32_t i = 0; i < count && length <= kLookBits; ++i) {
      const Symbol symbol =
          Symbol::of(codes_.symbols[static_cast<std::size_t>(place + i) & 255], length);
      const unsigned rest = kLookBits - length;
      const auto first = static_cast<std::size_t>(code + i) << rest;
      for (std::size_t at = first; at < first + (std::size_t{1} << rest) && at < symbols_.size();
           ++at)
        symbols_[at] = symbol;
    }
    place += count;
    code += count;
    past_[length] = code;
  }
}

Symbol HuffmanTable::slow(std::uint64_t next, bool& bad) const noexcept {
  for (unsigned length = kLookBits + 1; length <= 16; ++length) {
    const auto code = static_cast<std::int32_t>(next >> (64 - length));
    if (codes_.counts[length] && code < past_[length])
      return Symbol::of(codes_.symbols[static_cast<std::size_t>(code + offset_[length]) & 255],
                        length);
  }
  bad = true;
  return Symbol::of(0, 17);
}

namespace {

// The value of a symbol whose bits begin `next`.
std::int32_t value_of(Symbol symbol, std::uint64_t next) {
  if (symbol.size() == 0) return 0;
  const auto bits = static_cast<std::int32_t>(next << symbol.code_bits() >> (64 - symbol.size()));
  return bits >> (symbol.size() - 1) ? bits : bits - (1 << symbol.size()) + 1;
}

SymbolPair alone(Symbol symbol) {
  return {.all_bits = static_cast<std::uint8_t>(symbol.all_bits()),
          .code_bits = static_cast<std::uint8_t>(symbol.code_bits()),
          .size = static_cast<std::uint8_t>(symbol.size()),
          .advance = static_cast<std::uint8_t>(symbol.advance()),
          .first_advance = static_cast<std::uint8_t>(symbol.advance())};
}

}  // namespace

void HuffmanTable::make_pairs() {
  for (std::size_t index = 0; index < pairs_.size(); ++index) {
    const std::uint64_t next = std::uint64_t{index} << (64 - kPairBits);
    const Symbol first = quick(next);
    SymbolPair& pair = pairs_[index];
    pair = first.known() ? alone(first) : SymbolPair{};
    const unsigned used = first.all_bits();
    if (!first.known() || first.advance() == Symbol::kEnd || used >= kPairBits) continue;
    const Symbol last = quick(next << used);
    const std::int32_t value = value_of(first, next);
    if (!last.known() || used + last.code_bits() > kPairBits || value < -128 || value > 127)
      continue;
    pair.all_bits = static_cast<std::uint8_t>(used + last.all_bits());
    pair.code_bits = static_cast<std::uint8_t>(used + last.code_bits());
    pair.size = static_cast<std::uint8_t>(last.size());
    pair.advance = static_cast<std::uint8_t>(first.advance() + last.advance());
    pair.first_value = static_cast<std::int8_t>(value);
    pair.guard = pair.first_advance;
  }
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
