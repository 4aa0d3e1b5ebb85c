#include "harness/dataset/page_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "harness/core/descriptor.h"
#include "harness/core/kernel_files.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// Files looked at where a sample of the set will do, and pages of them where looking disturbs.
constexpr std::size_t kSampledFiles = 512;
constexpr std::uint64_t kDisturbedPages = 512;
constexpr std::uint64_t kSampledPages = std::uint64_t{1} << 20;  // 4 GiB of them, 10 ms
constexpr std::size_t kAliveEvery = 64;                          // files

class DataFile {
 public:
  explicit DataFile(const std::string& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat about{};
    if (file_ && ::fstat(file_.get(), &about) == 0)
      bytes_ = static_cast<std::uint64_t>(about.st_size);
  }
  explicit operator bool() const noexcept { return bool(file_); }
  int get() const noexcept { return file_.get(); }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  Descriptor file_;
  std::uint64_t bytes_ = 0;
};

// Links may lead to a folder a second time, and round in circles.
class EachFolderOnce {
 public:
  explicit EachFolderOnce(const std::string& top) { enters(top); }
  bool enters(const fs::path& folder) {
    struct stat found{};
    return ::stat(folder.c_str(), &found) == 0 &&
           been_.emplace(found.st_dev, found.st_ino).second && !is_of_kernel(folder.string());
  }

 private:
  std::set<std::pair<dev_t, ino_t>> been_;
};

// Returns the file itself, or all below a folder.
std::vector<std::string> files_at(const std::string& path) {
  constexpr auto kOptions = fs::directory_options::follow_directory_symlink |
                            fs::directory_options::skip_permission_denied;
  std::error_code failed;
  if (fs::is_regular_file(path, failed)) return {path};
  std::vector<std::string> files;
  EachFolderOnce once(path);
  for (fs::recursive_directory_iterator at(path, kOptions, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code unknown;
    if (at->is_regular_file(unknown)) files.push_back(at->path().string());
    if (at->is_directory(unknown) && !once.enters(at->path())) at.disable_recursion_pending();
  }
  return files;
}

// Reads up to `max` bytes and throws them away.
void read_through(const DataFile& file, std::uint64_t max, const CacheControl::Alive& alive) {
  std::vector<char> buffer(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < max;) {
    const ssize_t n =
        ::pread(file.get(), buffer.data(), std::min<std::uint64_t>(buffer.size(), max - at),
                static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += static_cast<std::uint64_t>(n);
    if (alive) alive();
  }
}

constexpr const char* kSmb = "SMB: the server's cache can be neither queried nor evicted from here";

struct FileSystem {
  std::uint32_t type;
  const char* why;
};
// From linux/magic.h and the file systems' own sources.
constexpr FileSystem kUnprovable[] = {
    {0x6969, "NFS: the server's cache can be neither queried nor evicted from here"},
    {0x517b, kSmb},
    {0xff534d42, kSmb},
    {0xfe534d42, kSmb},
    {0x65735546, "FUSE: the cache of the process behind it can be neither queried nor evicted"},
    {0x2fc12fc1, "ZFS: its own cache, the ARC, can be neither queried nor evicted file by file"},
    {0x01021997, "9P: the host's cache can be neither queried nor evicted from here"},
    {0x0bd00bd0, "Lustre: its servers' caches can be neither queried nor evicted from here"},
    {0x00c36400, "Ceph: its servers' caches can be neither queried nor evicted from here"},
    {0x47504653, "GPFS: its own cache can be neither queried nor evicted file by file"},
    {0x01021994, "tmpfs: it exists only in memory"},
    {0x858458f6, "ramfs: it exists only in memory"},
};

}  // namespace

std::string unprovable_file_system(long type) {
  for (const FileSystem& system : kUnprovable)
    if (system.type == static_cast<std::uint32_t>(type)) return system.why;
  return {};
}

std::string PageCache::why_not() {
  look();
  return why_not_;
}

std::string PageCache::method() {
  look();
  return method_ ? std::string(method_->name) : std::string();
}

std::uint64_t PageCache::bytes() {
  look();
  return bytes_;
}

void PageCache::look() {
  if (looked_) return;
  looked_ = true;
  struct statfs system{};
  if (::statfs(path_.c_str(), &system) != 0) {
    why_not_ = fmt::format("{}: {}", path_, std::strerror(errno));
    return;
  }
  list_files();
  why_not_ = unprovable_file_system(static_cast<long>(system.f_type));
  if (why_not_.empty()) find_method();
}

// Tries the first few that have a page: another process may have mapped one of them.
void PageCache::find_method() {
  int tried = 0;
  for (const std::string& file : files_) {
    if (tried == 3) break;
    const DataFile open(file);
    if (!open || open.bytes() == 0) continue;
    ++tried;
    for (const ResidencyMethod& method : residency_methods())
      if (tells_the_truth(method, file)) {
        method_ = &method;
        return;
      }
  }
  why_not_ = tried == 0 ? fmt::format("{}: no non-empty file can be opened", path_)
                        : std::string(
                              "no method reported a file's residency correctly when it was read, "
                              "evicted and read again");
}

void PageCache::list_files() {
  files_ = files_at(path_);
  std::ranges::sort(files_);
  for (const std::string& file : files_)
    if (struct stat about{}; ::stat(file.c_str(), &about) == 0)
      bytes_ += static_cast<std::uint64_t>(about.st_size);
}

// Of up to 1 MiB of it: dropped it must be gone, read it must be there, dropped again it must be
// gone. What was there before is read back. Asking preadv2 of a missing page starts to read it: it
// is asked for few.
bool PageCache::tells_the_truth(const ResidencyMethod& method, const std::string& path) const {
  const DataFile file(path);
  const std::uint64_t bytes = std::min<std::uint64_t>(file.bytes(), std::uint64_t{1} << 20);
  const auto share = [&]() -> std::optional<double> {
    const auto count = method.ask(file.get(), bytes, 4);
    return count ? std::optional(count->share()) : std::nullopt;
  };
  const auto drops = [&] {
    drop_pages(file.get(), bytes);
    return share().value_or(1) <= 0.05;
  };
  const double before = share().value_or(0);
  const bool dropped = drops();
  read_through(file, bytes, {});
  const double read = share().value_or(0);
  const bool again = drops();
  if (before > 0.5) read_through(file, bytes, {});
  return dropped && read >= 0.95 && again;
}

// Returns how many pages to look at, of how many of the files.
PageCache::Sampling PageCache::sampling_for(bool exact) const noexcept {
  const bool all = exact && !method_->disturbs;
  const std::size_t stride = all ? 1 : std::max<std::size_t>(1, files_.size() / kSampledFiles);
  const std::uint64_t files = std::max<std::size_t>(1, files_.size() / stride);
  if (all) return {stride, ~std::uint64_t{0} / 4096};
  return {stride, method_->disturbs ? std::max<std::uint64_t>(1, kDisturbedPages / files)
                                    : kSampledPages / files};
}

double PageCache::resident(bool exact, const Alive& alive) {
  look();
  if (!method_) return 0;
  const auto [stride, max] = sampling_for(exact);
  PageCount count;
  for (std::size_t i = 0; i < files_.size(); i += stride) {
    if (alive && i / stride % kAliveEvery == 0) alive();
    const DataFile file(files_[i]);
    if (!file && (errno == ENOENT || errno == EACCES)) continue;
    const auto its = file ? method_->ask(file.get(), file.bytes(), max) : std::nullopt;
    if (!its) {
      why_not_ = fmt::format("cannot determine how much of {} is in memory ({}: {})", files_[i],
                             method_->name, std::strerror(errno));
      return 0;
    }
    count += *its;
  }
  return count.share();
}

void PageCache::evict(const Alive& alive) {
  look();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (alive && i % kAliveEvery == 0) alive();
    if (const DataFile file(files_[i]); file) drop_pages(file.get());
  }
}

void PageCache::warm(const Alive& alive) {
  look();
  for (const std::string& path : files_)
    if (const DataFile file(path); file) read_through(file, file.bytes(), alive);
}

}  // namespace benchbench
