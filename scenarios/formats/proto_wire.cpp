#include "scenarios/formats/proto_wire.h"

#include <algorithm>

namespace benchbench::proto {

Message::Message(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end)
    : bytes_(&bytes), at_(begin), end_(end) {
  if (begin > end || end > bytes.size())
    throw Malformed{"a message that extends past its end", begin};
}

bool Message::next() {
  if (at_ == end_) return false;
  const std::uint64_t start = at_;
  const std::uint64_t tag = varint_at(*bytes_, at_, end_);
  field_ = static_cast<std::uint32_t>(tag >> 3);
  wire_ = static_cast<Wire>(tag & 7);
  if (tag >> 32 != 0 || field_ == 0) throw Malformed{"a field without a number", start};
  begin_ = at_;
  switch (wire_) {
    case Wire::varint:
      number_ = varint_at(*bytes_, at_, end_);
      size_ = at_ - begin_;
      return true;
    case Wire::bytes:
      size_ = varint_at(*bytes_, at_, end_);
      begin_ = at_;
      break;
    case Wire::fixed64:
      size_ = 8;
      break;
    case Wire::fixed32:
      size_ = 4;
      break;
    default:
      throw Malformed{"a field of unknown wire type", start};
  }
  if (size_ > end_ - begin_) throw Malformed{"a field longer than its message", start};
  at_ = begin_ + size_;
  return true;
}

std::uint64_t varint_at(LookedBytes& bytes, std::uint64_t& at, std::uint64_t end) {
  const auto there = bytes.look(at, std::min<std::uint64_t>(10, end - at));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < there.size(); ++i) {
    const auto byte = static_cast<std::uint64_t>(there[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      if (i == 9 && byte > 1) break;  // more than 64 bits
      at += i + 1;
      return value;
    }
  }
  throw Malformed{there.size() < 10 ? "a truncated number" : "a number of more than 64 bits", at};
}

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>((value & 0x7f) | 0x80));
  to.push_back(static_cast<char>(value));
}

namespace {

void put_field(std::string& to, std::uint32_t field, Wire wire, std::uint64_t value) {
  put_varint(to, std::uint64_t{field} << 3 | static_cast<unsigned>(wire));
  put_varint(to, value);
}

}  // namespace

void put_number(std::string& to, std::uint32_t field, std::uint64_t value) {
  put_field(to, field, Wire::varint, value);
}

void put_head(std::string& to, std::uint32_t field, std::uint64_t size) {
  put_field(to, field, Wire::bytes, size);
}

void put_bytes(std::string& to, std::uint32_t field, std::string_view bytes) {
  put_head(to, field, bytes.size());
  to.append(bytes);
}

}  // namespace benchbench::proto
