#include "scenarios/formats/arrays/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"

namespace benchbench::npy {
namespace {

struct Code {
  DType dtype;
  std::string_view word;
};
constexpr Code kCodes[] = {{DType::uint8, "|u1"},  {DType::int16, "<i2"}, {DType::uint16, "<u2"},
                           {DType::int32, "<i4"},  {DType::int64, "<i8"}, {DType::float16, "<f2"},
                           {DType::float32, "<f4"}};

[[noreturn]] void refuse(std::string_view what) {
  throw PartError(fmt::format("not a readable .npy array: {}", what));
}

DType dtype_of(std::string_view word) {
  for (const Code& code : kCodes)
    if (code.word == word) return code.dtype;
  if (word == "<u1") return DType::uint8;
  if (word.find('O') != std::string_view::npos)
    refuse(
        "it holds Python objects (dtype object), and loading them would run code; save plain "
        "numbers");
  if (word.starts_with('>'))
    refuse(fmt::format("its elements '{}' are big-endian; save it with .astype('<{}')", word,
                       word.substr(1)));
  refuse(fmt::format("its elements are '{}'; supported: u1, i2, u2, i4, i8, f2, f4", word));
}

// Python's literal of a dictionary with the three known keys, in any order.
class Literal {
 public:
  explicit Literal(std::string_view text) : rest_(text) {}

  bool take(char wanted) {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void want(char wanted) {
    if (!take(wanted))
      refuse(fmt::format("its header is malformed near '{}'", rest_.substr(0, 20)));
  }
  std::string_view text() {
    const char quote = take('\'') ? '\'' : (want('"'), '"');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) refuse("its header contains an unterminated string");
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return found;
  }
  bool boolean() {
    take(' ');
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    refuse("fortran_order is neither True nor False");
  }
  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> sides;
    want('(');
    while (!take(')')) {
      sides.push_back(take_side());
      if (sides.size() > 32) refuse("it has more than 32 dimensions");
      if (take(')')) break;
      want(',');
      take(' ');
    }
    return sides;
  }

 private:
  std::uint64_t take_side() {
    std::uint64_t side = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), side);
    if (error != std::errc{})
      refuse(fmt::format("invalid number in its shape: '{}'", rest_.substr(0, 24)));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    take('L');  // Python 2
    return side;
  }

  std::string_view rest_;
};

Header of_literal(std::string_view text) {
  Header header;
  Literal literal(text);
  unsigned seen = 0;
  literal.want('{');
  while (!literal.take('}')) {
    const std::string_view key = literal.text();
    literal.want(':');
    const unsigned bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
    if (bit == 0 || (seen & bit)) refuse(fmt::format("its header has an unknown key '{}'", key));
    seen |= bit;
    if (bit == 1) {
      if (literal.take('[')) refuse("its elements are structured (several fields)");
      header.dtype = dtype_of(literal.text());
    } else if (bit == 2) {
      if (literal.boolean()) refuse("it is in Fortran order; save it with numpy.ascontiguousarray");
    } else {
      header.shape = literal.shape();
    }
    if (!literal.take(',')) {
      literal.want('}');
      break;
    }
  }
  if (seen != 7) refuse("its header lacks descr, fortran_order or shape");
  return header;
}

}  // namespace

Header parse(ByteSpan bytes) {
  const std::string_view text = as_text(bytes);
  if (!text.starts_with(kMagic)) refuse("it has no .npy header");
  if (text.size() < 12) refuse("its header is truncated");
  const std::uint64_t version = little_endian(text.substr(6, 1));
  if (version < 1 || version > 3)
    refuse(fmt::format("format version {} is not supported", version));
  const std::size_t start = version == 1 ? 10 : 12;
  const std::uint64_t length = little_endian(text.substr(8, start - 8));
  if (length > kMax - start) refuse(fmt::format("its header has {} bytes", length));
  if (length > text.size() - start) refuse("its header is truncated");
  Header header = of_literal(text.substr(start, length));
  header.size = start + length;
  return header;
}

std::uint64_t element_bytes(const Header& header) {
  std::uint64_t bytes = size_of(header.dtype);
  for (const std::uint64_t side : header.shape)
    if (__builtin_mul_overflow(bytes, side, &bytes)) throw PartError("its shape is not plausible");
  return bytes;
}

std::string header_of(DType dtype, std::span<const std::uint64_t> shape) {
  const auto code = std::ranges::find(kCodes, dtype, &Code::dtype);
  if (code == std::end(kCodes)) throw ScenarioError(fmt::format("NumPy has no {}", name_of(dtype)));
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 code->word, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  text.append(63 - (text.size() + 10) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  put_little_endian(header, 1, 2);  // version 1.0
  put_little_endian(header, text.size(), 2);
  return header + text;
}

}  // namespace benchbench::npy
