// What the kernel says of a file's pages, asked here: a test of the page cache must not ask the
// code it tests.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/unit/dataset/places.h"

namespace benchbench::test {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const noexcept { return number_; }

 private:
  int number_;
};

// Of the file's first `bytes`; -1 where the kernel does not say.
inline long resident_pages(const std::string& path, std::size_t bytes) {
  const OpenFile file(path);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return -1;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> said((bytes + page - 1) / page);
  const int refused = ::mincore(mapped, bytes, said.data());
  ::munmap(mapped, bytes);
  if (refused) return -1;
  return std::count_if(said.begin(), said.end(), [](unsigned char one) { return one & 1; });
}

inline void drop_from_cache(const std::string& path) {
  const OpenFile file(path);
  ::fdatasync(file.get());
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
}

// Why nothing can be said of the page cache of files in `folder`, whatever program asks; empty
// where it can: the file system is a local disk's, a file dropped there is gone, and read it is
// there.
inline std::string nothing_to_prove(const std::string& folder) {
  constexpr std::array<std::uint32_t, 9> kElsewhere = {0x6969,     0x517b,     0xff534d42,
                                                       0xfe534d42, 0x65735546, 0x01021997,
                                                       0x01021994, 0x2fc12fc1, 0x858458f6};
  struct statfs system{};
  if (::statfs(folder.c_str(), &system) != 0) return "its file system cannot be asked";
  if (std::count(kElsewhere.begin(), kElsewhere.end(), static_cast<std::uint32_t>(system.f_type)) >
      0)
    return "its file system keeps pages elsewhere or nowhere else";
  const std::string path = folder + "/probe";
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  write_text(path, std::string(16 * page, 'p'));
  drop_from_cache(path);
  const long gone = resident_pages(path, 16 * page);
  const std::string bytes = read_text(path);
  const long there = resident_pages(path, 16 * page);
  std::filesystem::remove(path);
  if (gone == 0 && there == 16 && bytes.size() == 16 * page) return {};
  return "of 16 pages dropped " + std::to_string(gone) + " stay, and of 16 read " +
         std::to_string(there) + " are there";
}

}  // namespace benchbench::test
