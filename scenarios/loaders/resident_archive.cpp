#include "scenarios/loaders/resident_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <vector>

#include "harness/core/error.h"
#include "harness/part/null_meter.h"
#include "scenarios/loaders/passing_archive.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {
namespace {

// The same samples with their stored bytes for a payload.
class StoredBytes final : public PassingExtents {
 public:
  using PassingExtents::PassingExtents;
  std::unique_ptr<SampleReader> reader(Runtime& runtime) override {
    return read_by_extents(*this, runtime);
  }

 private:
  StoredSample unwrap(SampleId id, ByteSpan stored, Scratch&, const Runtime&, StepNumber,
                      StageMeter&) const override {
    return sample(id, stored);
  }
};

struct Resident {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  std::unique_ptr<PartError> unreadable;
  ByteSpan span() const noexcept { return {bytes.get(), size}; }
};

Resident load(SampleReader& reader, SampleId id) {
  NullMeter meter;
  try {
    const StoredSample sample = reader.read(id, 0, meter);
    Resident kept{.bytes = std::make_unique_for_overwrite<std::byte[]>(sample.payload.size() +
                                                                       ReadBuffer::kSlack),
                  .size = sample.payload.size(),
                  .unreadable = nullptr};
    std::ranges::copy(sample.payload, kept.bytes.get());
    std::fill_n(kept.bytes.get() + kept.size, ReadBuffer::kSlack, std::byte{0});
    return kept;
  } catch (const PartError& error) {
    return {.bytes = nullptr, .size = 0, .unreadable = std::make_unique<PartError>(error)};
  }
}

class ResidentArchive final : public PassingArchive {
 public:
  explicit ResidentArchive(std::unique_ptr<SampleArchive> archive)
      : PassingArchive(*archive), owned_(std::move(archive)), stored_(archive_.extents()) {
    const auto runtime = make_real_runtime();
    std::unique_ptr<StoredBytes> as_stored;
    if (stored_) as_stored = std::make_unique<StoredBytes>(archive_);
    const auto reader = as_stored ? as_stored->reader(*runtime) : archive_.reader(*runtime);
    samples_.reserve(layout().samples);
    for (SampleId id = 0; id < layout().samples; ++id) samples_.push_back(load(*reader, id));
  }

  std::unique_ptr<SampleReader> reader(Runtime& runtime) override {
    return std::make_unique<Reader>(*this, runtime);
  }

 private:
  // Bills no read: nothing is read.
  class Reader final : public ReaderOf<ResidentArchive> {
   public:
    using ReaderOf::ReaderOf;
    StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
      const Resident& kept = archive_.samples_[id];
      if (kept.unreadable) throw *kept.unreadable;
      const StoredSample sample =
          archive_.stored_
              ? archive_.stored_->unwrap(id, kept.span(), scratch_, runtime_, step, meter)
              : archive_.sample(id, kept.span());
      meter.payload(id, sample.payload);
      return sample;
    }

   private:
    GrowingScratch scratch_;
  };

  std::unique_ptr<SampleArchive> owned_;
  const SampleExtents* stored_;  // nullptr: payloads are kept
  std::vector<Resident> samples_;
};

}  // namespace

std::unique_ptr<SampleArchive> make_resident(std::unique_ptr<SampleArchive> archive) try {
  return std::make_unique<ResidentArchive>(std::move(archive));
} catch (const std::bad_alloc&) {
  throw ScenarioError("the dataset does not fit in memory",
                      "loader.residency: storage reads each sample when it is needed");
}

ResidentFiles::ResidentFiles(const SampleExtents& extents) try {
  for (std::uint32_t i = 0; i < extents.files(); ++i) {
    files_.push_back(MappedFile::open(extents.folder(), extents.path(i).data()));
    files_.back()->fetch(0, files_.back()->size());
  }
} catch (const PartError& error) {
  throw ScenarioError(error.message(),
                      "loader.residency: storage reads each sample when it is needed");
}

}  // namespace benchbench
