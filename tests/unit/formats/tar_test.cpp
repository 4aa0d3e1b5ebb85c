#include <catch2/catch.hpp>

#include "harness/core/random.h"
#include "scenarios/formats/index_file.h"
#include "scenarios/formats/shards/tar_header.h"
#include "tests/skip.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::tar_format {
namespace {

using Catch::Contains;

std::string member(const std::string& name, const std::string& data) {
  std::string bytes = tar::make_header(name, data.size()) + data;
  bytes.resize(tar::padded(bytes.size()), '\0');
  return bytes;
}
const std::string kEnd(1024, '\0');

std::string remark_of(const std::string& path) {
  return std::string(open_archive("tar", path)->remark());
}

std::string error_with(const TestFolder& folder, const std::string& bytes) {
  const std::string path = folder.put("x.tar", bytes);
  return error_opening("tar", path);
}

TEST_CASE("tar: WebDataset files in any order of members; what is no image is counted",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path =
      folder.put("x.tar", member("./k/0001.cls", "7\n") + member("k/0001.jpg", "one") +
                              member("k/0001.json", "{}") + member("k/0002.JPEG", "two") +
                              member("k/0002.cls", " 3") + member("readme", "x") + kEnd);
  CHECK_THAT(error_opening("tar", path), Contains("is not a class number: ' 3'"));
  folder.put("x.tar", member("./k/0001.cls", "7\n") + member("k/0001.jpg", "one") +
                          member("k/0001.json", "{}") + member("k/0002.JPEG", "two") +
                          member("k/0002.cls", "3") + member("readme", "x") + kEnd);
  const auto archive = open_archive("tar", path);
  CHECK(listing_of(*archive) == "k/0001.jpg:7 k/0002.JPEG:3");
  CHECK(archive->classes() == 8);
  CHECK(archive->remark() ==
        "passed over 2 files that are not an image: 1 .json, 1 without an extension");
}

TEST_CASE("tar: KEY.png is a sample, but not where KEY.jpg is one", "[unit][formats]") {
  const TestFolder folder;
  const std::string path =
      folder.put("x.tar", member("1.cls", "7") + member("1.png", "one") + member("2.seg.png", "m") +
                              member("2.jpg", "two") + member("2.cls", "3") + member("2.PNG", "d") +
                              member("3.png", "3") + member("3.cls", "0") + kEnd);
  const auto archive = open_archive("tar", path);
  CHECK(listing_of(*archive) == "1.png:7 2.jpg:3 3.png:0");
  CHECK(archive->remark() == "passed over 2 PNG images whose key has another image");
}

TEST_CASE("tar: KEY.seg.png is no sample next to KEY.png, unless it has a class of its own",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.put(
      "x.tar", member("d/1.seg.png", "m") + member("d/1.png", "one") + member("d/1.cls", "7") +
                   member("2.left.png", "l") + member("2.right.png", "r") + member("2.cls", "3") +
                   member("3.png", "3") + member("3.cls", "0") + member("3.b.png", "b") +
                   member("3.b.cls", "1") + member("4.jpg", "4") + member("4.cls", "2") +
                   member("4.b.png", "b") + member("4.b.cls", "5") + kEnd);
  const auto archive = open_archive("tar", path);
  CHECK(listing_of(*archive) ==
        "d/1.png:7 2.left.png:3 2.right.png:3 3.png:0 3.b.png:1 4.jpg:2 4.b.png:5");
  CHECK(archive->remark() == "passed over 1 PNG image whose key has another image");
}

TEST_CASE("tar: without classes the top folders are the classes; with some missing it is an error",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path =
      folder.put("x.tar", member("dogs/1.jpg", "1") + member("cats/1.jpg", "2") + kEnd);
  CHECK(listing_of(*open_archive("tar", path)) == "dogs/1.jpg:1 cats/1.jpg:0");
  CHECK(
      error_with(folder, member("a.jpg", "1") + member("a.cls", "0") + member("b.jpg", "2") + kEnd)
          .find("'b.jpg' has no .cls member") == 0);
}

TEST_CASE("tar: a file cut at any byte is an error that names the byte, never fewer samples",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string whole =
      member("a/1.jpg", std::string(700, 'x')) + member("a/1.cls", "1") + kEnd;
  for (std::size_t size = 0; size <= whole.size() - 1024; size += size % 512 == 0   ? 1
                                                                  : size % 512 == 1 ? 255
                                                                                    : 256) {
    INFO("cut at " << size);
    const std::string said = error_with(folder, whole.substr(0, size));
    CHECK_THAT(said, Contains("x.tar', at byte "));
    CHECK_THAT(said, Contains("truncated"));
  }
  CHECK_THAT(error_with(folder, whole.substr(0, 100)),
             Contains("at byte 0: the tar file is truncated in a header: 100 of 512"));
  CHECK_THAT(
      error_with(folder, whole.substr(0, 900)),
      Contains("at byte 0: the tar file is truncated in the data of 'a/1.jpg': 388 of 700 bytes"));
  CHECK_THAT(error_with(folder, whole.substr(0, 1536)),
             Contains("at byte 1536: the tar file has no end marker"));
  CHECK(error_with(folder, whole).empty());
}

TEST_CASE("tar: a damaged header, a compressed file, and one without images", "[unit][formats]") {
  const TestFolder folder;
  std::string whole = member("a/1.jpg", "data") + member("a/1.cls", "1") + kEnd;
  whole[1024 + 10] ^= 1;
  CHECK_THAT(error_with(folder, whole), Contains("at byte 1024: a member header is missing"));
  CHECK_THAT(error_with(folder, "\x1f\x8b" + std::string(600, 'x')),
             Contains("compressed with gzip"));
  CHECK(error_with(folder, member("a.txt", "x") + kEnd).find("no images in ") == 0);
  CHECK_THAT(error_with(folder, member("../a.jpg", "x") + kEnd),
             Contains("unsafe name: '../a.jpg'"));
}

TEST_CASE(
    "tar: a member that is there twice is named, "
    "with both places; once in each of two shards is no fault",
    "[unit][formats]") {
  const TestFolder folder;
  const std::string one = member("a.jpg", "1") + member("a.cls", "0"),
                    two = member("b.jpg", "2") + member("b.cls", "0");
  const std::string said = error_with(folder, one + two + one + kEnd);
  CHECK(said.find("'" + folder.at("x.tar") +
                  "' holds 'a.jpg' twice, with its bytes at 512 and at 4608 ") == 0);
  folder.put("shards/1.tar", one + two + kEnd);
  folder.put("shards/2.tar", one + kEnd);
  CHECK(listing_of(*open_archive("tar", folder.at("shards"))) == "a.jpg:0 b.jpg:0 a.jpg:0");
}

TEST_CASE("tar: the index is not written through a link that lies in its way", "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.put("x.tar", member("a/1.jpg", "1") + kEnd),
                    mine = folder.put("mine", "kept");
  const std::string index = kept_index_path(path);
  std::filesystem::create_directories(std::filesystem::path(index).parent_path());
  std::filesystem::create_symlink(mine, index + ".partial-" + std::to_string(::getpid()));
  CHECK(listing_of(*open_archive("tar", path)) == "a/1.jpg:0");
  CHECK(bytes_of(mine) == "kept");
  CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(index)));
}

TEST_CASE("tar: a sparse member is named, of either kind", "[unit][formats]") {
  const TestFolder folder;
  std::string old = tar::make_header("old.jpg", 3);
  old[156] = 'S';  // another type is another checksum
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(old[i]);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  old.replace(148, 6, digits, 6);
  CHECK_THAT(error_with(folder, old + "abc" + std::string(509, '\0') + kEnd),
             Contains("at byte 0: 'old.jpg' is a sparse member"));
  const std::string records = "22 GNU.sparse.major=1\n29 GNU.sparse.name=s/new.jpg\n";
  std::string pax = member("pax", records);
  pax[156] = 'x';
  sum = 0;
  for (std::size_t i = 0; i < 512; ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(pax[i]);
  std::snprintf(digits, sizeof digits, "%06o", sum);
  pax.replace(148, 6, digits, 6);
  CHECK_THAT(error_with(folder, pax + member("GNUSparseFile.0/new.jpg", "abc") + kEnd),
             Contains("'s/new.jpg' is a sparse member"));
}

TEST_CASE("tar: a file changed behind its index cannot hand over other bytes unseen",
          "[unit][formats]") {
  const TestFolder folder;
  {
    const auto writer = create_archive("tar", folder.at("x.tar"));
    writer->add("a.jpg", 1, std::as_bytes(std::span("abcd", 4)));
    writer->finish();
  }
  std::string bytes = bytes_of(folder.at("x.tar"));
  bytes[0] = 'b';  // another name, same size: the index beside still fits
  folder.put("x.tar", bytes);
  const auto archive = open_archive("tar", folder.at("x.tar"));
  CHECK_THAT(error_of([&] { payload_of(*archive, 0); }),
             Contains("changed: no header of 'a.jpg' at byte 0"));
}

TEST_CASE("tar: the index of a user's file is kept in the cache and dropped when the file changes",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path =
      folder.put("x.tar", member("a/1.jpg", "1") + member("a/1.cls", "1") + kEnd);
  CHECK(listing_of(*open_archive("tar", path)) == "a/1.jpg:1");
  // Nothing is written next to a user's file.
  CHECK_FALSE(std::filesystem::exists(path + ".benchbench-index"));
  int kept = 0;
  std::string index;
  for (const auto& entry : std::filesystem::directory_iterator(folder.at("cache/index")))
    ++kept, index = entry.path();
  CHECK(kept == 1);
  const auto made = std::filesystem::last_write_time(index);
  CHECK(listing_of(*open_archive("tar", path)) == "a/1.jpg:1");
  CHECK(std::filesystem::last_write_time(index) == made);  // read, not made again
  folder.put("x.tar", member("a/1.jpg", "1") + member("a/1.cls", "2") + kEnd);
  CHECK(listing_of(*open_archive("tar", path)) == "a/1.jpg:2");
}

TEST_CASE("tar: an index that has no room for a sample's header is none", "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.put("x.tar", member("1.jpg", "1") + member("1.cls", "7") + kEnd);
  for (const std::uint64_t offset : {511, 512}) {
    ArchiveIndex index;
    index.made_of = "tar 1, ours\nx.tar 3072\n";
    index.shards = {"x.tar"};
    index.table.add("1.jpg", 5, offset, 1);
    REQUIRE(write_index(path + ".benchbench-index", index));
    CHECK(listing_of(*open_archive("tar", path)) == (offset < 512 ? "1.jpg:7" : "1.jpg:5"));
  }
}

TEST_CASE("tar: a file without .cls and folders has no labels, also from its kept index",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.put("x.tar", member("1.jpg", "one") + kEnd);
  CHECK(remark_of(path) == kNoLabels);
  CHECK(remark_of(path) == kNoLabels);
  CHECK(remark_of(folder.put("y.tar", member("dogs/1.jpg", "one") + kEnd)).empty());
  CHECK(
      remark_of(folder.put("z.tar", member("1.jpg", "one") + member("1.cls", "0") + kEnd)).empty());
}

TEST_CASE(
    "tar: what a folder of shards holds besides is counted, but not what is named after "
    "a shard",
    "[unit][formats]") {
  const TestFolder folder;
  folder.put("tars/a.tar", member("1.jpg", "one") + member("1.cls", "0") + kEnd);
  folder.put("tars/a.tar.idx");
  folder.put("tars/.hidden");
  folder.put("tars/.checkpoints/a.json");
  CHECK(remark_of(folder.at("tars")).empty());
  folder.put("tars/a.parquet");
  folder.put("tars/a_stats.json");
  CHECK(remark_of(folder.at("tars")) ==
        "passed over 2 files that are not a .tar file: 1 .json, 1 .parquet");
  folder.put("tars/test/b.tar");
  CHECK(remark_of(folder.at("tars")) ==
        "passed over 3 entries that are not a .tar file: 1 .json, 1 .parquet, 1 folder");
  std::filesystem::create_symlink(folder.at("nowhere.tar"), folder.at("tars/c.tar"));
  CHECK(remark_of(folder.at("tars")) ==
        "passed over 4 entries that are not a .tar file: 1 .json, 1 .parquet, 1 broken link or "
        "device, 1 folder");
}

TEST_CASE("tar: shards of a folder follow each other by name", "[unit][formats]") {
  const TestFolder folder;
  folder.put("s/b-1.tar", member("3.jpg", "3") + member("3.cls", "3") + kEnd);
  folder.put("s/a-0.tar", member("1.jpg", "1") + member("1.cls", "1") + member("2.jpg", "2") +
                              member("2.cls", "2") + kEnd);
  const auto archive = open_archive("tar", folder.at("s"));
  CHECK(listing_of(*archive) == "1.jpg:1 2.jpg:2 3.jpg:3");
  const auto ends = archive->layout().shard_ends;
  CHECK(std::vector<std::uint64_t>(ends.begin(), ends.end()) == std::vector<std::uint64_t>{2, 3});
  const auto runtime = make_real_runtime();
  NullMeter meter;
  const auto reader = archive->reader(*runtime);
  for (const SampleId id : {2u, 0u, 1u, 2u})
    CHECK(static_cast<char>(reader->read(id, 0, meter).payload[0]) == static_cast<char>('1' + id));
}

// The header with its size in base 256 as GNU tar writes it: a set bit, then big-endian binary.
std::string with_binary_size(std::string block, std::uint64_t size, char first = '\x80') {
  constexpr std::size_t kSizeAt = 124, kSizeBytes = 12, kSumAt = 148;
  block[kSizeAt] = first;
  for (std::size_t i = 1; i < kSizeBytes; ++i) {
    const std::size_t shift = 8 * (kSizeBytes - 1 - i);
    block[kSizeAt + i] = shift < 64 ? static_cast<char>(size >> shift) : '\0';
  }
  block.replace(kSumAt, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  return block.replace(kSumAt, 7, digits, 7);
}

std::string binary_member(const std::string& name, const std::string& data) {
  std::string bytes = with_binary_size(tar::make_header(name, 0), data.size()) + data;
  bytes.resize(tar::padded(bytes.size()), '\0');
  return bytes;
}

std::span<const std::byte, tar::kBlock> block_of(const std::string& bytes) {
  return std::as_bytes(std::span<const char, tar::kBlock>(bytes.data(), tar::kBlock));
}

TEST_CASE("tar header: a size in base 256 is read to its last byte", "[unit][formats]") {
  const std::string header = tar::make_header("a.jpg", 0);
  for (const std::uint64_t size : {0ull, 1ull, 255ull, 700ull, 1ull << 33, (1ull << 33) + 1,
                                   0x01'23'45'67'89'AB'CDull, 0xFF'FF'FF'FF'FF'FF'FFull}) {
    INFO(size);
    const std::string block = with_binary_size(header, size);
    const auto parsed = tar::parse_header(block_of(block));
    REQUIRE(parsed);
    CHECK(parsed->size == size);
    CHECK(parsed->name == "a.jpg");
    CHECK(tar::header_fits(block_of(block), size));
    CHECK_FALSE(tar::header_fits(block_of(block), size + 1));
  }
  // Octal says the same up to 8 GiB.
  CHECK(tar::parse_header(block_of(tar::make_header("a.jpg", (1ull << 33) - 1)))->size ==
        (1ull << 33) - 1);
  // No file is that long, and none has a negative size.
  CHECK_FALSE(tar::parse_header(block_of(with_binary_size(header, 1ull << 56))));
  CHECK_FALSE(tar::parse_header(block_of(with_binary_size(header, ~0ull, '\xff'))));
}

TEST_CASE("tar: a shard whose sizes are in base 256 holds the same samples", "[unit][formats]") {
  const TestFolder folder;
  const std::vector<std::string> data{"one", std::string(700, '2'), "", std::string(512, '4')};
  std::string octal, binary;
  for (std::size_t i = 0; i < data.size(); ++i)
    for (const auto& [name, bytes] :
         {std::pair{".jpg", data[i]}, std::pair{".cls", std::to_string(i + 3)}}) {
      octal += member(std::to_string(i) + name, bytes);
      binary += binary_member(std::to_string(i) + name, bytes);
    }
  REQUIRE(octal.size() == binary.size());
  for (const std::string& shard : {octal, binary}) {
    const auto archive = open_archive("tar", folder.put("x.tar", shard + kEnd));
    CHECK(listing_of(*archive) == "0.jpg:3 1.jpg:4 2.jpg:5 3.jpg:6");
    for (SampleId id = 0; id < data.size(); ++id) CHECK(payload_of(*archive, id) == data[id]);
  }
}

TEST_CASE("tar: samples behind a member of more than 8 GiB are found", "[unit][formats]") {
  const TestFolder folder;
  const std::uint64_t large = (8ull << 30) + 513;
  const std::string path =
      folder.put("x.tar", member("a.jpg", "first") + member("a.cls", "1") +
                              with_binary_size(tar::make_header("large.bin", 0), large));
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out | std::ios::ate);
    // A hole: it takes no room on the disk.
    file.seekp(static_cast<std::streamoff>(tar::padded(large)), std::ios::cur);
    file << member("b.jpg", "second") + member("b.cls", "2") + kEnd;
    if (!file.flush())
      BENCHBENCH_SKIP("the temporary folder takes no files of 8 GiB, not even hollow ones");
  }
  const auto archive = open_archive("tar", path);
  REQUIRE(listing_of(*archive) == "a.jpg:1 b.jpg:2");
  CHECK(payload_of(*archive, 1) == "second");
}

TEST_CASE("tar: what the system's tar makes is read, what we write it reads", "[unit][formats]") {
  const TestFolder folder;
  if (std::system("tar --version > /dev/null 2>&1") != 0)
    BENCHBENCH_SKIP("there is no tar program");
  const std::string deep = std::string(90, 'd') + "/" + std::string(60, 'e');
  folder.put("t/" + deep + "/1.jpg", "one");
  folder.put("t/" + deep + "/1.cls", "5");
  for (const char* kind : {"gnu", "posix", "ustar"}) {
    INFO(kind);
    const std::string path = folder.at(std::string(kind) + ".tar");
    const std::string command = "tar --format=" + std::string(kind) + " --sort=name -C " +
                                folder.at("t") + " -cf " + path + " .";
    REQUIRE(std::system(command.c_str()) == 0);
    CHECK(listing_of(*open_archive("tar", path)) == deep + "/1.jpg:5");
  }
  const auto writer = create_archive("tar", folder.at("ours.tar"));
  writer->add(deep + "/1.jpg", 5, std::as_bytes(std::span("one", 3)));
  writer->finish();
  std::filesystem::create_directories(folder.at("out"));
  REQUIRE(std::system(("tar -C " + folder.at("out") + " -xf " + folder.at("ours.tar")).c_str()) ==
          0);
  CHECK(bytes_of(folder.at("out/" + deep + "/1.jpg")) == "one");
  CHECK(bytes_of(folder.at("out/" + deep + "/1.cls")) == "5");
}

TEST_CASE("tar: damage anywhere is an error or other samples, never a crash or a read outside",
          "[unit][formats]") {
  const TestFolder folder;
  Random random(5);
  const std::string whole = member("a/1.jpg", std::string(700, 'x')) + member("a/1.cls", "1") +
                            member(std::string(150, 'n') + ".jpg", "yy") +
                            member(std::string(150, 'n') + ".cls", "2") + kEnd;
  const auto runtime = make_real_runtime();
  NullMeter meter;
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    }
    const std::string path = folder.put("x.tar", bytes);
    refused += !error_of([&] {
                  const auto archive = open_archive("tar", path);
                  const auto reader = archive->reader(*runtime);
                  for (SampleId id = 0; id < archive->layout().samples; ++id)
                    reader->read(id, 0, meter);
                }).empty();
  }
  CHECK(refused > 50);
}

TEST_CASE("tar: the same samples are the same bytes", "[unit][formats]") {
  const TestFolder folder;
  for (const char* name : {"one.tar", "two.tar"}) {
    const auto writer = create_archive("tar", folder.at(name));
    for (int i = 0; i < 5; ++i)
      writer->add("c/" + std::to_string(i) + ".jpg", i, std::as_bytes(std::span("payload", 7)));
    writer->finish();
  }
  CHECK(bytes_of(folder.at("one.tar")) == bytes_of(folder.at("two.tar")));
}

}  // namespace
}  // namespace benchbench::test::tar_format
