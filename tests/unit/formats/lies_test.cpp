// Sizes, places and counts that lie, each where it stands in its format, and data sets of nothing.
#include <catch2/catch.hpp>
#include <cstring>

#include "harness/core/digest.h"
#include "scenarios/formats/arrays/npy_header.h"
#include "scenarios/formats/arrays/zip_member.h"
#include "scenarios/formats/deflate.h"
#include "scenarios/formats/index_file.h"
#include "scenarios/formats/shards/tar_header.h"
#include "scenarios/formats/shards/tfrecord_walk.h"
#include "scenarios/formats/token_index.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::lies {
namespace {

using Catch::Contains;

using namespace std::string_literals;

// What opening and reading all says; "" where it is well.
std::string problem_with(std::string_view format, const std::string& path) {
  return error_of([&] {
    const auto runtime = make_real_runtime();
    NullMeter meter;
    const auto archive = open_archive(format, path);
    const auto reader = archive->reader(*runtime);
    for (SampleId id = 0; id < archive->layout().samples; ++id) reader->read(id, 0, meter);
  });
}

// A tar header with other bytes in the field of its size, and the checksum that goes with them.
std::string tar_header_with(std::string_view name, std::string_view size_field) {
  std::string block = tar::make_header(name, 0);
  std::memcpy(block.data() + 124, size_field.data(), 12);
  std::memset(block.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(block.data() + 148, 7, "%06o", sum);
  block[155] = ' ';
  return block;
}

TEST_CASE("lies: sizes in tar headers", "[unit][formats]") {
  const TestFolder folder;
  const std::string end(1024, '\0'), body(512, 'x');
  const auto with = [&](std::string_view field) {
    REQUIRE(field.size() == 12);
    return problem_with("tar", folder.put("a.tar", tar_header_with("a/1.jpg", field) + body + end));
  };
  CHECK(with("00000001000\0"s).empty());        // 512
  CHECK_FALSE(with("77777777777\0"s).empty());  // 8 GiB
  CHECK_FALSE(with("-0000000001\0"s).empty());
  CHECK_FALSE(with("000000garb!\0"s).empty());
  CHECK_FALSE(with("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s).empty());  // -1 in base 256
  CHECK_FALSE(with("\x80\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00"s).empty());  // 2^63
  CHECK_FALSE(with("\x80\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff"s).empty());  // 2^56 - 1
  // 2^64 - 1: round up and it is 0.
  CHECK_FALSE(with("\x80\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"s).empty());
  CHECK_FALSE(with("\x80\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s).empty());
}

TEST_CASE("lies: sizes in pax records of a tar", "[unit][formats]") {
  const TestFolder folder;
  const std::string end(1024, '\0');
  const auto with = [&](const std::string& size) {
    std::string record = " size=" + size + "\n";
    record = std::to_string(record.size() + 2) + record;
    REQUIRE(record.size() < 100);
    std::string text = tar::make_header("pax", record.size());
    text[156] = 'x';
    // The type is part of the checksum.
    std::string header = tar_header_with("pax", std::string_view(text).substr(124, 12));
    header[156] = 'x';
    unsigned sum = 8 * ' ';
    for (std::size_t i = 0; i < 512; ++i)
      sum += i >= 148 && i < 156 ? 0u : static_cast<unsigned char>(header[i]);
    std::snprintf(header.data() + 148, 7, "%06o", sum);
    header[155] = ' ';
    record.resize(512, '\0');
    return problem_with(
        "tar", folder.put("a.tar", header + record + tar::make_header("a/1.jpg", 3) + "abc" +
                                       std::string(509, '\0') + end));
  };
  CHECK(with("003").empty());
  CHECK(with("").empty());  // leaves the header's
  for (const char* size : {"9223372036854775808", "18446744073709551615", "18446744073709551105",
                           "99999999999999999999", "-1", "3x"}) {
    INFO(size);
    CHECK_FALSE(with(size).empty());
  }
}

std::string npy_with(const std::string& shape, const std::string& elements) {
  std::string text = "{'descr': '<i2', 'fortran_order': False, 'shape': (" + shape + "), }";
  text.append(117 - text.size() % 64, ' ');
  text += '\n';
  return "\x93NUMPY\x01"s + '\0' + static_cast<char>(text.size() & 255) +
         static_cast<char>(text.size() >> 8) + text + elements;
}

TEST_CASE("lies: shapes of .npy, as one file and as one of a folder", "[unit][formats]") {
  const TestFolder folder;
  const std::string elements(48, 'e');
  CHECK(problem_with("npy", folder.put("one.npy", npy_with("2, 3, 4", elements))).empty());
  CHECK(problem_with("npy", folder.at("x")).size() > 0);
  for (const char* shape :
       {"3, 3, 4", "-2, 3, 4", "9223372036854775808, 3, 4", "4611686018427387904, 4, 2",
        "2, 4294967296, 4294967296", "18446744073709551616, 1, 1", "0, 3, 4", "2, 0, 4", "2, 1e3",
        "4294967297, 4294967295, 2", "2,,3", "2 3 4", "1, 1, 1, 1, 1, 1, 1, 1, 1, 24"}) {
    INFO(shape);
    CHECK_FALSE(problem_with("npy", folder.put("one.npy", npy_with(shape, elements))).empty());
    CHECK_FALSE(
        problem_with("npy", std::filesystem::path(
                                folder.put("set/a/1.npy", npy_with(shape, elements + elements)))
                                .parent_path()
                                .parent_path())
            .empty());
  }
}

void put_at(std::string& bytes, std::size_t at, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i)
    bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
}

TEST_CASE("lies: sizes and places in .npz, in 32 bits and in 64", "[unit][formats]") {
  const TestFolder folder;
  const std::string array = npy_with("3, 4", std::string(24, 'e'));
  const auto plain = std::as_bytes(std::span(array));
  const auto packed = deflate(Deflated::raw, 6, plain);
  const zip::Frame frame = zip::frame_of({.name = "data.npy",
                                          .stored = packed,
                                          .size = plain.size(),
                                          .crc = crc32(plain),
                                          .deflated = true});
  const std::string body(reinterpret_cast<const char*>(packed.data()), packed.size());
  const std::string whole = frame.head + body + frame.tail;
  const std::size_t central = frame.head.size() + body.size(), end = whole.size() - 22;
  const auto problem_of = [&](const std::string& bytes) {
    return problem_with(
        "npz", std::filesystem::path(folder.put("set/a/1.npz", bytes)).parent_path().parent_path());
  };
  CHECK(problem_of(whole).empty());
  struct Field {
    std::size_t at;
    int width;
  };
  // Of the directory: stored and full size, lengths of name and extra, place of the member; of the
  // end: entries, place.
  const Field fields[] = {{central + 20, 4}, {central + 24, 4}, {central + 28, 2},
                          {central + 42, 4}, {end + 10, 2},     {end + 16, 4}};
  for (const Field& field : fields) {
    for (const std::uint64_t value : {~0ull, 0x7FFFFFFFull, 0x3FFFFFFFull, 0xFFFFull}) {
      std::string lying = whole;
      put_at(lying, field.at, value, field.width);
      // More entries than there are are only looked for where none fits.
      if (field.at == end + 10) continue;
      INFO("at " << field.at << ": " << value);
      CHECK_FALSE(problem_of(lying).empty());
    }
  }
  // zip64: 0xFFFFFFFF sends to an extra field.
  for (const std::uint64_t value : {~0ull, 1ull << 63, (1ull << 62) + 7, 1ull << 30}) {
    std::string extra("\x01\x00\x08\x00", 4);
    extra.resize(12);
    put_at(extra, 4, value, 8);
    std::string lying = whole;
    put_at(lying, central + 24, 0xFFFFFFFF, 4);
    put_at(lying, central + 30, extra.size(), 2);
    lying.insert(central + 46 + 8, extra);
    CHECK_FALSE(problem_of(lying).empty());
    put_at(lying, central + 24, plain.size(), 4);
    put_at(lying, central + 42, 0xFFFFFFFF, 4);
    CHECK_FALSE(problem_of(lying).empty());
  }
}

TEST_CASE("lies: an index of ours that points outside its shard is not believed",
          "[unit][formats]") {
  for (const std::string format : {"tar", "tfrecord", "mds", "lmdb"}) {
    INFO(format);
    const TestFolder folder;
    const std::string path = folder.at("set"), index = path + "/.benchbench-index";
    const auto writer = create_archive(format, path);
    writer->add("a/1.jpg", 1, std::as_bytes(std::span("0123456789", 10)));
    writer->finish();
    if (!std::filesystem::exists(index)) continue;
    const std::string bytes = bytes_of(index);
    std::string made_of;
    for (std::uint64_t i = 0, size = static_cast<unsigned char>(bytes[24]); i < size; ++i)
      made_of += bytes[32 + i];
    const auto kept = read_index(index, made_of);
    REQUIRE(kept);
    struct Place {
      std::uint64_t offset, length;
    };
    for (const Place& place : {Place{0, 10}, Place{~0ull - 600, 10}, Place{512, ~0ull},
                               Place{512, 1ull << 63}, Place{1 << 20, 10}}) {
      ArchiveIndex lying{.made_of = made_of, .remark = "", .shards = kept->shards, .table = {}};
      lying.table.add("a/1.jpg", 1, place.offset, place.length, 0);
      REQUIRE(write_index(index, lying));
      INFO(place.offset << " + " << place.length);
      const std::string said = problem_with(format, path);
      // Walked, and so read; or, where the place is within the file, found out on reading.
      CHECK((said.empty() || place.offset == 0));
    }
  }
}

TEST_CASE(
    "lies: token indexes that go backwards share tokens and stay inside; "
    "beyond the end they are refused",
    "[unit][formats]") {
  const TestFolder folder;
  folder.put("set/t.bin", std::string(20, 't'));
  const auto with = [&](std::vector<std::uint32_t> lengths, std::vector<std::uint64_t> offsets) {
    folder.put("set/t.idx",
               token_index_bytes({.dtype = DType::uint16, .lengths = lengths, .offsets = offsets}));
    return problem_with("tokens", folder.at("set"));
  };
  CHECK(with({5, 5}, {0, 10}).empty());
  CHECK(with({5, 5}, {10, 0}).empty());
  CHECK_FALSE(with({5, 6}, {0, 10}).empty());
  CHECK_FALSE(with({5, 5}, {0, 1ull << 63}).empty());
  CHECK_FALSE(with({5, 5}, {0, ~0ull - 9}).empty());
  CHECK_FALSE(with({5, 0x80000000u}, {0, 10}).empty());
  CHECK_FALSE(with({5, 0x7FFFFFFFu}, {0, 10}).empty());
  CHECK_FALSE(with({}, {}).empty());
}

TEST_CASE("lies: data sets of nothing are told with their path", "[unit][formats]") {
  const TestFolder folder;
  const auto check = [&](std::string_view format, const std::string& path) {
    const std::string said = problem_with(format, path);
    INFO(format << ": " << said);
    CHECK_THAT(said, Contains("no "));
    CHECK_THAT(said, Contains(path));
  };
  check("tar", folder.put("a.tar", std::string(1024, '\0')));
  check("tfrecord", folder.put("a.tfrecord", ""));
  check("npy", folder.put("a.npy", npy_with("0, 3, 4", "")));
  folder.put("tokens/t.bin", "");
  folder.put("tokens/t.idx",
             token_index_bytes({.dtype = DType::uint16, .lengths = {}, .offsets = {}}));
  check("tokens", folder.at("tokens"));
  std::filesystem::create_directories(folder.at("empty"));
  for (const char* format : {"image_folder", "npy", "npz", "tar", "tfrecord", "lmdb", "tokens"})
    check(format, folder.at("empty"));
  for (const char* format : {"tar", "raw", "npy", "npz", "tfrecord", "mds", "tokens", "lmdb",
                             "hdf5", "hdf5_gzip", "image_folder"}) {
    INFO(format);
    const FormatPart& part = built_in_catalog().maker(PartKind::sample_format, format).format;
    const bool array =
        !built_in_catalog().find(PartKind::sample_format, format)->description->holds.images;
    PayloadSpec payload{DataKind::volume, DType::int16, Shape{{2, 2}, 2}};
    if (!array) payload = {};
    if (std::string_view(format) == "tokens") payload = {DataKind::tokens, DType::uint16, {}};
    const std::string path = folder.at(std::string("made-") + format);
    const auto writer = part.create({path, 0, payload});
    const std::string said = error_of([&] { writer->finish(); });
    if (said.empty()) {  // a tar of nothing is a tar
      CHECK(problem_with(format, path).find("no ") == 0);
      continue;
    }
    CHECK(said.find("no samples for '" + path) == 0);
  }
}

}  // namespace
}  // namespace benchbench::test::lies
