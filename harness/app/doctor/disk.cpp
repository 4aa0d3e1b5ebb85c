#include "harness/app/doctor/disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "harness/app/doctor/path_speed.h"
#include "harness/core/descriptor.h"
#include "harness/core/random.h"

namespace benchbench {
namespace {

constexpr std::uint64_t kMax = 256ull << 20;
constexpr std::uint64_t kMin = 16ull << 20;
constexpr std::size_t kChunk = 4 << 20;
constexpr double kPatience = 1.0;  // seconds for each of write, cold and warm read

// Has no name from the start, so that it is gone whatever happens.
class NamelessFile {
 public:
  explicit NamelessFile(const std::string& folder)
      : descriptor_(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {
    if (descriptor_) return;  // some file systems (overlays of old kernels, NFS) know no O_TMPFILE
    std::string name = folder + "/doctor-XXXXXX";
    descriptor_ = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (descriptor_) ::unlink(name.c_str());
  }
  int descriptor() const noexcept { return descriptor_.get(); }

 private:
  Descriptor descriptor_;
};

std::uint64_t room(const std::string& folder) {
  struct statvfs found{};
  if (::statvfs(folder.c_str(), &found) != 0) return 0;
  const std::uint64_t quarter = static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize / 4;
  return std::min(kMax, quarter) / kChunk * kChunk;
}

// What no file system can store in fewer bytes.
std::vector<std::uint64_t> random_chunk() {
  std::vector<std::uint64_t> chunk(kChunk / 8);
  Random random(1);
  for (std::uint64_t& word : chunk) word = random.next();
  return chunk;
}

bool write_file(int file, std::uint64_t max, const Runtime& runtime, DiskSpeed& out) {
  std::vector<std::uint64_t> chunk = random_chunk();
  const TimePoint start = runtime.now();
  while (out.bytes < max && (out.bytes < kMin || seconds_since(runtime, start) < kPatience)) {
    chunk[0] = out.bytes;  // no two chunks alike, for those that share equal blocks
    if (::write(file, chunk.data(), kChunk) != static_cast<ssize_t>(kChunk)) return false;
    out.bytes += kChunk;
  }
  if (::fdatasync(file) != 0) return false;
  out.write = static_cast<double>(out.bytes) / seconds_since(runtime, start);
  return true;
}

// Bytes per second over at most kPatience; 0 where a read failed.
double read_rate(int file, std::uint64_t bytes, const Runtime& runtime) {
  std::vector<std::byte> chunk(kChunk, std::byte{1});
  const TimePoint start = runtime.now();
  std::uint64_t done = 0;
  while (done < bytes && seconds_since(runtime, start) < kPatience) {
    if (::pread(file, chunk.data(), kChunk, static_cast<off_t>(done)) !=
        static_cast<ssize_t>(kChunk))
      return 0;
    done += kChunk;
  }
  return static_cast<double>(done) / seconds_since(runtime, start);
}

// By mincore()'s words on each page.
double share_held(const std::vector<unsigned char>& pages) {
  const auto held = std::ranges::count_if(pages, [](unsigned char p) { return p & 1; });
  return static_cast<double>(held) / static_cast<double>(pages.size());
}

// Share of the file's pages in memory; 1 where it cannot be told.
double resident(int file, std::uint64_t bytes) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return 1;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  const bool told = ::mincore(mapped, bytes, pages.data()) == 0;
  ::munmap(mapped, bytes);
  return told ? share_held(pages) : 1;
}

void read_file(int file, const Runtime& runtime, DiskSpeed& out) {
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  out.resident_share = resident(file, out.bytes);
  if (out.resident_share <= 0.01)
    out.read_cold = read_rate(file, out.bytes, runtime);
  else
    out.problem = fmt::format(
        "{:.0f} % of the file stayed in memory after eviction: "
        "cold reads cannot be measured on this file system",
        100 * out.resident_share);
  read_rate(file, out.bytes, runtime);  // whatever the cold read left out
  out.read_warm = read_rate(file, out.bytes, runtime);
}

}  // namespace

DiskSpeed measure_disk(const std::string& folder, const Runtime& runtime) {
  DiskSpeed out;
  const NamelessFile file(folder);
  const std::uint64_t max = room(folder);
  if (file.descriptor() < 0)
    out.problem = fmt::format("cannot create a file in '{}': {}", folder, std::strerror(errno));
  else if (max < kMin)
    out.problem = "too little free space for the test";
  else if (!write_file(file.descriptor(), max, runtime, out))
    out.problem = fmt::format("cannot write: {}", std::strerror(errno));
  else
    read_file(file.descriptor(), runtime, out);
  return out;
}

}  // namespace benchbench
