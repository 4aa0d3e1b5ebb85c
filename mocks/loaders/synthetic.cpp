// A loader whose times are known: made-up images that take a time to make, drawn from a distribution.
#include <cstring>

#include "harness/part/catalog.h"
#include "mocks/service_time.h"

namespace benchbench::parts {
namespace {

using enum ParameterType;

constexpr std::string_view kDTypes[] = {"uint8", "float32"};
constexpr std::string_view kFills[] = {"write", "none"};

constexpr Parameter kParameters[] = {
    {.key = "samples",
     .type = integer,
     .standard = "8192",
     .help = "Samples in an epoch.",
     .least = 1,
     .most = 1e9},
    {.key = "sample_time",
     .type = duration,
     .standard = "0s",
     .help = "Mean time to make one sample.",
     .least = 0,
     .most = kLongestServiceTime},
    {.key = "batch_time",
     .type = duration,
     .standard = "0s",
     .help = "Mean time each batch takes on top of its samples.",
     .least = 0,
     .most = kLongestServiceTime},
    kDistributionParameter,
    kSpreadParameter,
    kWaitParameter,
    {.key = "height",
     .type = integer,
     .standard = "224",
     .help = "Height of an image.",
     .least = 1,
     .most = 16384},
    {.key = "width",
     .type = integer,
     .standard = "224",
     .help = "Width of an image.",
     .least = 1,
     .most = 16384},
    {.key = "channels",
     .type = integer,
     .standard = "3",
     .help = "Channels of an image.",
     .least = 1,
     .most = 64},
    {.key = "dtype",
     .type = choice,
     .standard = "uint8",
     .help = "Type of one value of an image: uint8 or float32.",
     .choices = kDTypes},
    {.key = "classes",
     .type = integer,
     .standard = "1000",
     .help = "Labels are below this.",
     .least = 1,
     .most = 1e9},
    {.key = "fill",
     .type = choice,
     .standard = "write",
     .help = "write: every byte of every sample is written anew, within its time; none: images are left as "
             "they are, "
             "for runs in virtual time.",
     .choices = kFills},
};

constexpr Stage kStages[] = {Stage::collate, Stage::decode};

struct Work {
  ServiceTime time;
  Nanoseconds sample_time;
  Nanoseconds batch_time;
  std::uint64_t seed;
  std::uint64_t classes;
  bool write;
};

// What a sample looks like depends on its id alone: 64 bytes, repeated. Floats lie in [-1, 1).
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

class SyntheticWorker final : public LoaderWorker {
 public:
  SyntheticWorker(const Work& work, Runtime& runtime) : work_(work), runtime_(runtime) {}

  // The time of the work counts from here and the payload is written inside it, as a real loader's would be.
  void fill(const Ticket& ticket, StageMeter& meter) override {
    const TimePoint start = runtime_.now();
    {
      const StageScope scope(meter, runtime_, ticket.batch, Stage::collate);
      write(ticket);
    }
    const Nanoseconds time = time_of(ticket);
    if (time.count() == 0) return;
    const StageScope scope(meter, runtime_, ticket.batch, Stage::decode);
    runtime_.spend_until(start + time, work_.time.spend());
  }

 private:
  void write(const Ticket& ticket) const {
    const auto tensors = ticket.rows.tensors();
    const std::size_t image_bytes = tensors[0].spec.bytes_per_row();
    for (std::size_t i = 0; i < ticket.rows.count(); ++i) {
      const SampleId id = ticket.samples[i].id;
      const auto label = static_cast<std::int64_t>(id % work_.classes);
      std::memcpy(ticket.rows.row(1, i), &label, sizeof label);
      if (work_.write) Pattern(id, tensors[0].spec.dtype).write(ticket.rows.row(0, i), image_bytes);
    }
  }

  // Depends on the samples and the batch alone, not on who makes them. Where workers share a batch, its own
  // time falls to the one with the first row.
  Nanoseconds time_of(const Ticket& ticket) const noexcept {
    Nanoseconds time{0};
    if (ticket.rows.first() == 0)
      time += work_.time.draw(work_.batch_time, Random(mix_seed(work_.seed, ticket.epoch, ticket.batch)));
    if (work_.sample_time.count() == 0) return time;
    if (work_.time.constant())
      return time + work_.sample_time * static_cast<std::int64_t>(ticket.samples.size());
    for (const SampleRef& sample : ticket.samples)
      time += work_.time.draw(work_.sample_time, Random(sample.seed));
    return time;
  }

  const Work& work_;
  Runtime& runtime_;
};

BatchSpec spec_from(const Settings& settings) {
  BatchSpec spec;
  spec.count = 2;
  TensorSpec& image = spec.tensor[0];
  std::memcpy(image.name, "image", 6);
  image.dtype = settings.text("dtype") == "float32" ? DType::float32 : DType::uint8;
  image.row.rank = 3;
  image.row.extent = {settings.integer("height"), settings.integer("width"), settings.integer("channels")};
  TensorSpec& label = spec.tensor[1];
  std::memcpy(label.name, "label", 6);
  label.dtype = DType::int64;
  return spec;
}

class Synthetic final : public Loader {
 public:
  explicit Synthetic(const LoaderContext& context)
      : samples_(static_cast<std::uint64_t>(context.settings.integer("samples"))),
        spec_(spec_from(context.settings)),
        work_{.time = ServiceTime(context.settings),
              .sample_time = context.settings.duration("sample_time"),
              .batch_time = context.settings.duration("batch_time"),
              .seed = mix_seed(context.seed, kBatchTimes),
              .classes = static_cast<std::uint64_t>(context.settings.integer("classes")),
              .write = context.settings.text("fill") == "write"} {}
  Layout layout() const override { return {samples_, {}, {}}; }
  BatchSpec spec() const override { return spec_; }
  std::uint32_t classes() const override { return static_cast<std::uint32_t>(work_.classes); }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<SyntheticWorker>(work_, runtime);
  }

 private:
  static constexpr std::uint64_t kBatchTimes = 0x6261746368;  // apart from every other use of the seed
  std::uint64_t samples_;
  BatchSpec spec_;
  Work work_;
};

}  // namespace

extern const PartDescription loader_synthetic_description;
const PartDescription loader_synthetic_description{
    .kind = PartKind::loader,
    .name = "synthetic",
    .summary =
        "Makes up images, each sample or batch in a time you set: constant, uniform, exponential or "
        "lognormal.",
    .data = DataKind::image,
    .parameters = kParameters,
    .stages = kStages,
    .simulated = true,
    .mock = true,
};

PartMaker loader_synthetic_maker() {
  PartMaker maker;
  maker.loader = [](const LoaderContext& context) -> std::unique_ptr<Loader> {
    return std::make_unique<Synthetic>(context);
  };
  return maker;
}

}  // namespace benchbench::parts
