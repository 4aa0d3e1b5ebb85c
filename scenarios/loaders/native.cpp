// The real loader: stored JPEG bytes of any sample format -> decoded, cropped, resized rows, straight into
// the slot.
#include <fmt/format.h>

#include <cstring>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "scenarios/decode/row_maker.h"
#include "scenarios/loaders/native_settings.h"
#include "scenarios/loaders/resident_archive.h"

namespace benchbench {
namespace {

constexpr std::size_t kImage = 0;
constexpr std::size_t kLabel = 1;

class NativeWorker final : public LoaderWorker {
 public:
  NativeWorker(SampleArchive& archive, const ImageRecipe& recipe, Runtime& runtime)
      : archive_(archive),
        reader_(archive.reader(runtime)),
        maker_(recipe, runtime),
        row_bytes_(recipe.tensor().bytes_per_row()) {}

  // One bad sample of a user's ten thousand is a fault and a row of zeros, never the end of the run.
  void fill(const Ticket& ticket, StageMeter& meter) override {
    for (std::size_t i = 0; i < ticket.samples.size(); ++i) {
      const SampleRef& ref = ticket.samples[i];
      const std::int64_t label = archive_.label_of(ref.id);
      std::memcpy(ticket.rows.row(kLabel, i), &label, sizeof label);
      fill_image(ref, ticket.batch, meter, ticket.rows.row(kImage, i));
    }
  }

 private:
  void fill_image(const SampleRef& ref, StepNumber step, StageMeter& meter, std::byte* row) {
    StoredSample sample;
    try {
      sample = reader_->read(ref.id, step, meter);
    } catch (const PartError& error) {
      std::memset(row, 0, row_bytes_);
      meter.fault(ref.id, SampleFault::short_read, archive_.name_of(ref.id), error.message());
      return;
    }
    maker_.make(sample, ref, step, meter, row);
  }

  SampleArchive& archive_;
  std::unique_ptr<SampleReader> reader_;
  RowMaker maker_;
  std::size_t row_bytes_;
};

class NativeLoader final : public Loader {
 public:
  NativeLoader(std::unique_ptr<SampleArchive> archive, const ImageRecipe& recipe)
      : archive_(std::move(archive)), recipe_(recipe) {}

  Layout layout() const override { return archive_->layout(); }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[kImage] = recipe_.tensor();
    spec.tensor[kLabel] = {.name = "label", .dtype = DType::int64, .row = {}};
    spec.count = 2;
    return spec;
  }
  std::uint32_t classes() const override { return archive_->classes(); }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<NativeWorker>(*archive_, recipe_, runtime);
  }

 private:
  std::unique_ptr<SampleArchive> archive_;
  ImageRecipe recipe_;
};

std::unique_ptr<Loader> make_native(const LoaderContext& context) {
  const ImageRecipe recipe = recipe_of(context.settings);
  const auto open = context.catalog->maker(PartKind::sample_format, context.dataset.format).format.open;
  std::unique_ptr<SampleArchive> archive = open(context.dataset.path);
  if (context.settings.text("residency") == "host") archive = make_resident(std::move(archive));
  return std::make_unique<NativeLoader>(std::move(archive), recipe);
}

}  // namespace

namespace parts {

constexpr Stage kStagesBilledByNative[] = {Stage::read, Stage::parse, Stage::decode, Stage::transform};

extern const PartDescription loader_native_description{
    .kind = PartKind::loader,
    .name = "native",
    .summary = "Reads, decodes, crops and resizes JPEG images in C++, straight into the rows of the batch.",
    .data = DataKind::image,
    .parameters = native_parameters(),
    .stages = kStagesBilledByNative,
    .needs_dataset = true,
};

PartMaker loader_native_maker() {
  PartMaker maker;
  maker.loader = make_native;
  return maker;
}

}  // namespace parts
}  // namespace benchbench
