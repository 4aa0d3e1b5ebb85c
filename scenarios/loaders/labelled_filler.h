// The common part of fillers of rows with labels: image, pixels, volume.
#pragma once
#include <cstring>

#include "scenarios/loaders/held_samples.h"
#include "scenarios/loaders/row_recipe.h"

namespace benchbench {

inline void write_label(std::int64_t label, const BatchRequest& request, std::size_t i) {
  std::memcpy(request.rows.row(kLabelTensor, i), &label, sizeof label);
}

// Fills a row with zeros where there is nothing else.
class LabelledFiller : public RowFiller {
 public:
  // `held` outlives it.
  LabelledFiller(std::size_t row_bytes, const HeldRows& held, const Runtime& runtime)
      : held_(held), runtime_(runtime), row_bytes_(row_bytes) {}

  void blank(std::int64_t label, const BatchRequest& request, std::size_t i) final {
    write_label(label, request, i);
    std::memset(request.rows.row(kDataTensor, i), 0, row_bytes_);
  }

 protected:
  void refuse(const StoredSample& sample, const BatchRequest& request, std::size_t i,
              StageMeter& meter, std::string_view why) {
    blank(sample.label, request, i);
    meter.fault(request.samples[i].id, SampleFault::decode_error, sample.name, why);
  }
  void copy_held(const BatchRequest& request, std::size_t i, StageMeter& meter) {
    const StageScope scope(meter, runtime_, request.batch, Stage::transform);
    std::memcpy(request.rows.row(kDataTensor, i), held_.row(request.samples[i].id).data(),
                row_bytes_);
  }

  const HeldRows& held_;
  const Runtime& runtime_;

 private:
  std::size_t row_bytes_;
};

}  // namespace benchbench
