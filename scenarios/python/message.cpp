#include "scenarios/python/message.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "harness/core/error.h"

namespace benchbench::python_part {
namespace {

constexpr std::size_t kHead = 8;

void append_length(std::string& to, std::size_t length) {
  for (int shift = 0; shift < 32; shift += 8)
    to.push_back(static_cast<char>(length >> shift & 0xff));
}

std::size_t length_at(std::string_view bytes, std::size_t at) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4; ++i)
    length |= std::size_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  return length;
}

Json object_from(std::string_view text) {
  Json body = Json::parse(text, nullptr, false);
  if (body.is_discarded()) throw_nonsense("no JSON where a message was expected");
  if (!body.is_object()) throw_nonsense("JSON, but not an object");
  const auto type = body.find("type");
  if (type == body.end() || !type->is_string()) throw_nonsense("a message without a type");
  return body;
}

}  // namespace

void throw_nonsense(std::string_view cause) {
  throw PartError(fmt::format("the Python process sent {}", cause),
                  "what it says and hears is version 1 of python/PROTOCOL.md: does its code write "
                  "into descriptors that it did not open?");
}

std::string encoded(const Json& body) {
  const std::string text = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string bytes;
  bytes.reserve(kHead + text.size());
  append_length(bytes, text.size());
  append_length(bytes, 0);
  return bytes + text;
}

std::optional<Message> MessageReader::next() {
  if (buffer_.size() < kHead) return std::nullopt;
  const std::size_t text = length_at(buffer_, 0), blob = length_at(buffer_, 4);
  if (text == 0 || text > kMaxJson || blob > kMaxBlob)
    throw_nonsense(fmt::format("no message: lengths of {} and {} bytes", text, blob));
  if (buffer_.size() < kHead + text + blob) return std::nullopt;
  Message message;
  message.body = object_from(std::string_view(buffer_).substr(kHead, text));
  message.type = message.body["type"].get<std::string>();
  message.blob = buffer_.substr(kHead + text, blob);
  buffer_.erase(0, kHead + text + blob);
  return message;
}

}  // namespace benchbench::python_part
