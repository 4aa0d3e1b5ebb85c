#include "scenarios/decode/entropy_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#define BENCHBENCH_BMI __attribute__((target("bmi,bmi2")))
#else
#define BENCHBENCH_BMI
#endif
#define BENCHBENCH_INLINE __attribute__((always_inline)) static inline

namespace benchbench {
namespace {

// The longest symbol takes 31 bits, so no unit needs more: the inner loops look for no end.
constexpr std::size_t kUnitBytes =
    EntropyScan::kMaxBlocks * 64 * HuffmanTable::kMaxSymbolBits / 8 + 4 * sizeof(std::uint64_t);
constexpr std::size_t kStretch = 8192;  // taken in at once
constexpr std::size_t kPlainBytes = 2 * kUnitBytes + kStretch;
// Bytes that a decoder of 64 bits may have taken in beyond what it used.
constexpr std::uint64_t kReadAhead = 8;

// Index of the k-th coefficient of a file; what a damaged file puts behind the last becomes the
// last.
constexpr std::uint8_t kZigzag[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
constexpr auto kPlaces = [] {
  std::array<std::uint8_t, 64 + Symbol::kEnd> places{};
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = kZigzag[std::min<std::size_t>(k, 63)];
  return places;
}();

bool have_bmi() noexcept {
#if defined(__x86_64__)
  static const bool have = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return have;
#else
  return false;
#endif
}

}  // namespace

struct EntropyScan::Decode {
  // At least 56 bits are real afterwards, without a branch (Giesen's "variant 4").
  BENCHBENCH_INLINE void refill(Bits& bits) {
    std::uint64_t more;
    std::memcpy(&more, bits.next, sizeof more);
    if constexpr (std::endian::native == std::endian::little) more = __builtin_bswap64(more);
    bits.ahead |= more >> bits.count;
    bits.next += (63 - bits.count) >> 3;
    bits.count |= 56;
  }

  BENCHBENCH_INLINE void drop(Bits& bits, std::uint32_t count) {
    bits.ahead <<= count;
    bits.count -= count;
  }

  BENCHBENCH_INLINE Symbol symbol(EntropyScan& scan, const HuffmanTable& table, const Bits& bits) {
    const Symbol quick = table.quick(bits.ahead);
    if (quick.known()) [[likely]]
      return quick;
    bool bad = false;
    const Symbol slow = table.slow(bits.ahead, bad);
    scan.bad_codes_ += bad;
    return slow;
  }

  // The number in a symbol's value bits: of `size` bits, those that begin with 0 are negative.
  BENCHBENCH_INLINE std::int32_t value(const Bits& bits, std::uint32_t all_bits,
                                       std::uint32_t code_bits, std::uint32_t size) {
    const std::uint32_t max = (1u << size) - 1;
    const auto raw = static_cast<std::uint32_t>(bits.ahead >> (64 - all_bits)) & max;
    const auto sign = static_cast<std::int64_t>(bits.ahead << code_bits) >> 63;  // 0: negative
    return static_cast<std::int32_t>(raw - (max & ~static_cast<std::uint32_t>(sign)));
  }

  // A block without the ends of its symbols told apart: where no value is wanted, up to kRunBits
  // bits go at once.
  BENCHBENCH_INLINE void skip_detail(EntropyScan& scan, const HuffmanTable& table, Bits& bits) {
    std::uint32_t k = 1;
    do {
      refill(bits);
      for (int go = 0; go < 2; ++go) {
        const SymbolRun run = table.run(bits.ahead);
        if (!run.known() || k + (run.advance() & 63) > 63) {
          const Symbol one = symbol(scan, table, bits);
          drop(bits, one.all_bits());
          k += one.advance();
          break;
        }
        drop(bits, run.bits());
        k += run.advance();
        if (k >= 64) break;
      }
    } while (k < 64);
  }

  // The end of a block and a run of 16 zeros are stored as a zero where one is: no branch tells
  // them apart.
  BENCHBENCH_INLINE void detail(EntropyScan& scan, const HuffmanTable& table, Bits& bits,
                                std::int16_t* block) {
    std::uint32_t k = 0;
    do {
      refill(bits);
      for (int go = 0; go < 2; ++go) {
        const SymbolPair& pair = table.pair(bits.ahead);
        if (pair.all_bits == 0 || k + pair.guard > 62) [[unlikely]] {
          if (go > 0) break;  // with all the bits it may need
          const Symbol one = symbol(scan, table, bits);
          k += one.advance();
          block[kPlaces[k]] =
              static_cast<std::int16_t>(value(bits, one.all_bits(), one.code_bits(), one.size()));
          drop(bits, one.all_bits());
          break;
        }
        block[kPlaces[k + pair.first_advance]] = pair.first_value;
        k += pair.advance;
        block[kPlaces[k]] =
            static_cast<std::int16_t>(value(bits, pair.all_bits, pair.code_bits, pair.size));
        drop(bits, pair.all_bits);
        if (k >= 63) break;
      }
    } while (k < 63);
  }

  BENCHBENCH_INLINE void unit(EntropyScan& scan, std::int16_t (*const* blocks)[64]) {
    Bits bits = scan.bits_;
    for (int i = 0; i < scan.plan_.count; ++i) {
      const BlockPlan& plan = scan.plan_.blocks[static_cast<std::size_t>(i)];
      const HuffmanTable& dc = scan.dc_tables_[static_cast<std::size_t>(plan.dc_table)];
      const HuffmanTable& ac = scan.ac_tables_[static_cast<std::size_t>(plan.ac_table)];
      refill(bits);
      const Symbol first = symbol(scan, dc, bits);
      std::uint32_t& last = scan.last_dc_[static_cast<std::size_t>(plan.component)];
      last += static_cast<std::uint32_t>(
          value(bits, first.all_bits(), first.code_bits(), first.size()));
      drop(bits, first.all_bits());
      if (blocks) (*blocks[i])[0] = static_cast<std::int16_t>(last);
      if (blocks && plan.detail)
        detail(scan, ac, bits, *blocks[i]);
      else
        skip_detail(scan, ac, bits);
    }
    scan.bits_ = bits;
  }
};

void EntropyScan::decode_unit(std::int16_t (*const* blocks)[64]) { Decode::unit(*this, blocks); }
BENCHBENCH_BMI void EntropyScan::decode_unit_bmi(std::int16_t (*const* blocks)[64]) {
  Decode::unit(*this, blocks);
}

void EntropyScan::begin(const Plan& plan, std::span<const std::uint8_t> data) {
  plan_ = plan;
  last_dc_.fill(0);
  data_ = data.data();
  input_size_ = data.size();
  input_ = 0;
  ended_ = ran_out_ = false;
  bad_codes_ = 0;
  column_ = 0;
  unit_ = 0;
  first_ = 0;
  last_ = plan.units_per_row - 1;
  plain_.resize(kPlainBytes);
  bits_ = {.next = plain_.data()};
  plain_end_ = plain_.data();
}

void EntropyScan::next_unit(std::int16_t (*const* blocks)[64]) {
  if (finished()) return;
  const bool wanted = column_ >= first_ && column_ <= last_;
  if (++column_ == plan_.units_per_row) column_ = 0;
  ++unit_;
  if (ran_out_) return;
  if (!ended_ && plain_end_ - bits_.next < static_cast<std::ptrdiff_t>(kUnitBytes)) top_up();
  if (have_bmi())
    decode_unit_bmi(wanted ? blocks : nullptr);
  else
    decode_unit(wanted ? blocks : nullptr);
  if (ended_) check_end();
}

void EntropyScan::check_end() noexcept {
  const std::ptrdiff_t over = bits_.next - plain_end_;
  ran_out_ = over > 0 && static_cast<std::uint64_t>(over) * 8 > bits_.count;
}

// What is not used up yet moves to the front; behind it comes the next stretch.
void EntropyScan::top_up() {
  const auto kept = static_cast<std::size_t>(plain_end_ - bits_.next);
  std::memmove(plain_.data(), bits_.next, kept);
  bits_.next = plain_.data();
  plain_end_ = plain_.data() + kept;
  unstuff();
  if (ended_) {
    const auto behind = static_cast<std::size_t>(plain_.data() + plain_.size() - plain_end_);
    std::memset(plain_.data() + (plain_.size() - behind), 0, behind);
  }
}

// FF 00 is the byte FF; FF and anything else is a marker, which ends the data.
void EntropyScan::unstuff() {
  std::uint8_t* to = plain_.data() + (plain_end_ - plain_.data());
  std::size_t room = kStretch;
  while (room > 0 && input_ < input_size_) {
    const std::uint8_t* from = data_ + input_;
    const std::size_t max = std::min(room, input_size_ - input_);
    const void* mark = std::memchr(from, 0xFF, max);
    const std::size_t plain =
        mark ? static_cast<std::size_t>(static_cast<const std::uint8_t*>(mark) - from) : max;
    std::memcpy(to, from, plain);
    to += plain;
    room -= plain;
    input_ += plain;
    if (!mark) continue;
    std::size_t behind = input_ + 1;
    while (behind < input_size_ && data_[behind] == 0xFF) ++behind;
    if (behind == input_size_ || data_[behind] != 0) {
      ended_ = true;
      break;
    }
    *to++ = 0xFF;
    --room;
    input_ = behind + 1;
  }
  if (input_ == input_size_) ended_ = true;
  plain_end_ = to;
}

// Up to 8 bytes that nobody needs are not worth a warning: libjpeg has always taken in some more
// than it used.
std::size_t EntropyScan::used() const noexcept {
  const std::ptrdiff_t ahead = plain_end_ - bits_.next;
  const std::ptrdiff_t left = ahead + static_cast<std::ptrdiff_t>(bits_.count / 8);
  if (left <= static_cast<std::ptrdiff_t>(kReadAhead)) return input_;
  return input_ - std::min(input_, static_cast<std::size_t>(left));
}

}  // namespace benchbench
