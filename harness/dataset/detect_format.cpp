// What lies at a path, by names and first bytes alone: nothing of the formats' own code is here.
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "harness/core/digest.h"
#include "harness/dataset/dataset_need.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr int kMaxLooks = 1000;   // entries of a folder and those below, until one tells

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// A length of eight bytes and its CRC32C, masked as TensorFlow does it.
bool begins_as_tfrecord(std::string_view bytes) {
  if (bytes.size() < 12) return false;
  const std::uint32_t crc = crc32c(bytes.substr(0, 8));
  return number_at<std::uint32_t>(bytes, 8) == ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

// An archive whose first member is an array.
bool begins_as_npz(std::string_view bytes) {
  if (bytes.size() < 30 || !bytes.starts_with("PK\x03\x04"sv)) return false;
  return bytes.substr(30, number_at<std::uint16_t>(bytes, 26)).ends_with(".npy");
}

std::string format_of_bytes(std::string_view bytes) {
  static constexpr std::pair<std::string_view, std::string_view> kFirst[] = {
      {"\x89HDF\r\n\x1a\n"sv, "hdf5"}, {"\x93NUMPY"sv, "npy"}, {"BBRAW001"sv, "raw"},
      {"PAR1"sv, "parquet"},           {"MMIDIDX\0\0"sv, "tokens"}};
  for (const auto& [first, format] : kFirst) {
    if (bytes.starts_with(first)) return std::string(format);
  }
  if (bytes.size() >= 262 && bytes.substr(257, 5) == "ustar") return "tar";
  if (bytes.size() >= 20 && number_at<std::uint32_t>(bytes, 16) == 0xBEEFC0DEu) return "lmdb";
  if (begins_as_npz(bytes)) return "npz";
  return begins_as_tfrecord(bytes) ? "tfrecord" : "";
}

// Where the name is certain enough without a look; an empty file may be called anything.
std::string format_of_name(const fs::path& path) {
  static constexpr std::pair<std::string_view, std::string_view> kExtensions[] = {
      {".tar", "tar"},         {".h5", "hdf5"},       {".hdf5", "hdf5"},           {".tfrecord", "tfrecord"},
      {".tfrec", "tfrecord"},  {".npy", "npy"},       {".tfrecords", "tfrecord"},  {".npz", "npz"},
      {".parquet", "parquet"}, {".mdb", "lmdb"},      {".lmdb", "lmdb"},           {".raw", "raw"}};
  const std::string extension = path.extension().string();
  for (const auto& [known, format] : kExtensions) {
    if (extension == known) return std::string(format);
  }
  return {};
}

std::string format_of_file(const fs::path& path) {
  if (std::string format = format_of_name(path); !format.empty()) return format;
  // A pipe would wait for somebody to write.
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return {};
  std::array<char, 512> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  std::string format = format_of_bytes({head.data(), static_cast<std::size_t>(file.gcount())});
  return format.empty() && path.extension() == ".bin" ? "tokens" : format;
}

bool is_image(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".jpg" || extension == ".jpeg" || extension == ".JPEG" || extension == ".JPG" || extension == ".png";
}

// The first file, by the way the file system lists them, that tells.
std::string format_inside(const fs::path& folder) {
  std::error_code failed;
  const auto options = fs::directory_options::skip_permission_denied;
  int looks = 0;
  for (auto at = fs::recursive_directory_iterator(folder, options, failed);
       !failed && at != fs::end(at) && looks < kMaxLooks; at.increment(failed), ++looks) {
    const fs::path& path = at->path();
    if (path.filename().string().starts_with(".") || !at->is_regular_file(failed)) continue;
    if (is_image(path)) return "image_folder";
    const std::string format = format_of_file(path);
    // Arrays lie in folders of classes; shards lie side by side.
    if (format == "npy" || format == "npz") return format;
    const bool shards = format == "tar" || format == "tfrecord" || format == "parquet" || format == "tokens";
    if (shards && at.depth() == 0) return format;
  }
  return "image_folder";
}

}  // namespace

std::string detect_format(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return format_of_file(path);
  if (fs::is_regular_file(path + "/index.json", error)) return "mds";
  if (fs::exists(path + "/data.mdb", error)) return "lmdb";
  return format_inside(path);
}

std::string format_called(const std::string& word) { return word == "webdataset" ? "tar" : word; }

std::string format_of_extension(const std::string& path) { return format_of_name(path); }

}  // namespace benchbench
