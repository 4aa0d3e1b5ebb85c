// Messages of python/PROTOCOL.md: two lengths, a JSON object, a blob.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/units.h"

namespace benchbench::python_part {

using Json = nlohmann::json;

inline constexpr int kProtocol = 1;
inline constexpr std::size_t kMaxJson = 16u << 20;
inline constexpr std::size_t kMaxBlob = 1u << 30;

struct Message {
  std::string type;
  Json body;  // an object; `type` is in it
  std::string blob;
};

// `body` is an object that has `type`.
std::string encoded(const Json& body);

// Cuts a stream of bytes into messages. One thread.
class MessageReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole one. PartError for what can be none, with the cause: a length beyond the bounds,
  // no JSON, no object, no type.
  std::optional<Message> next();
  // Some bytes of a message have come, but not all.
  bool in_the_middle() const noexcept { return !buffer_.empty(); }

 private:
  std::string buffer_;
};

[[noreturn]] void throw_nonsense(std::string_view cause);

// Returns what `read` makes of the message's members. Throws a PartError that names the member that
// is absent or of another type.
template <class Read>
auto read_from(const Message& message, Read read) {
  try {
    return read(message.body);
  } catch (const Json::exception& e) {
    throw_nonsense("a message \"" + message.type + "\": " + e.what());
  }
}

// Of a number that a T can hold; a fraction is cut off. nlohmann would cast 1e89 and -1 to whatever
// comes of it.
template <std::integral T>
T whole(const Json& number) {
  if (number.is_number_unsigned()) {
    if (const auto n = number.get<std::uint64_t>(); std::in_range<T>(n)) return static_cast<T>(n);
  } else if (number.is_number_integer()) {
    if (const auto n = number.get<std::int64_t>(); std::in_range<T>(n)) return static_cast<T>(n);
  } else if (const auto n = number.get<double>(); n > -9e18 && n < 9e18) {
    if (std::in_range<T>(static_cast<std::int64_t>(n))) return static_cast<T>(n);
  }
  throw_nonsense("a number out of range: " + number.dump());
}

template <std::integral T>
std::vector<T> wholes(const Json& numbers) {
  std::vector<T> all;
  for (const Json& number : numbers) all.push_back(whole<T>(number));
  return all;
}

// nullopt where it is absent or null.
template <class T>
std::optional<T> member(const Json& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end() || at->is_null()) return std::nullopt;
  if constexpr (std::integral<T> && !std::same_as<T, bool>)
    return whole<T>(*at);
  else
    return at->template get<T>();
}
template <class T>
T member_or(const Json& object, const char* name, T otherwise) {
  return member<T>(object, name).value_or(std::move(otherwise));
}
// Takes members of an object, which outlives it. Where one is absent or null, its variable keeps
// its value, and an optional one has none. A time is a number of nanoseconds.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {}
  explicit Members(const Json&&) = delete;
  template <class T>
  void operator()(const char* name, T& to) const {
    if (auto value = member<T>(object_, name)) to = *std::move(value);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& to) const {
    to = member<T>(object_, name);
  }
  void operator()(const char* name, Nanoseconds& to) const {
    if (const auto ns = member<std::int64_t>(object_, name)) to = Nanoseconds{*ns};
  }

 private:
  const Json& object_;
};

inline std::string text_in(const Json& object, const char* name) {
  return member_or<std::string>(object, name, "");
}
// Returns what `from` makes of each one of a list; nothing where that is absent or null.
template <class From>
auto all_in(const Json& object, const char* name, From from) {
  std::vector<decltype(from(object))> all;
  for (const Json& one : member_or<Json>(object, name, Json::array())) all.push_back(from(one));
  return all;
}
// An object, empty where it is absent or null.
inline Json object_in(const Json& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end() || at->is_null()) return Json::object();
  if (!at->is_object())
    throw_nonsense(std::string("a member \"") + name + "\" that is not an object");
  return *at;
}

}  // namespace benchbench::python_part
