// An archive of which a table says where each sample lies: what most formats are once they are
// opened.
#pragma once
#include <string>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/part/sample_format.h"
#include "scenarios/formats/sample_table.h"

namespace benchbench {

// Sample `id` is table.length(id) bytes at table.offset(id) of files[table.shard(id)], its payload
// as it is. A format whose samples are wrapped overrides extent() and unwrap().
class TableArchive : public SampleArchive, public SampleExtents {
 public:
  struct Parts {
    std::vector<std::string> files = {};
    SampleTable table = {};
    std::string remark = {};
    PayloadSpec payload = {};
  };
  explicit TableArchive(Parts parts);

  Layout layout() const override {
    return {.samples = parts_.table.size(), .shard_ends = ends_, .lengths = lengths_};
  }
  std::uint32_t classes() const override { return parts_.table.classes(); }
  std::string_view remark() const override { return parts_.remark; }
  std::string_view name_of(SampleId id) const override { return parts_.table.name(id); }
  std::int64_t label_of(SampleId id) const override { return parts_.table.label(id); }
  PayloadSpec payload() const override { return parts_.payload; }
  const SampleExtents* extents() const override { return this; }
  std::unique_ptr<SampleReader> reader(Runtime& runtime) override;

  std::uint32_t files() const noexcept override {
    return static_cast<std::uint32_t>(parts_.files.size());
  }
  std::string_view path(std::uint32_t file) const noexcept override { return parts_.files[file]; }
  int folder() const noexcept override;
  Extent extent(SampleId id) const override;
  StoredSample unwrap(SampleId id, ByteSpan stored, Scratch& scratch, const Runtime& runtime,
                      StepNumber step, StageMeter& meter) const override;

 protected:
  const SampleTable& table() const noexcept { return parts_.table; }
  // PartError: the sample's bytes are not what they must be.
  [[noreturn]] void refuse(SampleId id, std::string_view what) const;
  StoredSample sample(SampleId id, ByteSpan payload) const {
    return {payload, label_of(id), name_of(id)};
  }

 private:
  Parts parts_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> lengths_;  // in elements; of tokens only
};

}  // namespace benchbench
