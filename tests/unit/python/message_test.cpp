#include "scenarios/python/message.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

namespace benchbench::python_part {
namespace message_test {

std::string lengths(std::uint32_t text, std::uint32_t blob) {
  std::string bytes;
  for (const std::uint32_t n : {text, blob})
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<char>(n >> shift & 0xff));
  return bytes;
}
std::string framed(const std::string& text, const std::string& blob = "") {
  return lengths(static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(blob.size())) +
         text + blob;
}

TEST_CASE("messages: what is encoded is read again, however it is cut", "[unit][python]") {
  const std::string bytes = encoded({{"type", "load"}, {"root", "/a b/ü"}}) +
                            framed(R"({"type":"result"})", std::string("\0\1\2", 3));
  const auto piece = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{1000});
  MessageReader reader;
  std::vector<Message> heard;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(std::string_view(bytes).substr(at, piece));
    while (auto message = reader.next()) heard.push_back(std::move(*message));
  }
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].type == "load");
  CHECK(heard[0].body["root"] == "/a b/ü");
  CHECK(heard[0].blob.empty());
  CHECK(heard[1].type == "result");
  CHECK(heard[1].blob == std::string("\0\1\2", 3));
  CHECK_FALSE(reader.in_the_middle());
}

TEST_CASE("messages: the lengths come first, the lowest byte before the others", "[unit][python]") {
  const std::string bytes = encoded({{"type", "stop"}});
  CHECK(bytes == std::string("\x0f\0\0\0\0\0\0\0", 8) + R"({"type":"stop"})");
}

TEST_CASE("messages: half of one is none yet", "[unit][python]") {
  const std::string whole = framed(R"({"type":"bye"})", "blob");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    MessageReader reader;
    reader.feed(std::string_view(whole).substr(0, size));
    CHECK_FALSE(reader.next());
    CHECK(reader.in_the_middle() == (size > 0));
  }
}

TEST_CASE("messages: nonsense is refused with its cause", "[unit][python]") {
  struct Bad {
    std::string bytes, cause;
  };
  const auto bad =
      GENERATE(values<Bad>({{"Traceback (most recent call last):", "lengths of"},
                            {lengths(0, 0), "lengths of 0 and 0 bytes"},
                            {lengths(kMaxJson + 1, 0), "lengths of 16777217"},
                            {lengths(2, kMaxBlob + 1), "lengths of 2 and 1073741825 bytes"},
                            {framed("{"), "no JSON"},
                            {framed("\xff\xfe"), "no JSON"},
                            {framed("[1]"), "not an object"},
                            {framed("{}"), "without a type"},
                            {framed(R"({"type": 3})"), "without a type"}}));
  MessageReader reader;
  reader.feed(bad.bytes);
  CHECK_THROWS_WITH(reader.next(),
                    Catch::Contains(bad.cause) && Catch::Contains("the Python process sent"));
}

TEST_CASE("messages: a number that its type cannot hold is nonsense, a fraction is cut off",
          "[unit][python]") {
  const Json body = Json::parse(
      R"({"most": 18446744073709551615, "huge": 1e89, "below": -1e89, "negative": -1, "fraction": 2.9, "over": 4294967296})");
  CHECK(whole<std::uint64_t>(body.at("most")) == ~std::uint64_t{0});
  CHECK(whole<int>(body.at("negative")) == -1);
  CHECK(member<std::uint32_t>(body, "fraction") == 2u);
  for (const char* name : {"huge", "below", "negative", "over"}) {
    INFO(name);
    CHECK_THROWS_AS(member<std::uint32_t>(body, name), PartError);
  }
  for (const char* name : {"most", "huge", "below"}) {
    INFO(name);
    CHECK_THROWS_AS(whole<std::int64_t>(body.at(name)), PartError);
    CHECK_THROWS_AS(wholes<std::int64_t>(Json::array({1, body.at(name)})), PartError);
  }
}

TEST_CASE("messages: a member of another type is nonsense, one that is absent or null is not known",
          "[unit][python]") {
  const Message message{"spec", Json{{"type", "spec"}, {"rows", "many"}, {"length", nullptr}}, ""};
  CHECK_THROWS_AS(read_from(message, [](const Json& body) { return body.at("rows").get<int>(); }),
                  PartError);
  CHECK_THROWS_AS(read_from(message, [](const Json& body) { return body.at("slots").get<int>(); }),
                  PartError);
  CHECK_FALSE(read_from(message, [](const Json& body) { return member<int>(body, "length"); }));
  CHECK_FALSE(read_from(message, [](const Json& body) { return member<int>(body, "batches"); }));
}

}  // namespace message_test
}  // namespace benchbench::python_part
