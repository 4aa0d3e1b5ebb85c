// Protocol buffers' wire format, as far as TensorFlow's Example and Caffe's Datum need it. Reads
// only what it must look at, so that the images of a file are skipped when its labels are gathered.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "scenarios/formats/looked_bytes.h"

namespace benchbench::proto {

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// The fields of one message, one after the other.
class Message {
 public:
  // Throws Malformed where [begin, end) is not within the bytes.
  Message(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end);
  // To the next field; false at the end.
  bool next();
  std::uint32_t field() const noexcept { return field_; }
  Wire wire() const noexcept { return wire_; }
  std::uint64_t number() const noexcept { return number_; }  // of a varint
  std::uint64_t begin() const noexcept { return begin_; }    // of what is length-delimited
  std::uint64_t size() const noexcept { return size_; }
  bool is(std::uint32_t field, Wire wire) const noexcept {
    return field_ == field && wire_ == wire;
  }
  Message inside() const { return {*bytes_, begin_, begin_ + size_}; }
  // A short text; cut at kMaxLook.
  std::string text() const { return bytes_->text(begin_, size_); }

 private:
  LookedBytes* bytes_;
  std::uint64_t at_, end_;
  std::uint32_t field_ = 0;
  Wire wire_ = Wire::varint;
  std::uint64_t number_ = 0, begin_ = 0, size_ = 0;
};

// A varint at `at`, which moves behind it. Malformed where it ends before `end` or is longer than
// ten bytes.
std::uint64_t varint_at(LookedBytes& bytes, std::uint64_t& at, std::uint64_t end);

void put_varint(std::string& to, std::uint64_t value);
void put_number(std::string& to, std::uint32_t field, std::uint64_t value);
// Tag and length of `size` bytes that follow.
void put_head(std::string& to, std::uint32_t field, std::uint64_t size);
void put_bytes(std::string& to, std::uint32_t field, std::string_view bytes);

}  // namespace benchbench::proto
