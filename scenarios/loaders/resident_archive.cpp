#include "scenarios/loaders/resident_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include "harness/core/error.h"
#include "harness/part/null_meter.h"

namespace benchbench {
namespace {

struct Resident {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  std::unique_ptr<PartError> unreadable;
};

Resident load(SampleReader& reader, SampleId id) {
  NullMeter meter;
  try {
    const StoredSample sample = reader.read(id, 0, meter);
    Resident kept{.bytes = std::make_unique_for_overwrite<std::byte[]>(sample.payload.size()),
                  .size = sample.payload.size(),
                  .unreadable = nullptr};
    std::ranges::copy(sample.payload, kept.bytes.get());
    return kept;
  } catch (const PartError& error) {
    return {.bytes = nullptr, .size = 0, .unreadable = std::make_unique<PartError>(error)};
  }
}

class ResidentArchive final : public SampleArchive {
 public:
  explicit ResidentArchive(std::unique_ptr<SampleArchive> archive) : archive_(std::move(archive)) {
    const auto runtime = make_real_runtime();
    const auto reader = archive_->reader(*runtime);
    samples_.reserve(archive_->layout().samples);
    for (SampleId id = 0; id < archive_->layout().samples; ++id) samples_.push_back(load(*reader, id));
  }

  Layout layout() const override { return archive_->layout(); }
  std::uint32_t classes() const override { return archive_->classes(); }
  std::string_view remark() const override { return archive_->remark(); }
  std::string_view name_of(SampleId id) const override { return archive_->name_of(id); }
  std::int64_t label_of(SampleId id) const override { return archive_->label_of(id); }
  PayloadSpec payload() const override { return archive_->payload(); }
  std::unique_ptr<SampleReader> reader(Runtime&) override { return std::make_unique<Reader>(*this); }

 private:
  // Bills no read: nothing is read.
  class Reader final : public SampleReader {
   public:
    explicit Reader(const ResidentArchive& archive) : archive_(archive) {}
    StoredSample read(SampleId id, StepNumber, StageMeter& meter) override {
      const Resident& kept = archive_.samples_[id];
      if (kept.unreadable) throw *kept.unreadable;
      const std::span<const std::byte> payload(kept.bytes.get(), kept.size);
      meter.payload(id, payload);
      return {payload, archive_.label_of(id), archive_.name_of(id)};
    }

   private:
    const ResidentArchive& archive_;
  };

  std::unique_ptr<SampleArchive> archive_;
  std::vector<Resident> samples_;
};

}  // namespace

std::unique_ptr<SampleArchive> make_resident(std::unique_ptr<SampleArchive> archive) try {
  return std::make_unique<ResidentArchive>(std::move(archive));
} catch (const std::bad_alloc&) {
  throw ScenarioError("the dataset does not fit in memory",
                      "loader.residency: storage reads each sample when it is needed");
}

}  // namespace benchbench
