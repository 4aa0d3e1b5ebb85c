#include "scenarios/loaders/held_archive.h"

#include <algorithm>
#include <utility>

#include "harness/core/error.h"
#include "scenarios/loaders/held_rows.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {
namespace {

std::size_t payload_bytes(const PayloadSpec& payload) {
  return static_cast<std::size_t>(payload.row.elements()) * size_of(payload.dtype);
}

class HeldArchive final : public SampleArchive, private SampleExtents {
 public:
  explicit HeldArchive(std::unique_ptr<SampleArchive> archive)
      : archive_(std::move(archive)), stored_(archive_->extents()) {
    if (!stored_)
      throw DeviceError(
          "loader.payload: decoded is not available for these data: reading them includes "
          "inflating them",
          "their chunks do not hold one sample each");
    held_ = HeldRows(*archive_, payload_bytes(archive_->payload()),
                     [](std::span<const std::byte> payload, SampleId, std::byte* row) {
                       std::ranges::copy(payload, row);
                     });
  }

  Layout layout() const override { return archive_->layout(); }
  std::uint32_t classes() const override { return archive_->classes(); }
  std::string_view remark() const override { return archive_->remark(); }
  std::string_view name_of(SampleId id) const override { return archive_->name_of(id); }
  std::int64_t label_of(SampleId id) const override { return archive_->label_of(id); }
  PayloadSpec payload() const override { return archive_->payload(); }
  const SampleExtents* extents() const override { return this; }
  std::unique_ptr<SampleReader> reader(Runtime& runtime) override {
    return read_by_extents(*this, runtime);
  }
  std::unique_ptr<SampleReader> library_reader(Runtime& runtime) override {
    auto stored = archive_->stored_library_reader(runtime);
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

  StoredSample held(SampleId id) const { return {held_.row(id), label_of(id), name_of(id)}; }

  std::uint32_t files() const noexcept override { return stored_->files(); }
  std::string_view path(std::uint32_t file) const noexcept override { return stored_->path(file); }
  int folder() const noexcept override { return stored_->folder(); }
  Extent extent(SampleId id) const override { return stored_->extent(id); }
  StoredSample unwrap(SampleId id, std::span<const std::byte>, Scratch&, const Runtime&, StepNumber,
                      StageMeter&) const override {
    return held(id);
  }

  std::unique_ptr<SampleArchive> archive_;
  const SampleExtents* stored_;
  HeldRows held_;
};

}  // namespace

std::unique_ptr<SampleArchive> hold_inflated(std::unique_ptr<SampleArchive> archive) {
  return std::make_unique<HeldArchive>(std::move(archive));
}

}  // namespace benchbench
