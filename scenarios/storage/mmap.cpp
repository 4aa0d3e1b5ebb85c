// The page cache's own pages: nothing is copied. A read is the wait until they are there.
#include "scenarios/storage/engine.h"

namespace benchbench {
namespace {

class MmapEngine final : public ReadEngine {
 public:
  explicit MmapEngine(const SampleExtents& extents) : extents_(extents) {
    if (extents.files() <= OpenFiles::kMaxKept)
      kept_ = std::make_unique<std::atomic<MappedFile*>[]>(extents.files());
  }
  ~MmapEngine() override {
    for (std::uint32_t i = 0; kept_ && i < extents_.files(); ++i) delete kept_[i].load();
  }

  ReadBytes read(const Extent& extent) override {
    ReadBytes got;
    MappedFile& file = open(extent.file, got.own);
    got.mapping = &file;
    std::uint64_t length = extent.length;
    if (length == Extent::kToTheEnd) length = file.size() - std::min(extent.offset, file.size());
    got.bytes = file.fetch(
        extent.offset, checked_length(std::min(length, file.size()), extents_.path(extent.file)));
    return got;
  }

  void let_go() noexcept override {
    for (std::uint32_t i = 0; kept_ && i < extents_.files(); ++i)
      if (MappedFile* const file = kept_[i].load()) file->let_go();
  }

 private:
  MappedFile& open(std::uint32_t number, std::unique_ptr<MappedFile>& own) {
    if (kept_)
      if (MappedFile* const there = kept_[number].load(std::memory_order_acquire)) return *there;
    auto made = MappedFile::open(extents_.folder(), extents_.path(number).data());
    if (!kept_) {
      own = std::move(made);
      return *own;
    }
    MappedFile* before = nullptr;
    if (kept_[number].compare_exchange_strong(before, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *before;
  }

  const SampleExtents& extents_;
  std::unique_ptr<std::atomic<MappedFile*>[]> kept_;
};

}  // namespace

std::unique_ptr<ReadEngine> make_mmap_engine(const SampleExtents& extents) {
  return std::make_unique<MmapEngine>(extents);
}

}  // namespace benchbench
