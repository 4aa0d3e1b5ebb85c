// Token files: ours, Megatron-LM's, nanoGPT's and llm.c's, and those that lie.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "scenarios/formats/token_index.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::tokens_format {
namespace {

using Catch::Contains;

using Ids = std::vector<std::int64_t>;

template <class T>
std::string packed(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Written by hand after Megatron-LM's indexed_dataset.py: two sequences of int32, 3 and 2 long, in
// one document.
std::string megatron_index() {
  std::string bytes("MMIDIDX\0\0", 9);
  bytes += packed<std::uint64_t>({1});
  bytes += std::string("\x04", 1);
  bytes += packed<std::uint64_t>({2, 2});
  bytes += packed<std::int32_t>({3, 2});
  bytes += packed<std::int64_t>({0, 12});
  bytes += packed<std::int64_t>({0, 2});
  return bytes;
}

PayloadSpec of(DType type) { return {.data = DataKind::tokens, .dtype = type, .row = {}}; }

std::unique_ptr<SampleWriter> writer(const std::string& path, DType type = DType::uint16) {
  return built_in_catalog()
      .maker(PartKind::sample_format, "tokens")
      .format.create({path, 3, of(type)});
}

std::string write_three(const TestFolder& folder) {
  const std::string path = folder.at("set");
  const auto to = writer(path);
  to->add("n0004/b.tok", 4, as_bytes(packed<std::uint16_t>({1, 2, 65535})));
  to->add("n0001/a.tok", 1, {});
  to->add("n0002/c.tok", 2, as_bytes(packed<std::uint16_t>({7})));
  to->finish();
  return path;
}

TEST_CASE("tokens: what is written is read back, with names, labels and lengths",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = write_three(folder);
  for (int again = 0; again < 2; ++again) {
    const auto archive = open_archive("tokens", path);
    CHECK(listing_of(*archive) == "n0004/b.tok:4 n0001/a.tok:1 n0002/c.tok:2");
    CHECK(archive->payload() == of(DType::uint16));
    const auto lengths = archive->layout().lengths;
    CHECK(std::vector<std::uint32_t>(lengths.begin(), lengths.end()) ==
          std::vector<std::uint32_t>{3, 0, 1});
    CHECK(payload_of(*archive, 0) == packed<std::uint16_t>({1, 2, 65535}));
    CHECK(payload_of(*archive, 1).empty());
    CHECK(payload_of(*archive, 2) == packed<std::uint16_t>({7}));
  }
  // The file holds nothing else.
  CHECK(bytes_of(path + "/tokens.bin") == packed<std::uint16_t>({1, 2, 65535, 7}));
}

TEST_CASE("tokens: without our names file, or with another's, sequences are numbered and labels 0",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = write_three(folder);
  std::filesystem::copy_file(path + "/.benchbench-index", folder.at("kept"));
  std::filesystem::remove(path + "/.benchbench-index");
  CHECK(listing_of(*open_archive("tokens", path)) ==
        "00000000.tok:0 00000001.tok:0 00000002.tok:0");
  CHECK(listing_of(*open_archive("tokens", path + "/tokens.idx")) ==
        "00000000.tok:0 00000001.tok:0 00000002.tok:0");
  CHECK(open_archive("tokens", path + "/tokens.bin")->layout().samples == 3);
  folder.put("other/tokens.bin", packed<std::int32_t>({5, 6, 7, 8, 9}));
  folder.put("other/tokens.idx", megatron_index());
  std::filesystem::copy_file(folder.at("kept"), folder.at("other/.benchbench-index"));
  CHECK(listing_of(*open_archive("tokens", folder.at("other"))) == "00000000.tok:0 00000001.tok:0");
}

TEST_CASE("tokens: Megatron-LM's pair is read, several of a folder in the order of their names",
          "[unit][formats]") {
  const TestFolder folder;
  for (const char* name : {"set/b", "set/a"}) {
    folder.put(std::string(name) + ".idx", megatron_index());
    folder.put(std::string(name) + ".bin", packed<std::int32_t>({name[4], 6, 7, 8, -9}));
  }
  const auto archive = open_archive("tokens", folder.at("set"));
  REQUIRE(archive->layout().samples == 4);
  CHECK(archive->payload() == of(DType::int32));
  CHECK(payload_of(*archive, 0) == packed<std::int32_t>({'a', 6, 7}));
  CHECK(payload_of(*archive, 2) == packed<std::int32_t>({'b', 6, 7}));
  CHECK(payload_of(*archive, 3) == packed<std::int32_t>({8, -9}));
  const auto ends = archive->layout().shard_ends;
  CHECK(std::vector<std::uint64_t>(ends.begin(), ends.end()) == std::vector<std::uint64_t>{2, 4});
}

TEST_CASE("tokens: an index of ours is Megatron-LM's, byte for byte", "[unit][formats]") {
  const std::string ours =
      token_index_bytes({.dtype = DType::int32, .lengths = {3, 2}, .offsets = {0, 12}});
  // Here each sequence is a document: 3 numbers instead of 2.
  std::string theirs = megatron_index();
  theirs.replace(26, 8, packed<std::uint64_t>({3}));
  theirs.replace(theirs.size() - 16, 16, packed<std::int64_t>({0, 1, 2}));
  CHECK(ours == theirs);
}

TEST_CASE("tokens: nanoGPT's and llm.c's streams are cut into blocks of 1024", "[unit][formats]") {
  const TestFolder folder;
  std::vector<std::uint16_t> stream(2500);
  for (std::size_t i = 0; i < stream.size(); ++i) stream[i] = static_cast<std::uint16_t>(i * 7);
  const auto archive = open_archive("tokens", folder.put("train.bin", packed(stream)));
  REQUIRE(archive->layout().samples == 3);
  CHECK(archive->layout().lengths[0] == 1024);
  CHECK(archive->layout().lengths[2] == 2500 - 2048);
  CHECK(payload_of(*archive, 2) == packed(stream).substr(4096));
  CHECK(archive->remark().find("blocks of 1024") != std::string_view::npos);

  std::vector<std::int32_t> header(256, 0);
  header[0] = 20240520, header[1] = 1, header[2] = 2500;
  const auto headed =
      open_archive("tokens", folder.put("fineweb.bin", packed(header) + packed(stream)));
  REQUIRE(headed->layout().samples == 3);
  CHECK(payload_of(*headed, 0) == packed(stream).substr(0, 2048));
  header[2] = 2501;  // a header that lies is none
  CHECK(open_archive("tokens", folder.put("odd.bin", packed(header) + packed(stream)))
            ->layout()
            .samples == 3);
  CHECK(payload_of(*open_archive("tokens", folder.at("odd.bin")), 0).substr(0, 4) ==
        packed<std::int32_t>({20240520}));
  CHECK_THAT(error_opening("tokens", folder.put("half.bin", "abc")),
             Contains("not a stream of uint16"));
  CHECK_THAT(error_opening("tokens", folder.put("none.bin", "")), Contains("none.bin"));
}

TEST_CASE("tokens: an index that is cut, changed or lies is refused with its name",
          "[unit][formats]") {
  const std::string good = megatron_index();
  REQUIRE(parse_token_index(as_bytes(good), 20, "x").lengths.size() == 2);
  const auto refused = [](const std::string& bytes, std::uint64_t bin = 20) {
    const std::string error = error_of([&] { parse_token_index(as_bytes(bytes), bin, "the.idx"); });
    return error.find("the.idx") != std::string::npos;
  };
  for (std::size_t size = 0; size < good.size(); ++size) CHECK(refused(good.substr(0, size)));
  CHECK(refused(good + "x"));
  CHECK_FALSE(refused(good + "xx"));  // of multimodal data
  CHECK(refused(good, 19));           // the last sequence ends behind the .bin
  const auto with = [&](std::size_t at, const std::string& bytes) {
    return std::string(good).replace(at, bytes.size(), bytes);
  };
  CHECK(refused(with(0, "N")));
  CHECK(refused(with(9, packed<std::uint64_t>({2}))));
  CHECK(refused(with(17, "\x06")));  // float
  CHECK(refused(with(17, std::string("\0", 1))));
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, ~std::uint64_t{0},
        ~std::uint64_t{0} / 12, std::uint64_t{1} << 61}) {
    CHECK(refused(with(18, packed<std::uint64_t>({count}))));
    if (count != 2) CHECK(refused(with(26, packed<std::uint64_t>({count}))));
  }
  for (const std::int32_t length : {-1, INT32_MIN, INT32_MAX, 6})
    CHECK(refused(with(34, packed<std::int32_t>({length}))));
  for (const std::int64_t offset : {std::int64_t{-1}, INT64_MIN, INT64_MAX, std::int64_t{21}})
    CHECK(refused(with(42, packed<std::int64_t>({offset}))));
}

TEST_CASE("tokens: missing halves, mixed elements, pipes and other files are refused",
          "[unit][formats]") {
  const TestFolder folder;
  folder.put("alone/a.idx", megatron_index());
  CHECK_THAT(error_opening("tokens", folder.at("alone")), Contains("a.bin"));
  folder.put("mixed/a.idx", megatron_index());
  folder.put("mixed/a.bin", packed<std::int32_t>({1, 2, 3, 4, 5}));
  folder.put("mixed/b.idx",
             token_index_bytes({.dtype = DType::uint16, .lengths = {1}, .offsets = {0}}));
  folder.put("mixed/b.bin", "xx");
  CHECK_THAT(error_opening("tokens", folder.at("mixed")),
             Contains("uint16, the previous ones are int32"));
  std::filesystem::create_directories(folder.at("pipe"));
  REQUIRE(::mkfifo(folder.at("pipe/a.idx").c_str(), 0600) == 0);
  REQUIRE(::mkfifo(folder.at("b.bin").c_str(), 0600) == 0);
  CHECK_THAT(error_opening("tokens", folder.at("pipe")), Contains("not a regular file"));
  CHECK_THAT(error_opening("tokens", folder.at("b.bin")), Contains("not a regular file"));
  CHECK_THAT(error_opening("tokens", folder.at("absent")), Contains("absent"));
  CHECK_THAT(error_opening("tokens", folder.put("x.txt", "ab")), Contains("neither"));
}

TEST_CASE("tokens: a .bin that was cut after it was opened is a fault of the sample",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = write_three(folder);
  const auto archive = open_archive("tokens", path);
  for (const std::uintmax_t left : {7u, 4u, 0u}) {
    std::filesystem::resize_file(path + "/tokens.bin", left);
    CHECK_THROWS_AS(payload_of(*archive, 2), PartError);
  }
  CHECK_THROWS_AS(open_archive("tokens", path), ScenarioError);
}

TEST_CASE("tokens: the writer takes whole elements of whole numbers, and at least one sample",
          "[unit][formats]") {
  const TestFolder folder;
  CHECK_THROWS_AS(writer(folder.at("a"), DType::float32), ScenarioError);
  CHECK_THROWS_AS(create_archive("tokens", folder.at("a")), ScenarioError);  // images
  const auto to = writer(folder.at("a"), DType::int32);
  CHECK_THROWS_AS(to->add("x.tok", 0, as_bytes("abc")), ScenarioError);
  CHECK_THROWS_AS(to->add("../x.tok", 0, as_bytes("abcd")), ScenarioError);
  CHECK_THROWS_AS(writer(folder.at("b"))->finish(), ScenarioError);
  CHECK_FALSE(std::filesystem::exists(folder.at("b")));
}

}  // namespace
}  // namespace benchbench::test::tokens_format
