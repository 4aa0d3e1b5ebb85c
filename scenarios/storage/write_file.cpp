#include "scenarios/storage/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "harness/core/error.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view path, std::string_view doing, const char* words) {
  throw ScenarioError(fmt::format("cannot {} '{}': {}", doing, path, words),
                      "datasets are made in the cache folder; BENCHBENCH_CACHE selects another");
}
[[noreturn]] void refuse(std::string_view path, std::string_view doing, int error) {
  refuse(path, doing, std::strerror(error));
}

}  // namespace

WriteFile WriteFile::create(const std::string& path) {
  WriteFile file;
  file.descriptor_ =
      Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.descriptor_) refuse(path, "create", errno);
  file.path_ = path;
  return file;
}

void WriteFile::write(ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse(path_, "write", errno);
    size_ += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void WriteFile::write_zeros(std::uint64_t count) {
  static constexpr std::array<std::byte, 4096> zeros{};
  for (; count > 0; count -= std::min<std::uint64_t>(count, zeros.size())) {
    write(std::span(zeros).first(std::min<std::uint64_t>(count, zeros.size())));
  }
}

void WriteFile::write_at(std::uint64_t offset, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done =
        ::pwrite(descriptor_.get(), text.data(), text.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse(path_, "write", errno);
    offset += static_cast<std::uint64_t>(done);
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

void WriteFile::close(bool sync) {
  if (sync && ::fdatasync(descriptor_.get()) != 0) refuse(path_, "write", errno);
  if (::close(descriptor_.release()) != 0) refuse(path_, "write", errno);
}

PendingPlace::PendingPlace(std::string_view path) : path_(path), partial_(path_ + ".partial") {
  std::error_code failed;
  if (fs::exists(fs::symlink_status(path_, failed))) {
    throw ScenarioError(fmt::format("'{}' already exists; a dataset is never overwritten", path_));
  }
  fs::remove_all(partial_, failed);
  if (failed) refuse(partial_, "remove", failed.message().c_str());
  const fs::path parent = fs::path(path_).parent_path();
  if (!parent.empty()) make_data_folders(parent);
}

PendingPlace::~PendingPlace() {
  std::error_code ignored;
  if (!placed_) fs::remove_all(partial_, ignored);
}

void PendingPlace::place() {
  if (::rename(partial_.c_str(), path_.c_str()) != 0) refuse(path_, "move into place", errno);
  placed_ = true;
}

void PendingPlace::refuse_empty() const {
  throw ScenarioError(fmt::format("no samples for '{}'", path_));
}

void make_data_folders(const std::string& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) refuse(path, "create the folder", failed.message().c_str());
}

void sync_file_system(const std::string& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) refuse(folder, "open", errno);
  if (::syncfs(opened.get()) != 0) refuse(folder, "write", errno);
}

}  // namespace benchbench
