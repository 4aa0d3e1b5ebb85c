// The common part of fillers of rows with labels: image, pixels, volume.
#pragma once
#include <cstring>

#include "scenarios/loaders/held_samples.h"
#include "scenarios/loaders/row_recipe.h"

namespace benchbench {

inline void write_label(std::int64_t label, const BatchRow& row) {
  std::memcpy(row.data(kLabelTensor), &label, sizeof label);
}

// Fills a row with zeros where there is nothing else.
class LabelledFiller : public RowFiller {
 public:
  // `held` outlives it.
  LabelledFiller(std::size_t row_bytes, const HeldRows& held, const Runtime& runtime)
      : held_(held), runtime_(runtime), row_bytes_(row_bytes) {}

  void blank(std::int64_t label, const BatchRow& row) final {
    write_label(label, row);
    std::memset(row.data(kDataTensor), 0, row_bytes_);
  }

 protected:
  void refuse(const StoredSample& sample, const BatchRow& row, StageMeter& meter,
              std::string_view why) {
    blank(sample.label, row);
    meter.fault(row.sample().id, SampleFault::decode_error, sample.name, why);
  }
  void copy_held(const BatchRow& row, StageMeter& meter) {
    const StageScope scope(meter, runtime_, row.request.batch, Stage::transform);
    std::memcpy(row.data(kDataTensor), held_.row(row.sample().id).data(), row_bytes_);
  }

  const HeldRows& held_;
  const Runtime& runtime_;

 private:
  std::size_t row_bytes_;
};

}  // namespace benchbench
