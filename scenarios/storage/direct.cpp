// O_DIRECT: from the device into our memory, past the page cache. Offsets, lengths and memory are
// rounded to what the file system wants.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "scenarios/storage/engine.h"

namespace benchbench {
namespace {

// Good for every device with sectors up to a page; Buffer gives memory that starts at one.
constexpr std::uint64_t kAlignment = BufferPool::kPage;

class DirectEngine final : public ReadEngine {
 public:
  DirectEngine(const SampleExtents& extents, Runtime& runtime)
      : files_(extents, O_DIRECT), pool_(runtime) {}

  ReadBytes read(const Extent& extent) override {
    ReadFile own;
    const ReadFile& file = files_.open(extent.file, own);
    const std::string_view path = files_.path(extent.file);
    const std::size_t length = length_there(extent, file, path);
    const std::uint64_t begin = extent.offset / kAlignment * kAlignment;
    const auto before = static_cast<std::size_t>(extent.offset - begin);
    const std::size_t room = (before + length + kAlignment - 1) / kAlignment * kAlignment;
    ReadBytes got{.buffer = pool_.take(room)};
    const std::size_t there = read_aligned(file, begin, {got.buffer.data(), room}, path);
    got.bytes = {got.buffer.data() + before, std::min(length, there - std::min(there, before))};
    return got;
  }

 private:
  static std::size_t read_aligned(const ReadFile& file, std::uint64_t offset,
                                  std::span<std::byte> into, std::string_view path) {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t n = ::pread(file.descriptor(), into.data() + done, into.size() - done,
                                static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) refuse_read(path, "read (O_DIRECT)", errno);
      done += static_cast<std::size_t>(n);
      // Only where the file ends does a read end between two blocks.
      if (n == 0 || done % kAlignment != 0) break;
    }
    return done;
  }

  OpenFiles files_;
  BufferPool pool_;
};

[[noreturn]] void refuse_direct(std::string_view path, std::string_view why) {
  throw DeviceError(
      fmt::format("loader.io: direct is not available for '{}': {}", path, why),
      "use a file system on a block device (ext4, xfs); loader.io: pread always works");
}

bool lies_in_memory(int file) {
  struct statfs system{};
  return ::fstatfs(file, &system) == 0 &&
         (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

}  // namespace

void require_direct(const SampleExtents& extents) {
  if (extents.files() == 0) return;
  const std::string_view path = extents.path(0);
  const Descriptor file(::openat(extents.folder(), path.data(), ReadFile::open_flags() | O_DIRECT));
  if (!file && errno == EINVAL) refuse_direct(path, "its file system does not support O_DIRECT");
  if (!file) return;  // a bad sample among others, which its read will tell
  if (lies_in_memory(file.get())) refuse_direct(path, "tmpfs has no device below the page cache");
  alignas(kAlignment) static thread_local std::byte block[kAlignment];
  if (::pread(file.get(), block, sizeof block, 0) < 0 && errno == EINVAL)
    refuse_direct(path, "its file system rejects the read");
}

std::unique_ptr<ReadEngine> make_direct_engine(const SampleExtents& extents, Runtime& runtime) {
  return std::make_unique<DirectEngine>(extents, runtime);
}

}  // namespace benchbench
