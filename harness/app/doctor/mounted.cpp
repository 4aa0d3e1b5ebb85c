#include "harness/app/doctor/mounted.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "harness/core/contains.h"
#include "harness/core/descriptor.h"
#include "harness/dataset/residency.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNetwork[] = {"nfs",  "nfs4",   "cifs", "smb3", "smbfs",
                                         "ceph", "lustre", "gpfs", "9p",   "beegfs",
                                         "afs",  "ocfs2",  "gfs2"};
constexpr std::string_view kFuseNetwork[] = {
    "sshfs", "s3fs",      "gcsfuse", "goofys",   "rclone", "mountpoint-s3", "juicefs",
    "ceph",  "glusterfs", "cvmfs",   "blobfuse", "hdfs",   "s3backer",      "davfs"};

// "\040" of the table is a space.
std::string unescaped(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool code = word[i] == '\\' && i + 3 < word.size();
    text += code ? static_cast<char>((word[i + 1] - '0') * 64 + (word[i + 2] - '0') * 8 +
                                     (word[i + 3] - '0'))
                 : word[i];
    if (code) i += 3;
  }
  return text;
}

bool lies_below(const std::string& path, const std::string& mount) {
  if (mount == "/") return true;
  return path.starts_with(mount) && (path.size() == mount.size() || path[mount.size()] == '/');
}

constexpr std::size_t kFilesSeen = 20'000, kFilesRead = 512;
constexpr std::uint64_t kPiece = 4 << 20, kAtMost = 16ull << 30;
constexpr int kFirstBytes = 15;

struct File {
  std::string path;
  std::uint64_t bytes;
};

// The largest ones, largest first.
std::vector<File> files_at(const std::string& path) {
  std::vector<File> files;
  std::error_code error;
  const auto add = [&](const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return;
    const std::uint64_t bytes = fs::file_size(file, ignored);
    if (!ignored && bytes > 0) files.push_back({file.string(), bytes});
  };
  add(path);
  for (fs::recursive_directory_iterator at(path, error), end;
       !error && at != end && files.size() < kFilesSeen; at.increment(error))
    add(at->path());
  std::ranges::stable_sort(files, std::greater{}, &File::bytes);
  if (files.size() > kFilesRead) files.resize(kFilesRead);
  return files;
}

struct Piece {
  const File* file;
  std::uint64_t offset;
};

Descriptor open_file(const File& file) {
  return Descriptor(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
}

// The files in pieces, each handed out once.
class Pieces {
 public:
  explicit Pieces(std::vector<File> files) : files_(std::move(files)) {
    std::uint64_t bytes = 0;
    for (const File& file : files_)
      for (std::uint64_t at = 0; at < file.bytes && bytes < kAtMost; at += kPiece, bytes += kPiece)
        pieces_.push_back({&file, at});
  }
  bool empty() const noexcept { return pieces_.empty(); }
  void begin_evicted() {
    for (const File& file : files_)
      if (const Descriptor d = open_file(file)) drop_pages(d.get());
    next_ = 0;
  }
  std::uint64_t read(const Runtime& runtime, TimePoint end) {
    std::vector<std::byte> into(kPiece);
    std::uint64_t done = 0;
    while (runtime.now() < end) {
      const std::size_t i = next_++;
      if (i >= pieces_.size()) break;
      const Descriptor d = open_file(*pieces_[i].file);
      const ssize_t n =
          d ? ::pread(d.get(), into.data(), kPiece, static_cast<off_t>(pieces_[i].offset)) : -1;
      if (n > 0) done += static_cast<std::uint64_t>(n);
    }
    return done;
  }
  // Returns the median time to read one block in the midst of a file, opening it included.
  Nanoseconds first_byte(const Runtime& runtime) const {
    std::vector<Nanoseconds> times;
    for (int i = 0; i < kFirstBytes; ++i) {
      const File& file = files_[static_cast<std::size_t>(i) * files_.size() / kFirstBytes];
      std::byte byte;
      const TimePoint start = runtime.now();
      const Descriptor d = open_file(file);
      if (d && ::pread(d.get(), &byte, 1, static_cast<off_t>(file.bytes / 2)) == 1)
        times.push_back(runtime.now() - start);
    }
    return median_time(std::move(times));
  }

 private:
  const std::vector<File> files_;
  std::vector<Piece> pieces_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

bool is_over_network(std::string_view type) {
  if (!type.starts_with("fuse.")) return contains(kNetwork, type);
  return std::ranges::any_of(kFuseNetwork,
                             [&](std::string_view name) { return type.find(name) != type.npos; });
}

// "36 35 98:0 /root /mount/point options [fields] - type source options": the last line of the
// longest mount point wins.
Mount find_mount(const std::string& path, const std::string& table) {
  std::error_code error;
  const std::string whole = fs::canonical(path, error).string();
  Mount found;
  std::size_t longest = 0;
  std::ifstream in(table);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line.substr(0, line.find(" - ")));
    std::string word, at;
    for (int i = 0; i < 5; ++i) words >> word;
    at = unescaped(word);
    if (error || line.find(" - ") == line.npos || at.size() < longest || !lies_below(whole, at))
      continue;
    std::istringstream behind(line.substr(line.find(" - ") + 3));
    longest = at.size();
    behind >> found.type >> word;
    found.source = unescaped(word);
  }
  found.network = is_over_network(found.type);
  return found;
}

PathSpeed measure_files(const std::string& path, Runtime& runtime) {
  PathSpeed out;
  Pieces pieces(files_at(path));
  if (pieces.empty()) {
    out.problem = fmt::format("no file with bytes in it is at {}", path);
    return out;
  }
  std::atomic<std::uint64_t> bytes{0};
  const ReadUntil read = [&](TimePoint end) {
    const std::uint64_t n = pieces.read(runtime, end);
    bytes += n;
    return n;
  };
  pieces.begin_evicted();
  out.first_byte = pieces.first_byte(runtime);
  pieces.begin_evicted();
  out.one = read_together(runtime, 1, read);
  pieces.begin_evicted();
  out.many = read_together(runtime, kReaders, read);
  out.bytes = bytes;
  if (!(out.many > 0)) out.problem = fmt::format("the files at {} cannot be read", path);
  return out;
}

}  // namespace benchbench
