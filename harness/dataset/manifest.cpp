#include "harness/dataset/manifest.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"

namespace benchbench {
namespace {

constexpr std::string_view kMagic = "BBMANIF1";
constexpr std::size_t kHead = 24;
constexpr std::size_t kRecord = 32;
constexpr std::size_t kTail = 16;

std::uint64_t get(std::string_view bytes, std::size_t at) {
  return little_endian(bytes.substr(at, 8));
}

Digest digest_at(std::string_view bytes, std::size_t at) {
  return {get(bytes, at), get(bytes, at + 8)};
}
void put_digest(std::string& to, const Digest& digest) {
  put_little_endian(to, digest.high);
  put_little_endian(to, digest.low);
}

[[noreturn]] void refuse(const std::string& path, std::string_view what) {
  throw StoreError(fmt::format("the manifest '{}' is damaged: {}", path, what),
                   fmt::format("remove the folder '{}'; the dataset is then made again",
                               std::filesystem::path(path).parent_path().string()));
}

// Checked before anything is believed: a count that does not fit the file's size would ask for any
// amount of memory.
std::uint64_t checked_count(const std::string& path, std::string_view bytes) {
  if (bytes.size() < kHead + kTail || !bytes.starts_with(kMagic))
    refuse(path, "it has no manifest header");
  const std::uint64_t count = get(bytes, 8);
  if (count > bytes.size() / kRecord || bytes.size() != kHead + count * kRecord + kTail) {
    refuse(path, fmt::format("{} bytes do not match {} samples", bytes.size(), count));
  }
  const std::size_t end = bytes.size() - kTail;
  if (digest_of(bytes.substr(0, end)) != digest_at(bytes, end))
    refuse(path, "its digest does not match");
  return count;
}

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags)
      : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (!descriptor_) fail("open");
  }
  void write(std::string_view text) {
    if (write_all(descriptor_.get(), text) != 0) fail("write");
  }
  void sync() {
    if (::fsync(descriptor_.get()) != 0) fail("sync");
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw StoreError(fmt::format("cannot {} '{}': {}", what, path_, std::strerror(errno)));
  }
  const std::string& path_;
  Descriptor descriptor_;
};

// A disk that fails in the middle throws something that names no file.
std::string bytes_of(std::istream& in, const std::string& path) try {
  return {std::istreambuf_iterator<char>(in), {}};
} catch (const std::ios_base::failure& failed) {
  throw StoreError(fmt::format("{}: cannot be read: {}", path, failed.code().message()),
                   "the disk may be failing; removed, the data set is made again");
}

}  // namespace

void write_synced(const std::string& path, std::string_view text) {
  {
    OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    file.write(text);
    file.sync();
  }
  const std::string folder = std::filesystem::path(path).parent_path().string();
  OpenFile(folder, O_RDONLY | O_DIRECTORY).sync();
}

void write_manifest(const std::string& path, const Manifest& manifest) {
  std::string bytes(kMagic);
  bytes.reserve(kHead + manifest.digests.size() * kRecord + kTail);
  put_little_endian(bytes, manifest.digests.size());
  put_little_endian(bytes, manifest.bytes);
  for (std::size_t i = 0; i < manifest.digests.size(); ++i) {
    put_digest(bytes, manifest.digests[i]);
    put_little_endian(bytes, static_cast<std::uint64_t>(manifest.labels[i]));
    put_little_endian(bytes, manifest.lengths[i]);
  }
  put_digest(bytes, digest_of(std::string_view(bytes)));
  write_synced(path, bytes);
}

std::string manifest_path(const DatasetNeed& need) {
  return is_users_own(need) ? std::string() : dataset_folder(need) + "/manifest";
}

std::optional<Manifest> read_manifest(const DatasetNeed& need) {
  const std::string path = manifest_path(need);
  std::ifstream in(path, std::ios::binary);
  if (path.empty() || !in) return std::nullopt;
  const std::string bytes = bytes_of(in, path);
  const std::uint64_t count = checked_count(path, bytes);
  Manifest manifest;
  manifest.reserve(count);
  for (std::size_t at = kHead; at < kHead + count * kRecord; at += kRecord)
    manifest.add(digest_at(bytes, at), static_cast<std::int64_t>(get(bytes, at + 16)),
                 get(bytes, at + 24));
  manifest.bytes = get(bytes, 16);
  return manifest;
}

}  // namespace benchbench
