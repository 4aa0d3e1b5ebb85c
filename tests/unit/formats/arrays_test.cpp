// npy, npz, raw and HDF5 arrays beyond the contract: what others write, and what is refused.
#include <hdf5.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "scenarios/formats/arrays/npy_header.h"
#include "scenarios/formats/arrays/raw_header.h"
#include "scenarios/formats/arrays/zip_member.h"
#include "scenarios/formats/deflate.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::array_formats {
namespace {

constexpr PayloadSpec kSmall{
    .data = DataKind::volume, .dtype = DType::int16, .row = {.extent = {4, 5, 6}, .rank = 3}};

std::vector<std::byte> sample(int id, std::size_t bytes = 240) {
  std::vector<std::byte> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    values[i] = static_cast<std::byte>(static_cast<int>(i * i % 251) + id);
  return values;
}

std::string make(std::string_view format, const std::string& path, int samples = 12) {
  const auto writer = built_in_catalog()
                          .maker(PartKind::sample_format, format)
                          .format.create({path, static_cast<std::uint64_t>(samples), kSmall});
  for (int i = 0; i < samples; ++i)
    writer->add("c" + std::to_string(i % 3) + "/" + std::to_string(i) + ".npy", i % 3, sample(i));
  writer->finish();
  return path;
}

// Opens and reads every sample: the first error's words, "" where all could be read.
std::string problem(std::string_view format, const std::string& path) {
  const auto runtime = make_real_runtime();
  return error_of([&] {
    const auto archive = open_archive(format, path);
    const auto reader = archive->reader(*runtime);
    NullMeter meter;
    for (SampleId id = 0; id < archive->layout().samples; ++id) reader->read(id, 0, meter);
  });
}

bool has(const std::string& text, std::string_view words) {
  INFO(text);
  CHECK(text.find(words) != std::string::npos);
  return true;
}

std::string npy(std::string_view dictionary, std::string_view data, char version = 1) {
  std::string text(dictionary);
  text += '\n';
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  file += static_cast<char>(text.size() & 255);
  file += static_cast<char>(text.size() >> 8);
  if (version > 1) file += std::string(2, '\0');
  return file + text + std::string(data);
}

TEST_CASE("npy: a folder of others, one big array with its labels, version 2, and ours",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string data(240, 'x');
  folder.put("f/b/1.npy",
             npy("{'descr': '<i2', 'fortran_order': False, 'shape': (4, 5, 6), }", data));
  folder.put("f/a/2.npy",
             npy("{\"shape\": (4L, 5L, 6L), 'fortran_order': False, 'descr': '<i2'}", data, 2));
  folder.put("f/a/notes.txt");
  const auto archive = open_archive("npy", folder.at("f"));
  CHECK(listing_of(*archive) == "a/2.npy:0 b/1.npy:1");
  CHECK(archive->payload() == kSmall);
  CHECK(archive->remark() == "passed over 1 file that is not a .npy: 1 .txt");
  CHECK(problem("npy", folder.at("f")).empty());
  folder.put("x.npy",
             npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 4, 5, 6), }", data + data));
  folder.put("x.labels.npy",
             npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "\x05\x01"));
  CHECK(listing_of(*open_archive("npy", folder.at("x.npy"))) == "sample 0:5 sample 1:1");
  const auto ours = open_archive("npy", make("npy", folder.at("y.npy")));
  CHECK(ours->layout().samples == 12);
  CHECK(ours->name_of(4) == "c1/4.npy");
  CHECK(ours->label_of(4) == 1);
  CHECK(problem("npy", folder.at("y.npy")).empty());
  CHECK(ours->remark().empty());
  std::filesystem::remove(folder.at("y.labels.npy"));
  CHECK(open_archive("npy", folder.at("y.npy"))->remark() == kNoLabels);
}

TEST_CASE("npy: what cannot be read is refused in clear words", "[unit][formats]") {
  const TestFolder folder;
  const std::string data(240, 'x');
  const auto opening = [&](std::string_view dictionary) {
    return problem("npy", folder.put("x.npy", npy(dictionary, data)));
  };
  has(opening("{'descr': '|O', 'fortran_order': False, 'shape': (2, 60), }"), "Python objects");
  has(opening("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 60), }"), "big-endian");
  has(opening("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 60), }"), "Fortran");
  has(opening("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 15), }"), "'<f8'");
  has(opening("{'descr': [('a', '<i2')], 'fortran_order': False, 'shape': (2, 60), }"),
      "several fields");
  has(opening("{'descr': '<i2', 'fortran_order': False, 'shape': (0, 60), }"), "no samples");
  has(opening("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 0), }"), "at least 1");
  has(opening("{'descr': '<i2', 'fortran_order': False, 'shape': (2, -60), }"), "invalid number");
  has(opening("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 61), }"), "truncated");
  has(opening("{'descr': '<i2', 'fortran_order': False, 'shape': (4611686018427387904, 4, 2), }"),
      "not plausible");
  has(opening("{'descr': '<i2', 'shape': (2, 60), }"), "lacks descr");
  has(opening("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 60), 'x': 1}"), "'x'");
  has(opening("__import__('os').system('true')"), "header is malformed");
  has(problem("npy", folder.put("v9.npy", npy("{}", data, 9))), "version 9");
  has(problem("npy", folder.put("cut.npy", std::string("\x93NUMPY\x01\0\xf0\0{'descr'", 18))),
      "its header is truncated");
  folder.put("g/a/1.npy",
             npy("{'descr': '<i2', 'fortran_order': False, 'shape': (4, 30), }", data));
  folder.put("g/a/2.npy",
             npy("{'descr': '<i2', 'fortran_order': False, 'shape': (5, 24), }", data));
  has(problem("npy", folder.at("g")),
      "'a/2.npy': int16 [5, 24] although the first sample is int16 [4, 30]");
  ::mkfifo(folder.at("pipe.npy").c_str(), 0600);
  has(problem("npy", folder.at("pipe.npy")), "not a regular file");
}

TEST_CASE(
    "npz: ours is as numpy.savez writes it, npz_deflated as savez_compressed; each reads both",
    "[unit][formats]") {
  const TestFolder folder;
  const auto first = sample(0);
  const std::string_view elements(reinterpret_cast<const char*>(first.data()), first.size());
  const std::string stored = bytes_of(make("npz", folder.at("s")) + "/c0/0.npy.npz");
  CHECK(stored.find(elements) != std::string::npos);
  const std::string deflated = bytes_of(make("npz_deflated", folder.at("d")) + "/c0/0.npy.npz");
  CHECK(deflated.find(elements) == std::string::npos);
  CHECK(problem("npz", folder.at("d")).empty());
  CHECK(problem("npz_deflated", folder.at("s")).empty());
}

TEST_CASE("npz: stored members are read, damaged ones are told", "[unit][formats]") {
  const TestFolder folder;
  const std::string inside =
      npy("{'descr': '<i2', 'fortran_order': False, 'shape': (4, 5, 6), }", std::string(240, 'x'));
  const auto bytes = std::as_bytes(std::span(inside));
  const zip::Frame frame = zip::frame_of(
      {.name = "arr_0.npy", .stored = bytes, .size = bytes.size(), .crc = crc32(bytes)});
  folder.put("s/a/1.npz", frame.head + inside + frame.tail);
  CHECK(open_archive("npz", folder.at("s"))->payload() == kSmall);
  CHECK(problem("npz", folder.at("s")).empty());
  const zip::Frame lie =
      zip::frame_of({.name = "arr_0.npy", .stored = bytes, .size = bytes.size(), .crc = 7});
  folder.put("t/a/1.npz", lie.head + inside + lie.tail);
  has(problem("npz", folder.at("t")), "wrong checksum");
  const zip::Frame none =
      zip::frame_of({.name = "readme", .stored = bytes, .size = bytes.size(), .crc = crc32(bytes)});
  folder.put("u/a/1.npz", none.head + inside + none.tail);
  has(problem("npz", folder.at("u")), "no .npy in it");
}

// An archive of these members, each with the bytes of an .npy file.
std::string npz(const std::vector<std::pair<std::string, std::string>>& members, bool deflated) {
  std::string bytes, directory;
  const auto put = [](std::string& to, std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) to += static_cast<char>(value >> (8 * i));
  };
  for (const auto& [name, content] : members) {
    const auto plain = std::as_bytes(std::span(content));
    const std::vector<std::byte> packed = deflate(Deflated::raw, 6, plain);
    const auto stored = deflated ? std::span<const std::byte>(packed) : plain;
    const std::string file = name + ".npy";
    const zip::Frame frame = zip::frame_of({.name = file,
                                            .stored = stored,
                                            .size = plain.size(),
                                            .crc = crc32(plain),
                                            .deflated = deflated});
    std::string entry = frame.tail.substr(0, 46 + file.size());
    std::string place;
    put(place, bytes.size(), 4);
    entry.replace(42, 4, place);
    directory += entry;
    bytes += frame.head + std::string(reinterpret_cast<const char*>(stored.data()), stored.size());
  }
  const std::uint64_t at = bytes.size();
  bytes += directory + std::string("PK\5\6\0\0\0\0", 8);
  put(bytes, members.size(), 2);
  put(bytes, members.size(), 2);
  put(bytes, directory.size(), 4);
  put(bytes, at, 4);
  return bytes + std::string(2, '\0');
}

std::string array_of(std::string_view type, std::string_view shape, const std::string& data) {
  return npy("{'descr': '" + std::string(type) +
                 "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }",
             data);
}

TEST_CASE("npz: one file of all samples with their labels, stored or deflated", "[unit][formats]") {
  const TestFolder folder;
  const std::string images = array_of("|u1", "(3, 2, 4)", "aaaaaaaabbbbbbbbcccccccc");
  const std::string labels = array_of("<i4", "(3, 1)", std::string("\5\0\0\0\1\0\0\0\7\0\0\0", 12));
  const std::string others = array_of("<f4", "(3,)", std::string(12, '\0'));
  for (const bool deflated : {false, true}) {
    INFO(deflated);
    const std::string path =
        folder.put(deflated ? "d.npz" : "s.npz",
                   npz({{"y_train", labels}, {"x_train", images}, {"weights", others}}, deflated));
    const auto archive = open_archive("npz", path);
    CHECK(listing_of(*archive) == "sample 0:5 sample 1:1 sample 2:7");
    CHECK(archive->payload().row.extent[1] == 4);
    CHECK((archive->extents() == nullptr) == deflated);
    CHECK(archive->remark() ==
          std::string("passed over 1 array: weights") +
              (deflated ? "; its array is deflated: it was inflated when it was opened, and is "
                          "held in memory"
                        : ""));
    for (SampleId id = 0; id < 3; ++id)
      CHECK(payload_of(*archive, id) == std::string(8, static_cast<char>('a' + id)));
  }
}

TEST_CASE("npz: of one file the arrays that the user names are read, and no others",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string two = array_of("|u1", "(2, 3)", "aaabbb"),
                    other = array_of("|u1", "(2, 1)", "xy");
  const std::string path = folder.put("x.npz", npz({{"images", other},
                                                    {"pixels", two},
                                                    {"kind", array_of("|u1", "(2,)", "\4\2")},
                                                    {"label", array_of("|u1", "(2,)", "\1\3")}},
                                                   false));
  const auto named = open_archive("npz", path, named_columns("pixels", "kind"));
  CHECK(listing_of(*named) == "sample 0:4 sample 1:2");
  CHECK(named->payload().row.extent[0] == 3);
  CHECK(open_archive("npz", path)->payload().row.extent[0] == 1);
  has(error_opening("npz", path, named_columns("img")),
      "it has no array img; its arrays: images, pixels, kind, label");
  has(error_opening("npz", path, named_columns("", "pixels")),
      "its array pixels does not hold one whole number for each of 2 samples");
  const std::string several = folder.put("two.npz", npz({{"a", two}, {"b", two}}, false));
  has(error_opening("npz", several),
      "2 arrays could hold the samples; its arrays: a, b | name one: dataset.columns: {image: a}");
  const std::string only = folder.put("one.npz", npz({{"a", two}}, false));
  CHECK(open_archive("npz", only)->remark() == kNoLabels);
  has(error_opening("npz", folder.put("objects.npz",
                                      npz({{"a", array_of("|O", "(2, 3)", "aaabbb")}}, false))),
      "Python objects");
}

TEST_CASE(
    "npz: of one file an array of objects is passed over, and numbers of another name are no "
    "labels",
    "[unit][formats]") {
  const TestFolder folder;
  const std::string objects = array_of("|O", "(2, 3)", "aaabbb"),
                    lengths = array_of("<i2", "(2,)", std::string("\4\0\xFF\xFF", 4)),
                    two = array_of("|u1", "(2, 3)", "aaabbb");
  for (const bool deflated : {false, true}) {
    INFO(deflated);
    const auto archive = open_archive(
        "npz", folder.put(deflated ? "d.npz" : "s.npz",
                          npz({{"data", objects}, {"x_train", two}, {"ids", lengths}}, deflated)));
    CHECK(listing_of(*archive) == "sample 0:0 sample 1:0");
    CHECK(std::string(archive->remark())
              .starts_with(std::string(kNoLabels) + "; passed over 2 arrays: data, ids"));
    has(problem("npz",
                folder.put("none.npz", npz({{"ids", lengths}, {"images", objects}}, deflated))),
        "Python objects");
  }
}

TEST_CASE("npz: a named array of labels that was looked at before is read again",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.put("x.npz", npz({{"data", array_of("|u1", "(2,)", "\4\2")},
                                                    {"x", array_of("|u1", "(2, 3)", "aaabbb")}},
                                                   true));
  CHECK(listing_of(*open_archive("npz", path, named_columns("", "data"))) ==
        "sample 0:4 sample 1:2");
}

TEST_CASE("npz: one file cut at any length is refused, and one of wide numbers is read",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string whole = npz(
      {{"arr_0", array_of("|u1", "(2, 3)", "aaabbb")}, {"arr_1", array_of("|u1", "(2,)", "\4\2")}},
      false);
  CHECK(listing_of(*open_archive("npz", folder.put("x.npz", whole))) == "sample 0:4 sample 1:2");
  for (std::size_t size = 0; size < whole.size(); size += 11) {
    INFO("cut at " << size);
    CHECK_FALSE(problem("npz", folder.put("cut.npz", whole.substr(0, size))).empty());
  }
  const std::size_t end = whole.size() - 22;
  const auto number = [&](std::size_t at, int width) {
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(whole[at + static_cast<std::size_t>(i)])}
               << (8 * i);
    return value;
  };
  const auto put = [](std::string& to, std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) to += static_cast<char>(value >> (8 * i));
  };
  std::string wide = whole.substr(0, end) + std::string("PK\6\6", 4);
  put(wide, 44, 8);
  wide += std::string(12, '\0');  // versions and disks
  put(wide, number(end + 10, 2), 8);
  put(wide, number(end + 10, 2), 8);
  put(wide, number(end + 12, 4), 8);
  put(wide, number(end + 16, 4), 8);
  wide += std::string("PK\6\7\0\0\0\0", 8);
  put(wide, end, 8);
  wide += std::string("\1\0\0\0", 4) + whole.substr(end, 8) + std::string(12, '\xFF') +
          std::string(2, '\0');
  CHECK(listing_of(*open_archive("npz", folder.put("wide.npz", wide))) == "sample 0:4 sample 1:2");
}

TEST_CASE("arrays: a file cut at any length, or with one bit turned, is told or reads as it was",
          "[unit][formats]") {
  const TestFolder folder;
  for (const std::string format :
       {"npy", "npz", "npz_deflated", "raw", "hdf5_contiguous", "hdf5_chunked", "hdf5_gzip"}) {
    INFO(format);
    const std::string extension = format.substr(0, 3);  // npz_deflated: .npz
    const bool in_folder = extension == "npy" || extension == "npz";
    const std::string path = make(format, folder.at(format + "-whole"));
    const std::string whole =
        bytes_of(in_folder ? path + "/c0/0.npy" + (extension == "npz" ? ".npz" : "") : path);
    REQUIRE(whole.size() > 100);
    const auto read = [&](const std::string& bytes) {
      const std::string name = format + "-changed";
      std::filesystem::remove_all(folder.at(name));
      if (!in_folder) return problem(format, folder.put(name, bytes));
      folder.put(name + "/c0/0." + extension, bytes);
      return problem(format, folder.at(name));
    };
    CHECK(read(whole).empty());
    for (const std::size_t percent : {98u, 50u, 10u, 2u})
      CHECK_FALSE(read(whole.substr(0, whole.size() * percent / 100)).empty());
    CHECK_FALSE(read("").empty());
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 157) {
      std::string turned = whole;
      turned[at] = static_cast<char>(turned[at] ^ 1 << at % 8);
      read(turned);  // it must end, within memory it owns, with or without words
    }
  }
}

TEST_CASE("raw: headers that lie are refused", "[unit][formats]") {
  const TestFolder folder;
  const std::string whole = bytes_of(make("raw", folder.at("r.raw")));
  CHECK(problem("raw", folder.at("r.raw")).empty());
  const auto with = [&](std::size_t at, std::uint64_t number, std::size_t width) {
    std::string changed = whole;
    for (std::size_t i = 0; i < width; ++i) changed[at + i] = static_cast<char>(number >> (8 * i));
    std::memset(changed.data() + 104, 0, 16);  // no digest to catch it
    return problem("raw", folder.put("lie.raw", changed));
  };
  CHECK(with(72, 12, 8).empty());
  has(with(8, 9, 4), "kind 9");
  has(with(20, 3, 4), "alignment of 3");
  has(with(24, ~0ull, 8), "a side of");
  has(with(72, 0, 8), "no samples");
  has(with(72, ~0ull / 4096, 8), "do not fit");
  has(with(72, 13, 8), "do not fit");
  has(with(80, 100, 8), "records of 100 bytes");
  has(with(88, ~0ull - 3, 8), "tables are at");
  has(with(96, 16, 8), "16 bytes of tables");
  std::string turned = whole;
  turned[whole.size() - 20] = static_cast<char>(turned[whole.size() - 20] ^ 4);
  has(problem("raw", folder.put("turned.raw", turned)), "wrong digest");
}

// A file as h5py makes it, with chunks of `chunk`.
std::string make_hdf5(const std::string& path, const hsize_t (&chunk)[4], bool shuffle, int level,
                      bool fletcher = false) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t size[] = {12, 4, 5, 6};
  const hid_t space = H5Screate_simple(4, size, nullptr), made = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(made, 4, chunk);
  if (shuffle) H5Pset_shuffle(made);
  if (level) H5Pset_deflate(made, static_cast<unsigned>(level));
  if (fletcher) H5Pset_fletcher32(made);
  const hid_t data =
      H5Dcreate2(file, "/scans", H5T_NATIVE_INT16, space, H5P_DEFAULT, made, H5P_DEFAULT);
  std::vector<std::byte> all;
  for (int i = 0; i < 12; ++i) {
    const auto one = sample(i);
    all.insert(all.end(), one.begin(), one.end());
  }
  H5Dwrite(data, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
  H5Dclose(data);
  H5Pclose(made);
  H5Sclose(space);
  H5Fclose(file);
  return path;
}

void check_samples(SampleReader& reader) {
  NullMeter meter;
  for (SampleId step = 0; step < 12; ++step) {
    const SampleId id = step * 5 % 12;
    const auto want = sample(static_cast<int>(id));
    const StoredSample got = reader.read(id, 0, meter);
    REQUIRE(std::ranges::equal(got.payload, want));
  }
}

TEST_CASE(
    "hdf5 arrays: chunks of any extents and filters give the samples, by us and by the library",
    "[unit][formats]") {
  const TestFolder folder;
  const auto runtime = make_real_runtime();
  const hsize_t chunks[][4] = {{1, 4, 5, 6}, {3, 4, 5, 6},  {5, 4, 5, 6}, {1, 2, 5, 6},
                               {2, 3, 2, 4}, {12, 1, 1, 5}, {1, 4, 5, 4}};
  for (const auto& chunk : chunks) {
    for (const int kind : {0, 1, 2, 3, 4}) {
      INFO("chunk " << chunk[0] << ' ' << chunk[1] << ' ' << chunk[2] << ' ' << chunk[3]
                    << ", kind " << kind);
      std::filesystem::remove(folder.at("x.h5"));
      const auto archive = open_archive(
          "hdf5", make_hdf5(folder.at("x.h5"), chunk, kind & 1, kind & 2 ? 4 : 0, kind == 4));
      CHECK(archive->payload() == kSmall);
      const bool whole = chunk[1] == 4 && chunk[2] == 5 && chunk[3] == 6;
      CHECK((archive->extents() != nullptr) ==
            (kind != 4 && whole && (chunk[0] == 1 || kind == 0)));
      check_samples(*archive->reader(*runtime));
      if (const auto library = archive->library_reader(*runtime)) check_samples(*library);
    }
  }
}

TEST_CASE("hdf5 arrays: a chunk that was never written is that sample's trouble alone",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.at("holes.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t size[] = {12, 4, 5, 6}, chunk[] = {1, 4, 5, 6}, first[] = {5, 0, 0, 0};
  const hid_t space = H5Screate_simple(4, size, nullptr), made = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(made, 4, chunk);
  H5Pset_deflate(made, 4);
  const hid_t data =
      H5Dcreate2(file, "/data", H5T_NATIVE_INT16, space, H5P_DEFAULT, made, H5P_DEFAULT);
  const hid_t one = H5Screate_simple(4, chunk, nullptr);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, chunk, nullptr);
  H5Dwrite(data, H5T_NATIVE_INT16, one, space, H5P_DEFAULT, sample(5).data());
  for (const hid_t id : {one, space}) H5Sclose(id);
  H5Pclose(made);
  H5Dclose(data);
  H5Fclose(file);
  const auto archive = open_archive("hdf5", path);
  CHECK(archive->extents()->extent(3).length == 0);
  const auto runtime = make_real_runtime();
  const auto reader = archive->reader(*runtime);
  NullMeter meter;
  has(error_of([&] { reader->read(3, 0, meter); }), "chunk 3 was never written");
  CHECK(std::ranges::equal(reader->read(5, 0, meter).payload, sample(5)));
}

TEST_CASE("hdf5 arrays: a format refuses the layout of another and names it", "[unit][formats]") {
  const TestFolder folder;
  make("hdf5_contiguous", folder.at("a.h5"));
  has(problem("hdf5_gzip", folder.at("a.h5")), "use dataset.format: hdf5_contiguous");
  CHECK(problem("hdf5", folder.at("a.h5")).empty());
  make("hdf5_gzip", folder.at("b.h5"));
  has(problem("hdf5_chunked", folder.at("b.h5")), "use dataset.format: hdf5_gzip");
}

TEST_CASE("arrays: a sample of another size than its data set's is refused when writing",
          "[unit][formats]") {
  const TestFolder folder;
  for (const char* format :
       {"npy", "npz", "npz_deflated", "raw", "hdf5_contiguous", "hdf5_chunked", "hdf5_gzip"}) {
    INFO(format);
    const auto writer = built_in_catalog()
                            .maker(PartKind::sample_format, format)
                            .format.create({folder.at(format), 2, kSmall});
    has(error_of([&] { writer->add("a/1", 0, sample(0, 100)); }),
        "'a/1' has 100 bytes; samples of int16 [4, 5, 6] have 240");
  }
}

}  // namespace
}  // namespace benchbench::test::array_formats
