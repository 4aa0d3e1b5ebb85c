// Synthesis `volume`: arrays [depth, height, width] as a CT scanner gives them.
#include <vector>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/part_maker.h"
#include "scenarios/synthesis/numbered_set.h"
#include "scenarios/synthesis/volume_field.h"

namespace benchbench {
namespace {

using enum ParameterType;

constexpr std::string_view kTypes[] = {"int16", "float32", "uint8"};

constexpr Parameter kParameters[] = {
    {"samples", integer, "2048", "Number of volumes in the dataset.", 1, 1e9},
    {"seed", integer, "7", "A different seed gives different volumes of the same kind.", 0, 9e15},
    {"volume.depth", integer, "64", "Slices per volume.", 1, 4096},
    {"volume.height", integer, "96", "Rows per slice.", 1, 4096},
    {"volume.width", integer, "96", "Columns per slice.", 1, 4096},
    {.key = "volume.dtype",
     .type = choice,
     .standard = "int16",
     .help = "Element type: int16 and float32 hold Hounsfield units, uint8 a sixteenth of them.",
     .choices = kTypes},
    {"classes", integer, "100", "Number of classes; at most the number of volumes.", 1, 1e6},
};

DType dtype_of(std::string_view name) {
  return name == "int16" ? DType::int16 : name == "float32" ? DType::float32 : DType::uint8;
}

class Volumes final : public synthesis::NumberedSet {
 public:
  explicit Volumes(const Settings& s)
      : NumberedSet(s, s.integer("classes")),
        size_{static_cast<int>(s.integer("volume.depth")),
              static_cast<int>(s.integer("volume.height")),
              static_cast<int>(s.integer("volume.width"))} {
    payload_ = {.data = DataKind::volume, .dtype = dtype_of(s.text("volume.dtype"))};
    payload_.row.rank = 3;
    payload_.row.extent = {size_.depth, size_.height, size_.width};
    if (bytes() > (1ull << 30))
      throw ScenarioError("a volume of more than 1 GiB", "reduce depth, height or width");
  }

  std::string_view extension() const noexcept override { return ".npy"; }
  PayloadSpec payload() const noexcept override { return payload_; }
  std::uint64_t bytes_estimate() const noexcept override { return samples_ * bytes(); }

  void make(SampleId id, const PayloadSink& sink) const override {
    require(id, "volume");
    thread_local std::vector<float> voxels;
    synthesis::paint(mix_seed(seed_, kPaint, id), size_, voxels);
    switch (payload_.dtype) {
      case DType::float32:
        return sink(std::as_bytes(std::span(voxels)));
      case DType::int16:
        return hand<std::int16_t>(voxels, 0, 1, sink);
      default:
        return hand<std::uint8_t>(voxels, 1024, 1 / 16.f, sink);
    }
  }

 private:
  enum Purpose : std::uint64_t { kPaint = 11 };

  template <class T>
  static void hand(const std::vector<float>& voxels, float shift, float scale,
                   const PayloadSink& sink) {
    thread_local std::vector<T> elements;
    elements.resize(voxels.size());
    for (std::size_t i = 0; i < voxels.size(); ++i)
      elements[i] = static_cast<T>((voxels[i] + shift) * scale);
    sink(std::as_bytes(std::span(elements)));
  }
  std::uint64_t bytes() const noexcept {
    return static_cast<std::uint64_t>(payload_.row.elements()) * size_of(payload_.dtype);
  }

  synthesis::VolumeSize size_;
  PayloadSpec payload_;
};

}  // namespace

namespace parts {

extern const PartDescription synthesis_volume_description{
    .kind = PartKind::synthesis,
    .name = "volume",
    .summary = "CT-like volumes: smooth tissue, bodies of other densities, noise.",
    .data = DataKind::volume,
    .parameters = kParameters,
};

PartMaker synthesis_volume_maker() { return part_maker<Volumes>(); }

}  // namespace parts
}  // namespace benchbench
