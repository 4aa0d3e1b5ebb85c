// The files of an archive, open for many threads at once.
#pragma once
#include <atomic>
#include <memory>

#include "harness/part/sample_format.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {

// Well below the customary limit of 1024 open files.
inline constexpr std::uint32_t kMaxKeptFiles = 256;

// Up to kMaxKeptFiles files are opened once, by the first that needs them, and stay open; where
// there are more, each read opens its own, as a user's loader does where every sample is a file.
// Any threads.
template <class File>
class KeptFiles {
 public:
  explicit KeptFiles(std::uint32_t files) : files_(files) {
    if (files <= kMaxKeptFiles) kept_ = std::make_unique<std::atomic<File*>[]>(files);
  }
  ~KeptFiles() {
    each([](File& file) { delete &file; });
  }
  KeptFiles(const KeptFiles&) = delete;
  KeptFiles& operator=(const KeptFiles&) = delete;

  bool keeps() const noexcept { return kept_ != nullptr; }
  // nullptr where files are not kept, or this one is not open yet.
  File* find(std::uint32_t number) const noexcept {
    return kept_ ? kept_[number].load(std::memory_order_acquire) : nullptr;
  }
  // Keeps it. Of two that open the same file at once, the second one's is closed again.
  File& keep(std::uint32_t number, std::unique_ptr<File> made) {
    File* before = nullptr;
    if (kept_[number].compare_exchange_strong(before, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *before;
  }
  template <class Do>
  void each(Do action) const {
    for (std::uint32_t i = 0; kept_ && i < files_; ++i)
      if (File* const file = kept_[i].load()) action(*file);
  }

 private:
  std::uint32_t files_;
  std::unique_ptr<std::atomic<File*>[]> kept_;
};

class OpenFiles {
 public:
  // `extents` must outlive it. `more_flags` (O_DIRECT) go with every open.
  explicit OpenFiles(const SampleExtents& extents, int more_flags = 0)
      : extents_(extents), more_flags_(more_flags), kept_(extents.files()) {}

  // The kept file, or what `own` becomes. PartError where it cannot be opened, or is no regular
  // file.
  const ReadFile& open(std::uint32_t number, ReadFile& own);
  bool keeps() const noexcept { return kept_.keeps(); }
  int flags() const noexcept { return ReadFile::open_flags() | more_flags_; }
  std::string_view path(std::uint32_t number) const noexcept { return extents_.path(number); }
  int folder() const noexcept { return extents_.folder(); }

 private:
  const SampleExtents& extents_;
  int more_flags_;
  KeptFiles<const ReadFile> kept_;
};

}  // namespace benchbench
