#include "harness/store/durable_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "harness/core/error.h"

namespace benchbench {
namespace {

std::string_view hint_for(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space, or choose another folder with --out; everything written before is "
             "intact";
    case EROFS:
      return "the file system is read-only: choose another folder with --out";
    case EACCES:
    case EPERM:
      return "no write permission: choose another folder with --out, or change the folder's "
             "permissions";
    case EFBIG:
      return "the process has reached its file size limit (ulimit -f)";
    case ENOTDIR:
      return "part of the path is a file: choose another folder with --out";
    case ELOOP:
      return "it is a symbolic link, which is not followed here: remove it";
    case EMFILE:
      return "too many open files (ulimit -n)";
    default:
      return {};
  }
}

// A named pipe without a reader is an error, not waited for.
Descriptor opened(const std::string& path, int flags, std::string_view doing) {
  Descriptor file(open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC, 0666));
  if (!file) store_failed(errno, path, doing);
  fcntl(file.get(), F_SETFL, flags & O_APPEND);
  return file;
}

}  // namespace

void store_failed(int number, std::string_view path, std::string_view doing) {
  throw StoreError(fmt::format("{}: cannot {}: {}", path, doing, strerrordesc_np(number)),
                   hint_for(number));
}

DurableFile DurableFile::create(const std::string& path) {
  // Appending here too: after cut() a file's own position would leave a hole of zeros.
  // No link is followed: it may name a file of somebody else.
  return DurableFile(opened(path, O_WRONLY | O_APPEND | O_CREAT | O_TRUNC | O_NOFOLLOW, "create"),
                     path);
}

DurableFile DurableFile::open_append(const std::string& path) {
  return DurableFile(opened(path, O_WRONLY | O_APPEND | O_NOFOLLOW, "open for writing"), path);
}

std::uint64_t DurableFile::size() const {
  struct stat about{};
  if (fstat(file_.get(), &about) != 0) store_failed(errno, path_, "read its size");
  return static_cast<std::uint64_t>(about.st_size);
}

void DurableFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) store_failed(errno, path_, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void DurableFile::sync() {
  // Pipes and devices have nothing to sync.
  if (fdatasync(file_.get()) != 0 && errno != EINVAL && errno != EROFS)
    store_failed(errno, path_, "write to the disk");
}

void DurableFile::begin_sync() noexcept {
  sync_file_range(file_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
}

void DurableFile::cut(std::uint64_t size) {
  if (ftruncate(file_.get(), static_cast<off_t>(size)) != 0) store_failed(errno, path_, "cut");
}

namespace {

void write_under(const std::string& temporary, const std::string& path, std::string_view text) {
  {
    DurableFile file = DurableFile::create(temporary);
    file.write(text);
    file.sync();
  }
  publish(temporary, path);
}

}  // namespace

void write_whole(const std::string& path, std::string_view text) {
  write_under(path + ".tmp", path, text);
}

void write_whole_shared(const std::string& path, std::string_view text) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  try {
    write_under(temporary, path, text);
  } catch (const StoreError&) {
    unlink(temporary.c_str());
    throw;
  }
}

void publish(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) store_failed(errno, to, "put in place");
  sync_folder(std::filesystem::path(to).parent_path().string());
}

void sync_folder(const std::string& path) {
  // Some file systems cannot sync a folder; none of them loses its entries for that.
  fsync(opened(path.empty() ? "." : path, O_RDONLY | O_DIRECTORY, "open").get());
}

void make_folders(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) store_failed(failed.value(), path, "create the folder");
}

}  // namespace benchbench
