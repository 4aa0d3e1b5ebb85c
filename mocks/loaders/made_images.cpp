#include "mocks/loaders/made_images.h"

#include <cstring>

#include "harness/core/error.h"
#include "harness/core/random.h"

namespace benchbench {
namespace {

// 64 bytes, repeated. Floats lie in [-1, 1).
struct Pattern {
  std::byte bytes[64];

  Pattern(SampleId id, DType dtype) noexcept {
    Random random(id);
    for (std::size_t i = 0; i < sizeof bytes; i += 8) {
      if (dtype == DType::float32) {
        const float pair[2] = {static_cast<float>(random.uniform(-1, 1)),
                               static_cast<float>(random.uniform(-1, 1))};
        std::memcpy(bytes + i, pair, sizeof pair);
      } else {
        const std::uint64_t word = random.next();
        std::memcpy(bytes + i, &word, sizeof word);
      }
    }
  }
  void write(std::byte* to, std::size_t size) const noexcept {
    for (; size >= sizeof bytes; size -= sizeof bytes, to += sizeof bytes)
      std::memcpy(to, bytes, sizeof bytes);
    std::memcpy(to, bytes, size);
  }
};

bool normalizes_on_device(const Settings& settings) {
  return settings.has("normalize_on_device") && settings.boolean("normalize_on_device");
}

BatchSpec spec_from(const Settings& settings) {
  check_images(settings);
  const std::array<std::int64_t, kMaxRank> extent = {
      settings.integer("height"), settings.integer("width"), settings.integer("channels")};
  BatchSpec spec =
      labelled({.name = "image",
                .dtype = settings.text("dtype") == "float32" ? DType::float32 : DType::uint8,
                .row = {extent, 3}});
  if (normalizes_on_device(settings)) spec.normalize_in_step = kImageNet;
  return spec;
}

bool is_written(const LoaderContext& context, bool needed) {
  const std::string_view fill = context.settings.text("fill");
  return fill == "write" || (fill == "auto" && (needed || !context.simulated));
}

}  // namespace

void check_images(const Settings& settings) {
  if (normalizes_on_device(settings) && settings.has("dtype") &&
      settings.text("dtype") == "float32")
    throw ScenarioError("loader.normalize_on_device is of uint8 images", "set loader.dtype: uint8");
}

MadeImages::MadeImages(const LoaderContext& context, bool needed)
    : samples_(static_cast<std::uint64_t>(context.settings.integer("samples"))),
      classes_(static_cast<std::uint64_t>(context.settings.integer("classes"))),
      fill_(is_written(context, needed)),
      spec_(spec_from(context.settings)) {}

void MadeImages::write(const BatchRequest& request, SampleId off) const {
  const std::size_t image_bytes = spec_.tensor[0].bytes_per_row();
  for (std::size_t i = 0; i < request.rows.count(); ++i) {
    const SampleId id = request.samples[i].id;
    const std::int64_t label = find_label(id);
    std::memcpy(request.rows.row(1, i), &label, sizeof label);
    if (fill_) Pattern(id + off, spec_.tensor[0].dtype).write(request.rows.row(0, i), image_bytes);
  }
}

}  // namespace benchbench
