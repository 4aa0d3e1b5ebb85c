// The real loader: stored JPEG bytes of any sample format -> decoded, cropped, resized rows, straight into
// the slot.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "scenarios/decode/row_maker.h"
#include "scenarios/loaders/held_payload.h"
#include "scenarios/loaders/native_settings.h"
#include "scenarios/loaders/resident_archive.h"

namespace benchbench {
namespace {

constexpr std::size_t kImage = 0;
constexpr std::size_t kLabel = 1;

// What all workers of a loader share.
struct NativeParts {
  std::unique_ptr<SampleArchive> archive;
  ImageRecipe recipe;
  HeldPayload held;
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
        maker_(parts.recipe, runtime),
        row_bytes_(parts.recipe.tensor().bytes_per_row()) {}

  // One bad sample of a user's ten thousand is a fault and a row of zeros, never the end of the run.
  void fill(const Ticket& ticket, StageMeter& meter) override {
    for (std::size_t i = 0; i < ticket.samples.size(); ++i) {
      const SampleRef& ref = ticket.samples[i];
      const std::int64_t label = parts_.archive->label_of(ref.id);
      std::memcpy(ticket.rows.row(kLabel, i), &label, sizeof label);
      fill_image(ref, ticket.batch, meter, ticket.rows.row(kImage, i));
    }
  }

 private:
  void fill_image(const SampleRef& ref, StepNumber step, StageMeter& meter, std::byte* row) {
    const TimePoint asked = parts_.store ? runtime_.now() : TimePoint{};
    StoredSample sample;
    try {
      sample = reader_->read(ref.id, step, meter);
    } catch (const PartError& error) {
      std::memset(row, 0, row_bytes_);
      meter.fault(ref.id, SampleFault::short_read, parts_.archive->name_of(ref.id), error.message());
      return;
    }
    if (parts_.store) {
      const StageScope scope(meter, runtime_, step, Stage::read);
      parts_.store->fetch_since(asked, sample.payload.size(), parts_.follows(ref.id));
    }
    make_row(sample, ref, step, meter, row);
  }

  void make_row(const StoredSample& sample, const SampleRef& ref, StepNumber step, StageMeter& meter,
                std::byte* row) {
    const HeldPayload& held = parts_.held;
    switch (held.kind()) {
      case PayloadKind::stored:
        maker_.make(sample, ref, step, meter, row);
        return;
      case PayloadKind::decoded:
        maker_.make_from(held.image(ref.id), ref, step, meter, row);
        return;
      case PayloadKind::transformed:
        if (maker_.decode_only(sample, ref, step, meter)) return copy(held.row(ref.id), step, meter, row);
        std::memset(row, 0, row_bytes_);
        return;
      case PayloadKind::ready:
        copy(held.row(ref.id), step, meter, row);
    }
  }

  void copy(const std::vector<std::byte>& held, StepNumber step, StageMeter& meter, std::byte* row) {
    const StageScope scope(meter, runtime_, step, Stage::transform);
    std::memcpy(row, held.data(), row_bytes_);
  }

  NativeParts& parts_;
  Runtime& runtime_;
  std::unique_ptr<SampleReader> reader_;
  RowMaker maker_;
  std::size_t row_bytes_;
};

class NativeLoader final : public Loader {
 public:
  NativeLoader(std::unique_ptr<SampleArchive> archive, const ImageRecipe& recipe, HeldPayload held,
               PlayedStore* store)
      : parts_{std::move(archive), recipe, std::move(held), store} {}

  Layout layout() const override { return parts_.archive->layout(); }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[kImage] = parts_.recipe.tensor();
    spec.tensor[kLabel] = {.name = "label", .dtype = DType::int64, .row = {}};
    spec.count = 2;
    return spec;
  }
  std::uint32_t classes() const override { return parts_.archive->classes(); }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<NativeWorker>(parts_, runtime);
  }

 private:
  NativeParts parts_;
};

std::unique_ptr<Loader> make_native(const LoaderContext& context) {
  const ImageRecipe recipe = recipe_of(context.settings);
  const auto open = context.catalog->maker(PartKind::sample_format, context.dataset.format).format.open;
  std::unique_ptr<SampleArchive> archive = open(context.dataset.path);
  HeldPayload held(payload_kind(context.settings.text("payload")), *archive, recipe);
  const bool resident = context.settings.text("residency") == "host";
  if (resident) archive = make_resident(std::move(archive));
  return std::make_unique<NativeLoader>(std::move(archive), recipe, std::move(held),
                                        resident ? nullptr : context.store);
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
