#include "scenarios/storage/open_files.h"

namespace benchbench {

OpenFiles::OpenFiles(const SampleExtents& extents, int more_flags)
    : extents_(extents), more_flags_(more_flags) {
  if (extents.files() <= kMaxKept)
    kept_ = std::make_unique<std::atomic<const ReadFile*>[]>(extents.files());
}

OpenFiles::~OpenFiles() {
  for (std::uint32_t i = 0; kept_ && i < extents_.files(); ++i) delete kept_[i].load();
}

const ReadFile* OpenFiles::kept(std::uint32_t number) const noexcept {
  return kept_ ? kept_[number].load(std::memory_order_acquire) : nullptr;
}

const ReadFile& OpenFiles::open(std::uint32_t number, ReadFile& own) {
  if (const ReadFile* const there = kept(number)) return *there;
  own = ReadFile::open_at(extents_.folder(), extents_.path(number).data(), more_flags_);
  if (!kept_) return own;
  auto made = std::make_unique<ReadFile>(std::move(own));
  own = {};
  const ReadFile* before = nullptr;
  // Two that open the same file at once: the second one's is closed again.
  if (kept_[number].compare_exchange_strong(before, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *before;
}

}  // namespace benchbench
