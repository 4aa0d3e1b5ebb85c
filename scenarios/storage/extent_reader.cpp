#include "scenarios/storage/extent_reader.h"

#include <algorithm>

namespace benchbench {
namespace {

class ExtentReader final : public ReaderOf<SampleArchive> {
 public:
  using ReaderOf::ReaderOf;

  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    const Extent extent = extents_.extent(id);
    std::span<std::byte> bytes;
    {
      StageScope scope(meter, runtime_, step, Stage::read);
      const ReadFile& file = files_.file(extent.file);
      const std::uint64_t length = length_of(extent, file);
      // Before memory is asked for: an index may lie.
      if (extent.offset > file.size() || length > file.size() - extent.offset)
        refuse_short(archive_.name_of(id), length, extent.offset,
                     file.size() - std::min(extent.offset, file.size()));
      bytes = buffer_.room(checked_length(length, archive_.name_of(id)));
      file.read_at(extent.offset, bytes, archive_.name_of(id));
    }
    meter.bytes_read(bytes.size());
    const StoredSample sample = extents_.unwrap(id, bytes, scratch_, runtime_, step, meter);
    meter.payload(id, sample.payload);
    return sample;
  }

 private:
  static std::uint64_t length_of(const Extent& extent, const ReadFile& file) noexcept {
    if (extent.length != Extent::kToTheEnd) return extent.length;
    return file.size() - std::min(extent.offset, file.size());
  }

  const SampleExtents& extents_ = *archive_.extents();
  ExtentFiles files_{extents_};
  ReadBuffer buffer_;
  GrowingScratch scratch_;
};

}  // namespace

ExtentFiles::ExtentFiles(const SampleExtents& extents)
    : extents_(extents), open_(std::clamp<std::size_t>(extents.files(), 1, 32)) {}

const ReadFile& ExtentFiles::file(std::uint32_t number) {
  OpenFile& open = open_[number % open_.size()];
  // Opened anew where each sample has its own file: what a user's loader does for each sample too.
  if (!open.file || open.number != number) {
    open.file = ReadFile::open_at(extents_.folder(), extents_.path(number).data());
    open.number = number;
  }
  return open.file;
}

std::unique_ptr<SampleReader> read_by_extents(const SampleArchive& archive,
                                              const Runtime& runtime) {
  return std::make_unique<ExtentReader>(archive, runtime);
}

}  // namespace benchbench
