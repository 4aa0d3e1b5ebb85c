// The real loader: the stored bytes of any sample format -> rows, straight into the slot.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "scenarios/loaders/native_settings.h"
#include "scenarios/loaders/resident_archive.h"
#include "scenarios/loaders/row_recipe.h"

namespace benchbench {
namespace {

// What all workers of a loader share.
struct NativeParts {
  std::unique_ptr<SampleArchive> archive;
  std::unique_ptr<RowRecipe> recipe;
  PlayedStore* store;                             // nullptr: reads take what they take
  std::atomic<SampleId> last_read{~SampleId{1}};  // of all workers: no sample follows this one

  // Right behind the sample read last, in the same file.
  bool follows(SampleId id) {
    const SampleId before = last_read.exchange(id, std::memory_order_relaxed);
    const auto ends = archive->layout().shard_ends;
    return !ends.empty() && before + 1 == id && !std::ranges::binary_search(ends, id);
  }
};

class NativeWorker final : public LoaderWorker {
 public:
  NativeWorker(NativeParts& parts, Runtime& runtime)
      : parts_(parts),
        runtime_(runtime),
        reader_(parts.archive->reader(runtime)),
        filler_(parts.recipe->filler(runtime)) {}

  void fill(const Ticket& ticket, StageMeter& meter) override {
    for (std::size_t i = 0; i < ticket.samples.size(); ++i) fill_row(ticket, i, meter);
  }

 private:
  void fill_row(const Ticket& ticket, std::size_t i, StageMeter& meter) {
    const SampleId id = ticket.samples[i].id;
    const TimePoint asked = parts_.store ? runtime_.now() : TimePoint{};
    StoredSample sample;
    try {
      sample = reader_->read(id, ticket.batch, meter);
    } catch (const PartError& error) {
      filler_->blank(parts_.archive->label_of(id), ticket, i);
      meter.fault(id, SampleFault::short_read, parts_.archive->name_of(id), error.message());
      return;
    }
    if (parts_.store) {
      const StageScope scope(meter, runtime_, ticket.batch, Stage::read);
      parts_.store->fetch_since(asked, sample.payload.size(), parts_.follows(id));
    }
    filler_->fill(sample, ticket, i, meter);
  }

  NativeParts& parts_;
  Runtime& runtime_;
  std::unique_ptr<SampleReader> reader_;
  std::unique_ptr<RowFiller> filler_;
};

class NativeLoader final : public Loader {
 public:
  NativeLoader(std::unique_ptr<SampleArchive> archive, std::unique_ptr<RowRecipe> recipe, PlayedStore* store)
      : parts_{std::move(archive), std::move(recipe), store} {}

  Layout layout() const override { return parts_.archive->layout(); }
  BatchSpec spec() const override { return parts_.recipe->spec(); }
  std::uint32_t classes() const override { return parts_.archive->classes(); }
  std::uint32_t width_of(std::span<const SampleRef> samples) const override {
    return parts_.recipe->width_of(samples);
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<NativeWorker>(parts_, runtime);
  }

 private:
  NativeParts parts_;
};

std::unique_ptr<RowRecipe> recipe_for(const Settings& settings, SampleArchive& archive, std::string_view format) {
  const PayloadSpec payload = archive.payload();
  if (payload.encoded_image()) return image_rows(settings, archive);
  if (payload.data == DataKind::tokens) return token_rows(settings, archive);
  throw ScenarioError(fmt::format("loader native does not know what to do with the samples of this {}", format));
}

std::unique_ptr<Loader> make_native(const LoaderContext& context) {
  const auto open = context.catalog->maker(PartKind::sample_format, context.dataset.format).format.open;
  std::unique_ptr<SampleArchive> archive = open(context.dataset.path);
  std::unique_ptr<RowRecipe> recipe = recipe_for(context.settings, *archive, context.dataset.format);
  const bool resident = context.settings.text("residency") == "host";
  if (resident) archive = make_resident(std::move(archive));
  return std::make_unique<NativeLoader>(std::move(archive), std::move(recipe), resident ? nullptr : context.store);
}

}  // namespace

namespace parts {

constexpr Stage kStagesBilledByNative[] = {Stage::read, Stage::parse, Stage::decode, Stage::transform};

constexpr Change kNativeWithoutStorage[] = {{"residency", "host"}};
constexpr Change kNativeWithoutDecode[] = {{"payload", "decoded"}};
constexpr Change kNativeWithoutTransform[] = {{"payload", "transformed"}};
constexpr Substitution kNativeSubstitutions[] = {{Component::storage, kNativeWithoutStorage},
                                                 {Component::decode, kNativeWithoutDecode},
                                                 {Component::transform, kNativeWithoutTransform}};

extern const PartDescription loader_native_description{
    .kind = PartKind::loader,
    .name = "native",
    .summary = "Reads, decodes, crops and resizes JPEG images in C++, straight into the rows of the batch.",
    .data = DataKind::image,
    .parameters = native_parameters(),
    .stages = kStagesBilledByNative,
    .simulated = true,  // of its work only the played store takes virtual time, which the trial's notices say
    .needs_dataset = true,
    .substitutions = kNativeSubstitutions,
};

PartMaker loader_native_maker() {
  PartMaker maker;
  maker.loader = make_native;
  return maker;
}

}  // namespace parts
}  // namespace benchbench
