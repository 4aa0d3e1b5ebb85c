// The ways to get stored bytes into memory. One file each: pread.cpp, mmap.cpp, io_uring.cpp,
// direct.cpp.
#pragma once
#include <exception>
#include <memory>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/core/words.h"
#include "scenarios/storage/buffer_pool.h"
#include "scenarios/storage/mapped_file.h"
#include "scenarios/storage/open_files.h"

namespace benchbench {

// What a read brought. `bytes` starts at the extent's offset and is shorter than it where the file
// ends before; at least 64 bytes behind may be read and mean nothing. Holds its memory until it is
// dropped.
struct ReadBytes {
  ByteSpan bytes = {};
  Buffer buffer = {};                         // where they were copied to,
  const MappedFile* mapping = nullptr;        // or whose pages they are;
  std::unique_ptr<MappedFile> own = nullptr;  // set where it is this read's alone
};

// Many reads at once, kept in flight by one thread; only wake() is for others.
class AsyncReads {
 public:
  struct Finished {
    void* token = nullptr;
    ReadBytes got;
    std::exception_ptr failure;
  };
  virtual ~AsyncReads() = default;  // nothing is in flight
  virtual std::uint32_t in_flight() const noexcept = 0;
  // May fail at once: that comes out of wait() too.
  virtual void start(const Extent& extent, void* token) = 0;
  // Returns when at least one has finished, with those that have, or after wake().
  virtual void wait(std::vector<Finished>& finished) = 0;
  virtual void wake() noexcept = 0;
};

// Reads extents of one archive. Any threads.
class ReadEngine {
 public:
  virtual ~ReadEngine() = default;
  // Now, in the calling thread. PartError where the bytes cannot be had at all.
  virtual ReadBytes read(const Extent& extent) = 0;
  // nullptr where it takes a thread for each read in flight.
  virtual std::unique_ptr<AsyncReads> async(std::uint32_t depth) {
    static_cast<void>(depth);
    return nullptr;
  }
  // The page cache is to be emptied of these files: maps none of their pages. Nobody reads.
  virtual void let_go() noexcept {}
};

enum class IoEngine : std::uint8_t { pread, mmap, io_uring, direct };
template <>
inline constexpr auto kWordsOf<IoEngine> =
    std::to_array<std::string_view>({"pread", "mmap", "io_uring", "direct"});

// Whether the kernel lets this process have a ring: 0, or why not (errno).
int probe_io_uring() noexcept;

// DeviceError where the engine cannot work here for these files, with the reason. `uring` is asked
// about io_uring.
void require_engine(IoEngine engine, const SampleExtents& extents,
                    int (*uring)() noexcept = probe_io_uring);
// `extents` and `runtime` must outlive it.
std::unique_ptr<ReadEngine> make_engine(IoEngine engine, const SampleExtents& extents,
                                        Runtime& runtime);

std::unique_ptr<ReadEngine> make_pread_engine(const SampleExtents& extents, Runtime& runtime);
std::unique_ptr<ReadEngine> make_mmap_engine(const SampleExtents& extents);
std::unique_ptr<ReadEngine> make_io_uring_engine(const SampleExtents& extents, Runtime& runtime);
std::unique_ptr<ReadEngine> make_direct_engine(const SampleExtents& extents, Runtime& runtime);
// Throws what require_engine() throws.
void require_direct(const SampleExtents& extents);

// How many bytes of the extent the file has, at most 1 GiB: no memory is asked for because an index
// lies.
std::size_t length_there(const Extent& extent, const ReadFile& file, std::string_view path);

}  // namespace benchbench
