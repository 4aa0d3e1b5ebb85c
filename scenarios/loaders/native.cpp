// The real loader: the stored bytes of any sample format -> rows, straight into the slot.
#include <fmt/format.h>

#include <optional>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "scenarios/loaders/native_reads.h"
#include "scenarios/loaders/native_settings.h"
#include "scenarios/loaders/row_recipe.h"
#include "scenarios/storage/passing_meters.h"

namespace benchbench {
namespace {

class NativeWorker final : public LoaderWorker {
 public:
  NativeWorker(NativeReads& reads, RowRecipe& recipe, Runtime& runtime)
      : archive_(reads.archive()),
        runtime_(runtime),
        lane_(reads.lane(runtime)),
        filler_(recipe.filler(runtime)),
        checked_(!reads.holds_payloads()) {}

  void fill(const BatchRequest& request, StageMeter& meter) override {
    lane_->begin(request, meter);
    if (!filler_->bills_requests() || !meter.stages_wanted()) return fill_rows(request, meter);
    SummingMeter billed(meter);
    const TimePoint begun = runtime_.now();
    fill_rows(request, billed);
    meter.record(request.batch, Stage::transform, runtime_.now() - begun - billed.sum());
  }

 private:
  void fill_rows(const BatchRequest& request, StageMeter& meter) {
    for (std::size_t i = 0; i < request.samples.size(); ++i) fill_row({request, i}, meter);
  }

  void fill_row(const BatchRow& row, StageMeter& meter) {
    StoredSample sample;
    try {
      sample = read_row(row, meter);
    } catch (const PartError& error) {
      return give_up(row, meter, error.message());
    }
    filler_->fill(sample, row, meter);
    if (const std::string_view why = lane_->done(row.request, row.i); !why.empty())
      give_up(row, meter, why);
  }
  StoredSample read_row(const BatchRow& row, StageMeter& meter) {
    if (checked_) return lane_->read(row.request, row.i, meter);
    UncheckedMeter unchecked(meter);
    return lane_->read(row.request, row.i, unchecked);
  }
  void give_up(const BatchRow& row, StageMeter& meter, std::string_view why) {
    const SampleId id = row.sample().id;
    filler_->blank(archive_.label_of(id), row);
    meter.fault(id, SampleFault::short_read, archive_.name_of(id), why);
  }

  const SampleArchive& archive_;
  const Runtime& runtime_;
  std::unique_ptr<SampleLane> lane_;
  std::unique_ptr<RowFiller> filler_;
  bool checked_;
};

class NativeLoader final : public Loader {
 public:
  // `undecoded`: what a device decodes; nullptr where none is to.
  NativeLoader(std::unique_ptr<RowRecipe> recipe, std::unique_ptr<RowRecipe> undecoded,
               std::shared_ptr<NativeReads> reads)
      : recipe_(std::move(recipe)), undecoded_(std::move(undecoded)), reads_(std::move(reads)) {}

  Layout layout() const override { return reads_->archive().layout(); }
  BatchSpec spec() const override { return recipe_->spec(); }
  std::uint32_t classes() const override { return reads_->archive().classes(); }
  std::optional<std::int64_t> find_label(SampleId id) const override {
    return reads_->archive().label_of(id);
  }
  std::uint32_t width_of(std::span<const SampleRef> samples) const override {
    return recipe_->width_of(samples);
  }
  void expect(const BatchRequest& request) override { reads_->expect(request); }
  void unmap_pages() override { reads_->unmap_pages(); }
  std::string_view note() const override {
    const std::string of_rows = recipe_->note();
    if (of_rows.empty()) return reads_->note();
    return note_ = fmt::format("{}; {}", reads_->note(), of_rows);
  }
  std::unique_ptr<Loader> leave_decoding() override {
    if (!undecoded_) return nullptr;
    return std::make_unique<NativeLoader>(std::move(undecoded_), nullptr, reads_);
  }
  std::span<const EncodedFile> files_of(const std::byte* rows) const override {
    return recipe_->files_of(rows);
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<NativeWorker>(*reads_, *recipe_, runtime);
  }

 private:
  std::unique_ptr<RowRecipe> recipe_, undecoded_;
  std::shared_ptr<NativeReads> reads_;
  mutable std::string note_;
};

std::unique_ptr<RowRecipe> recipe_for(const Settings& settings, SampleArchive& archive,
                                      std::string_view format) {
  if (settings.text("payload") == "raw_bytes") return touched_rows();
  const PayloadSpec payload = archive.payload();
  if (payload.encoded_image()) return image_rows(settings, archive);
  if (payload.data == DataKind::tokens) return token_rows(settings, archive);
  if (payload.data == DataKind::volume) return volume_rows(settings, archive);
  if (payload.data == DataKind::image) return pixel_rows(settings, archive);
  throw ScenarioError(fmt::format("loader native does not support the samples of this {}", format));
}

// A device holds one row of each sample, as wide as all others.
void require_same_rows(const Settings& settings, const SampleArchive& archive) {
  if (settings.text("residency") != "device" || settings.text("payload") == "raw_bytes") return;
  const DataKind data = archive.payload().data;
  if (data == DataKind::tokens || data == DataKind::volume)
    throw ScenarioError(
        "loader.residency: device takes images: batches of tokens differ in width, patches of "
        "volumes in each epoch",
        "set loader.residency to storage or host");
}

std::unique_ptr<RowRecipe> undecoded_rows(const Settings& settings, const SampleArchive& archive) {
  if (settings.text("decode.backend") != "nvjpeg") return nullptr;
  if (!archive.payload().encoded_image())
    throw ScenarioError(
        "loader.decode.backend: nvjpeg decodes JPEG files, which these samples are not",
        "set loader.decode.backend to cpu");
  return encoded_rows(settings);
}

std::unique_ptr<Loader> make_native(const LoaderContext& context) {
  check_transforms(context.settings);
  const DatasetPlace& place = context.dataset;
  std::unique_ptr<SampleArchive> archive =
      context.catalog->maker(PartKind::sample_format, place.format)
          .format.open(place.path, place.columns);
  std::unique_ptr<RowRecipe> recipe =
      recipe_for(context.settings, *archive, context.dataset.format);
  require_same_rows(context.settings, *archive);
  std::unique_ptr<RowRecipe> undecoded = undecoded_rows(context.settings, *archive);
  return std::make_unique<NativeLoader>(std::move(recipe), std::move(undecoded),
                                        std::make_shared<NativeReads>(std::move(archive), context));
}

}  // namespace

namespace parts {

constexpr Stage kStagesBilledByNative[] = {Stage::read, Stage::parse, Stage::decode,
                                           Stage::transform, Stage::lock};

constexpr Change kNativeWithoutStorage[] = {{"residency", "host"}};
constexpr Change kNativeWithoutDecode[] = {{"payload", "decoded"}};
constexpr Change kNativeWithoutTransform[] = {{"payload", "transformed"}};
constexpr Substitution kNativeSubstitutions[] = {{Component::storage, kNativeWithoutStorage},
                                                 {Component::decode, kNativeWithoutDecode},
                                                 {Component::transform, kNativeWithoutTransform}};

extern const PartDescription loader_native_description{
    .kind = PartKind::loader,
    .name = "native",
    .summary =
        "Reads images, volumes and tokens of any format and transforms them in C++, directly into "
        "the rows of the batch.",
    .data = DataKind::any,  // what the data set holds
    .parameters = native_parameters(),
    .stages = kStagesBilledByNative,
    // Only the emulated storage takes virtual time in its work, which the trial's notices say.
    .simulated = true,
    .needs_dataset = true,
    .substitutions = kNativeSubstitutions,
    .check = check_transforms,
};

PartMaker loader_native_maker() { return {.loader = make_native}; }

}  // namespace parts
}  // namespace benchbench
