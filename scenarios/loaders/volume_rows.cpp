// Rows of a batch from volumes.
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "scenarios/loaders/labelled_filler.h"
#include "scenarios/loaders/volume_transform.h"

namespace benchbench {
namespace {

VolumePlan plan_of(const Settings& settings, const PayloadSpec& payload) {
  if (payload.row.rank != 3)
    throw ScenarioError(fmt::format(
        "loader native takes volumes with three dimensions; these have {}", payload.row.rank));
  if (payload.dtype == DType::float16 || payload.dtype == DType::bfloat16)
    throw ScenarioError(
        fmt::format("loader native does not take volumes of {}", name_of(payload.dtype)));
  VolumePlan plan;
  plan.stored = payload.dtype;
  for (int i = 0; i < 3; ++i) {
    plan.from[i] = payload.row.extent[static_cast<std::size_t>(i)];
    plan.patch[i] =
        std::min<std::int64_t>(plan.from[i], settings.integer("transform.random_patch"));
  }
  plan.flip = settings.real("transform.random_flip");
  plan.rotate = settings.real("transform.random_rotate90");
  plan.min = static_cast<float>(settings.real("transform.intensity_min"));
  plan.max = static_cast<float>(settings.real("transform.intensity_max"));
  plan.sigma = settings.real("transform.smooth_sigma");
  plan.passes = static_cast<int>(settings.integer("transform.smooth_passes"));
  return plan;
}

class VolumeFiller final : public LabelledFiller {
 public:
  VolumeFiller(const VolumePlan& plan, const HeldRows& held, const Runtime& runtime)
      : LabelledFiller(plan.elements() * sizeof(float), held, runtime),
        maker_(plan),
        stored_bytes_(static_cast<std::size_t>(plan.from[0] * plan.from[1] * plan.from[2]) *
                      size_of(plan.stored)) {}

  void fill(const StoredSample& sample, const BatchRow& row, StageMeter& meter) override {
    if (sample.payload.size() != stored_bytes_)
      return refuse(sample, row, meter, "wrong number of bytes for a volume");
    write_label(sample.label, row);
    if (!held_.empty()) return copy_held(row, meter);
    const StageScope scope(meter, runtime_, row.request.batch, Stage::transform);
    maker_.make(sample.payload, row.sample().seed, reinterpret_cast<float*>(row.data(kDataTensor)));
  }

 private:
  VolumeMaker maker_;
  std::size_t stored_bytes_;
};

class VolumeRows final : public RowRecipe {
 public:
  VolumeRows(const VolumePlan& plan, bool held, SampleArchive& archive) : plan_(plan) {
    if (!held) return;
    VolumeMaker maker(plan);
    held_ = HeldRows(archive, plan.elements() * sizeof(float),
                     [&](ByteSpan payload, SampleId id, std::byte* row) {
                       maker.make(payload, id, reinterpret_cast<float*>(row));
                     });
  }

  BatchSpec spec() const override {
    const Shape patch{.extent = {1, plan_.patch[0], plan_.patch[1], plan_.patch[2]}, .rank = 4};
    return labelled({.name = "volume", .dtype = DType::float32, .row = patch});
  }
  std::unique_ptr<RowFiller> filler(const Runtime& runtime) override {
    return std::make_unique<VolumeFiller>(plan_, held_, runtime);
  }

 private:
  VolumePlan plan_;
  HeldRows held_;
};

}  // namespace

std::unique_ptr<RowRecipe> volume_rows(const Settings& settings, SampleArchive& archive) {
  const std::string_view payload = settings.text("payload");
  // Volumes are stored as they are: nothing is decoded, and `decoded` is the real thing.
  const bool held = payload == "transformed" || payload == "ready";
  return std::make_unique<VolumeRows>(plan_of(settings, archive.payload()), held, archive);
}

}  // namespace benchbench
