#include "scenarios/loaders/held_archive.h"

#include <algorithm>
#include <utility>

#include "harness/core/error.h"
#include "scenarios/loaders/held_samples.h"
#include "scenarios/loaders/passing_archive.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {
namespace {

std::size_t payload_bytes(const PayloadSpec& payload) {
  return static_cast<std::size_t>(payload.row.elements()) * size_of(payload.dtype);
}

SampleArchive& require_extents(SampleArchive& archive) {
  if (archive.extents()) return archive;
  throw DeviceError(
      "loader.payload: decoded is not available for these data: reading them includes "
      "inflating them",
      "their chunks do not hold one sample each");
}

class HeldArchive final : public PassingExtents {
 public:
  explicit HeldArchive(std::unique_ptr<SampleArchive> archive)
      : PassingExtents(require_extents(*archive)),
        owned_(std::move(archive)),
        held_(archive_, payload_bytes(payload()),
              [](ByteSpan payload, SampleId, std::byte* row) { std::ranges::copy(payload, row); }) {
  }

  std::unique_ptr<SampleReader> reader(Runtime& runtime) override {
    return read_by_extents(*this, runtime);
  }
  std::unique_ptr<SampleReader> library_reader(Runtime& runtime) override {
    auto stored = archive_.stored_library_reader(runtime);
    return stored ? std::make_unique<LibraryReader>(*this, std::move(stored)) : nullptr;
  }

 private:
  class LibraryReader final : public SampleReader {
   public:
    LibraryReader(const HeldArchive& archive, std::unique_ptr<SampleReader> stored)
        : archive_(archive), stored_(std::move(stored)) {}
    StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
      stored_->read(id, step, meter);
      return archive_.held(id);
    }

   private:
    const HeldArchive& archive_;
    std::unique_ptr<SampleReader> stored_;
  };

  StoredSample held(SampleId id) const { return sample(id, held_.row(id)); }
  StoredSample unwrap(SampleId id, ByteSpan, Scratch&, const Runtime&, StepNumber,
                      StageMeter&) const override {
    return held(id);
  }

  std::unique_ptr<SampleArchive> owned_;
  HeldRows held_;
};

}  // namespace

std::unique_ptr<SampleArchive> hold_inflated(std::unique_ptr<SampleArchive> archive) {
  return std::make_unique<HeldArchive>(std::move(archive));
}

}  // namespace benchbench
