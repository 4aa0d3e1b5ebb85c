#include "harness/trial/after/checkpoint_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "harness/core/descriptor.h"
#include "harness/core/files/little_endian.h"
#include "harness/core/random.h"

namespace benchbench {
namespace {

std::string words(int error, const std::string& place) {
  return fmt::format("{}: {}", std::generic_category().message(error), place);
}

// A rename is on the disk only once its folder is.
int sync_folder(const std::string& folder) {
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle) return errno;
  const int error = ::fsync(handle.get()) == 0 ? 0 : errno;
  return error == EINVAL ? 0 : error;  // file systems that keep no such promise
}

}  // namespace

CheckpointFile::CheckpointFile(Order order) : order_(std::move(order)) {
  std::error_code ignored;
  if (order_.below.empty()) order_.below = std::filesystem::temp_directory_path(ignored).string();
  std::string name = order_.below + "/benchbench-checkpoint-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    cause_ = words(errno, order_.below);
    return;
  }
  folder_ = name;
  Random random(order_.bytes);
  piece_.resize(kPiece / sizeof piece_[0]);
  for (std::uint64_t& word : piece_) word = random.next();
}

CheckpointFile::~CheckpointFile() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

int CheckpointFile::fill(const std::string& path) const {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  int error = 0;
  for (std::uint64_t left = order_.bytes; left > 0 && error == 0; left -= std::min(left, kPiece))
    error =
        write_all(file, as_text(std::as_bytes(std::span(piece_)).first(std::min(left, kPiece))));
  if (error == 0 && order_.fsync && ::fsync(file) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  return error;
}

std::optional<std::string> CheckpointFile::write() {
  if (folder_.empty()) return cause_;
  const std::string made = folder_ + "/checkpoint.new", place = folder_ + "/checkpoint";
  int error = fill(made);
  if (error == 0 && std::rename(made.c_str(), place.c_str()) != 0) error = errno;
  if (error == 0 && order_.fsync) error = sync_folder(folder_);
  if (error == 0) return std::nullopt;
  ::unlink(made.c_str());
  return words(error, order_.below);
}

}  // namespace benchbench
