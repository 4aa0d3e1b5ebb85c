// Archives whose samples are those of another one, had in another way.
#pragma once
#include "harness/core/byte_span.h"
#include "harness/part/sample_format.h"

namespace benchbench {

// Says of its samples what the other archive says, which outlives it.
class PassingArchive : public SampleArchive {
 public:
  explicit PassingArchive(SampleArchive& archive) noexcept : archive_(archive) {}
  Layout layout() const override { return archive_.layout(); }
  std::uint32_t classes() const override { return archive_.classes(); }
  std::string_view remark() const override { return archive_.remark(); }
  std::string_view name_of(SampleId id) const override { return archive_.name_of(id); }
  std::int64_t label_of(SampleId id) const override { return archive_.label_of(id); }
  PayloadSpec payload() const override { return archive_.payload(); }

 protected:
  StoredSample sample(SampleId id, ByteSpan payload) const {
    return {payload, archive_.label_of(id), archive_.name_of(id)};
  }

  SampleArchive& archive_;
};

// Has its samples in the places of the other archive's, which has extents.
class PassingExtents : public PassingArchive, protected SampleExtents {
 public:
  explicit PassingExtents(SampleArchive& archive) noexcept
      : PassingArchive(archive), stored_(*archive.extents()) {}
  const SampleExtents* extents() const override { return this; }

 private:
  std::uint32_t files() const noexcept override { return stored_.files(); }
  std::string_view path(std::uint32_t file) const noexcept override { return stored_.path(file); }
  int folder() const noexcept override { return stored_.folder(); }
  Extent extent(SampleId id) const override { return stored_.extent(id); }

  const SampleExtents& stored_;
};

}  // namespace benchbench
