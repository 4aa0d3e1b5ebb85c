// The files of an archive, open for many threads at once.
#pragma once
#include <atomic>
#include <memory>

#include "harness/part/sample_format.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {

// Up to kMaxKept files are opened once, by the first that needs them, and stay open; where there
// are more, each read opens its own, as a user's loader does where every sample is a file. Any
// threads.
class OpenFiles {
 public:
  // Well below the customary limit of 1024 open files.
  static constexpr std::uint32_t kMaxKept = 256;

  // `extents` must outlive it. `more_flags` (O_DIRECT) go with every open.
  explicit OpenFiles(const SampleExtents& extents, int more_flags = 0);
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  // The kept file, or what `own` becomes. PartError where it cannot be opened, or is no regular
  // file.
  const ReadFile& open(std::uint32_t number, ReadFile& own);
  // nullptr where files are not kept, or this one is not open yet.
  const ReadFile* kept(std::uint32_t number) const noexcept;
  bool keeps() const noexcept { return kept_ != nullptr; }
  int flags() const noexcept { return ReadFile::open_flags() | more_flags_; }
  std::string_view path(std::uint32_t number) const noexcept { return extents_.path(number); }
  int folder() const noexcept { return extents_.folder(); }

 private:
  const SampleExtents& extents_;
  int more_flags_;
  std::unique_ptr<std::atomic<const ReadFile*>[]> kept_;
};

}  // namespace benchbench
