// A loader of one's own: images of one grey each, by their label.
#include <cstring>

#include "harness/part/own_part.h"

using namespace benchbench;

constexpr Parameter kParameters[] = {
    {"size", ParameterType::integer, "64", "Height and width of an image.", 1, 4096}};
constexpr Stage kMeters[] = {Stage::decode};
constexpr PartDescription kStripes{.kind = PartKind::loader,
                                   .name = "stripes",
                                   .summary = "Images of one grey each.",
                                   .data = DataKind::image,
                                   .parameters = kParameters,
                                   .stages = kMeters};

struct Worker final : LoaderWorker {
  explicit Worker(Runtime& r) : runtime(r) {}
  void fill(const BatchRequest& request, StageMeter& meter) override {
    const StageScope scope(meter, runtime, request.batch, Stage::decode);
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const std::int64_t label = request.samples[i].id % 10;
      std::memset(request.rows.row(0, i), static_cast<int>(25 * label),
                  request.rows.tensors()[0].spec.bytes_per_row());
      std::memcpy(request.rows.row(1, i), &label, sizeof label);
    }
  }
  Runtime& runtime;
};

struct Stripes final : Loader {
  explicit Stripes(const LoaderContext& context) : size(context.settings.integer("size")) {}
  Layout layout() const override { return {1000, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = {"image", DType::uint8, {{size, size, 3}, 3}};
    spec.tensor[spec.count++] = {"label", DType::int64, {}};
    return spec;
  }
  std::uint32_t classes() const override { return 10; }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<Worker>(runtime);
  }
  const std::int64_t size;
};

BENCHBENCH_PARTS({&kStripes, part_maker<Stripes>()});
