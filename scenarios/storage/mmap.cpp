// The page cache's own pages: nothing is copied. A read is the wait until they are there.
#include "scenarios/storage/engine.h"

namespace benchbench {
namespace {

class MmapEngine final : public ReadEngine {
 public:
  explicit MmapEngine(const SampleExtents& extents) : extents_(extents), kept_(extents.files()) {}

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
    kept_.each([](MappedFile& file) { file.let_go(); });
  }

 private:
  MappedFile& open(std::uint32_t number, std::unique_ptr<MappedFile>& own) {
    if (MappedFile* const there = kept_.find(number)) return *there;
    auto made = MappedFile::open(extents_.folder(), extents_.path(number).data());
    if (kept_.keeps()) return kept_.keep(number, std::move(made));
    own = std::move(made);
    return *own;
  }

  const SampleExtents& extents_;
  KeptFiles<MappedFile> kept_;
};

}  // namespace

std::unique_ptr<ReadEngine> make_mmap_engine(const SampleExtents& extents) {
  return std::make_unique<MmapEngine>(extents);
}

}  // namespace benchbench
