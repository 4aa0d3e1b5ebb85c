#include <zstd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/part/null_meter.h"
#include "scenarios/formats/shards/mds_index.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::mds_format {
namespace {

using Catch::Contains;

std::string word(std::uint32_t value) { return {reinterpret_cast<const char*>(&value), 4}; }

// A shard of two samples of image, label, name.
std::string two_samples() {
  const auto sample = [](const std::string& image, const std::string& name) {
    return word(static_cast<std::uint32_t>(image.size())) +
           word(static_cast<std::uint32_t>(name.size())) + image +
           std::string("\2\0\0\0\0\0\0\0", 8) + name;
  };
  const std::string a = sample("one", "n/1.jpg"), b = sample("three", "n/2.jpg");
  const auto begin = static_cast<std::uint32_t>(16);
  return word(2) + word(begin) + word(begin + static_cast<std::uint32_t>(a.size())) +
         word(begin + static_cast<std::uint32_t>(a.size() + b.size())) + a + b;
}

std::string index_of(std::string file, std::uint64_t bytes, std::uint64_t samples = 2) {
  mds::Shard shard{.file = std::move(file), .content = bytes, .samples = samples, .columns = {}};
  return mds::index_text({shard});
}

std::string opening_error(const TestFolder& folder, const ColumnNames& columns = {}) {
  return error_opening("mds", folder.at("set"), columns);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("mds: plain shards and shards in zstd hold the same", "[unit][formats]") {
  const TestFolder folder;
  const std::string shard = two_samples();
  folder.put("set/index.json", index_of("a.mds", shard.size()));
  folder.put("set/a.mds", shard);
  std::string packed(ZSTD_compressBound(shard.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), shard.data(), shard.size(), 3));
  std::string zipped = replaced(index_of("a.mds", shard.size()), "\"zip_data\":null",
                                "\"zip_data\":{\"basename\":\"a.mds.zstd\",\"bytes\":" +
                                    std::to_string(packed.size()) + ",\"hashes\":{}}");
  folder.put("zipped/index.json",
             replaced(zipped, "\"compression\":null", "\"compression\":\"zstd:3\""));
  folder.put("zipped/a.mds.zstd", packed);
  for (const char* name : {"set", "zipped", "zipped"}) {  // the last from the kept index
    const auto archive = open_archive("mds", folder.at(name));
    CHECK(listing_of(*archive) == "n/1.jpg:2 n/2.jpg:2");
    CHECK((archive->extents() == nullptr) == (std::string(name) == "zipped"));
    CHECK(payload_of(*archive, 1) == "three");
    CHECK(payload_of(*archive, 0) == "one");
  }
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 1);
  folder.put("damaged/index.json", bytes_of(folder.at("zipped/index.json")));
  folder.put("damaged/a.mds.zstd", packed.substr(0, packed.size() - 1) + "x");
  CHECK_FALSE(error_opening("mds", folder.at("damaged")).empty());
}

TEST_CASE("mds: to inflate a shard is no reading", "[unit][formats]") {
  struct Bill final : NullMeter {
    void record(StepNumber, Stage stage, Nanoseconds) override {
      ++times[static_cast<std::size_t>(stage)];
    }
    bool stages_wanted() const noexcept override { return true; }
    std::array<int, kStages> times{};
  };
  const TestFolder folder;
  const std::string shard = two_samples();
  std::string packed(ZSTD_compressBound(shard.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), shard.data(), shard.size(), 3));
  std::string index = replaced(index_of("a.mds", shard.size()), "\"zip_data\":null",
                               "\"zip_data\":{\"basename\":\"a.mds.zstd\",\"bytes\":" +
                                   std::to_string(packed.size()) + ",\"hashes\":{}}");
  folder.put("set/index.json",
             replaced(index, "\"compression\":null", "\"compression\":\"zstd:3\""));
  folder.put("set/a.mds.zstd", packed);
  const auto runtime = make_real_runtime();
  Bill first, second;
  const auto archive = open_archive("mds", folder.at("set"));
  const auto by_shard = archive->reader(*runtime);
  by_shard->read(0, 0, first);
  by_shard->read(1, 0, second);
  const auto of = [](const Bill& bill, Stage stage) {
    return bill.times[static_cast<std::size_t>(stage)];
  };
  CHECK(of(first, Stage::read) == 1);
  CHECK(of(first, Stage::parse) == 2);  // the shard, and the sample in it
  CHECK(of(second, Stage::read) == 0);
  CHECK(of(second, Stage::parse) == 1);
}

TEST_CASE("mds: names that leave the folder are refused", "[unit][formats]") {
  const TestFolder folder;
  folder.put("secret.mds", two_samples());
  for (const std::string name : {"../secret.mds", "/etc/passwd", "a/../../secret.mds"}) {
    folder.put("set/index.json", index_of(name, two_samples().size()));
    CHECK_THAT(opening_error(folder), Contains("unsafe name"));
  }
}

TEST_CASE("mds: columns that the user names are read, and no others", "[unit][formats]") {
  const TestFolder folder;
  const std::string shard = two_samples();
  std::string index = index_of("a.mds", shard.size());
  index = replaced(index, "[\"image\",\"label\",\"name\"]", "[\"pic\",\"kind\",\"image\"]");
  folder.put("set/index.json", index);
  folder.put("set/a.mds", shard);
  const auto open = [&](const ColumnNames& columns) {
    return open_archive("mds", folder.at("set"), columns);
  };
  for (int i = 0; i < 2; ++i) {  // the second time from the kept index, each by its own
    CHECK(listing_of(*open(named_columns("", "kind", "image"))) == "n/1.jpg:2 n/2.jpg:2");
    CHECK(listing_of(*open(named_columns("pic"))) == "a/00000000.jpg:0 a/00000001.jpg:0");
  }
  const std::string columns = "; its columns: pic (jpeg), kind (int), image (str)";
  CHECK_THAT(opening_error(folder, named_columns("image")),
             Contains("has no column 'image' with encoded images" + columns));
  CHECK_THAT(opening_error(folder, named_columns("", "pic")),
             Contains("has no column 'pic' of whole numbers" + columns));
  CHECK_THAT(opening_error(folder, named_columns("", "", "kind")),
             Contains("has no column 'kind' of text" + columns));
}

TEST_CASE("mds: a shard says how its images are encoded", "[unit][formats]") {
  const TestFolder folder;
  const std::string jpeg = "\xFF\xD8\xFF.", png = "\x89PNG\r\n\x1A\n.";
  const auto encoding = [&](const std::string& name, std::initializer_list<std::string> images) {
    const auto writer = create_archive("mds", folder.at(name));
    for (const std::string& image : images) writer->add("x", 0, std::as_bytes(std::span(image)));
    writer->finish();
    CHECK(open_archive("mds", folder.at(name))->layout().samples == images.size());
    const std::string index = bytes_of(folder.at(name + "/index.json"));
    const std::size_t begin = index.find("\"column_encodings\":[\"") + 21;
    return index.substr(begin, index.find('"', begin) - begin);
  };
  CHECK(encoding("a", {jpeg, jpeg}) == "jpeg");
  CHECK(encoding("b", {png, png}) == "png");
  CHECK(encoding("c", {jpeg, png}) == "bytes");
}

TEST_CASE("mds: counts, offsets and sizes that lie", "[unit][formats]") {
  const TestFolder folder;
  const std::string shard = two_samples();
  const auto error_with = [&](const std::string& bytes, const std::string& index) {
    folder.put("set/index.json", index);
    folder.put("set/a.mds", bytes);
    return opening_error(folder);
  };
  const std::string right = index_of("a.mds", shard.size());
  CHECK(error_with(shard, right).empty());
  CHECK_THAT(error_with(shard, index_of("a.mds", shard.size() + 1)), Contains("instead of the"));
  CHECK_THAT(error_with(shard, index_of("a.mds", shard.size(), 3)), Contains("sample count"));
  CHECK_THAT(error_with(shard, replaced(right, "\"samples\":2", "\"samples\":-2")),
             Contains("'samples'"));
  CHECK_THAT(error_with(shard, replaced(right, "\"samples\":2", "\"samples\":1e30")),
             Contains("'samples'"));
  CHECK_THAT(error_with(shard, replaced(right, "\"version\":2", "\"version\":1")),
             Contains("version 2"));
  CHECK_THAT(error_with(shard, "{\"shards\":["), Contains("not a JSON"));
  CHECK_THAT(error_with(shard, "{\"version\":2,\"shards\":[]}"), Contains("no samples"));
  for (const std::size_t at : {4u, 8u, 12u, 16u, 20u}) {  // offsets and sizes
    std::string lying = shard;
    lying.replace(at, 4, word(0xFFFFFFF0));
    INFO("at " << at);
    CHECK_THAT(error_with(lying, right), Contains("at byte"));
  }
}

}  // namespace
}  // namespace benchbench::test::mds_format
