// A loader that goes wrong on purpose, to prove what a fault costs and that it is seen.
#include <string>

#include "harness/part/catalog.h"
#include "mocks/fault.h"
#include "mocks/loaders/staged_worker.h"

namespace benchbench::parts {
namespace {

constexpr std::string_view kFaults[] = {"none", "throw", "exit",        "abort",
                                        "segv", "hang",  "short_batch", "wrong_content"};

constexpr std::array kOwnParameters = {
    Parameter{
        .key = "fault",
        .type = ParameterType::choice,
        .standard = "none",
        .help =
            "What goes wrong: the worker throws, the process exits, aborts or crashes, a fill never ends; "
            "short_batch leaves the second half of the rows as they are and says so; wrong_content fills "
            "rows with another sample's image and says nothing.",
        .choices = kFaults},
    Parameter{.key = "after",
              .type = ParameterType::integer,
              .standard = "3",
              .help = "Batches filled well before it.",
              .min = 0,
              .max = 1e12},
    Parameter{.key = "straggler",
              .type = ParameterType::real,
              .standard = "1",
              .help = "Worker 0 takes this many times as long as the others; lock_time stays.",
              .min = 1,
              .max = 1000},
    Parameter{.key = "slow_sample_every",
              .type = ParameterType::integer,
              .standard = "0",
              .help = "One sample in so many is slow, always the same ones; 0: none.",
              .min = 0,
              .max = 1e12},
    Parameter{.key = "slow_sample_time",
              .type = ParameterType::duration,
              .standard = "0s",
              .help = "How much longer a slow sample takes.",
              .min = 0,
              .max = kLongestServiceTime},
    Parameter{
        .key = "lock_time",
        .type = ParameterType::duration,
        .standard = "0s",
        .help =
            "Each fill holds, for this long, a lock that all workers share; billed with the wait for it as "
            "decoding.",
        .min = 0,
        .max = kLongestServiceTime},
};
constexpr auto kParameters = joined(joined(kImageParameters, kStageTimeParameters), kOwnParameters);

constexpr Change kNoStraggler[] = {{"straggler", "1"}};
constexpr Change kNoTail[] = {{"slow_sample_time", "0s"}, {"clip_at", "0.9"}};
constexpr Change kNoLock[] = {{"lock_time", "0s"}};
constexpr Substitution kSubstitutions[] = {
    kStageSubstitutions[0],     kStageSubstitutions[1],     kStageSubstitutions[2],
    kStageSubstitutions[3],     {Component::lock, kNoLock}, {Component::straggler, kNoStraggler},
    {Component::tail, kNoTail},
};
static_assert(std::size(kStageSubstitutions) == 4);

struct Plan {
  std::string fault;
  std::uint64_t after;
};

class FaultyWorker final : public LoaderWorker {
 public:
  FaultyWorker(const Plan& plan, StagedWork& work, Runtime& runtime, double slowness)
      : plan_(plan), runtime_(runtime), well_(work, runtime, slowness) {}

  void fill(const BatchRequest& request, StageMeter& meter) override {
    const bool wrong = request.batch >= plan_.after;
    if (wrong) end_by(plan_.fault, runtime_);
    if (wrong && plan_.fault == "short_batch") return fill_half(request, meter);
    const bool content = plan_.fault == "wrong_content";
    well_.fill(request, meter, wrong && content ? 1 : 0);
    if (content) tell_payload(request, meter);
  }

 private:
  void fill_half(const BatchRequest& request, StageMeter& meter) {
    const std::size_t kept = request.rows.count() / 2;
    BatchRequest half = request;
    half.samples = request.samples.first(kept);
    half.rows = RowSpan(request.rows.tensors(), request.rows.first(), kept);
    well_.fill(half, meter);
    for (const SampleRef& sample : request.samples.subspan(kept))
      meter.fault(sample.id, SampleFault::short_read, "loader faulty", "told to leave the row as it is");
  }
  // The stored bytes are the image's: where a manifest says what they must be, the check of content sees it.
  void tell_payload(const BatchRequest& request, StageMeter& meter) const {
    const std::size_t bytes = request.rows.tensors()[0].spec.bytes_per_row();
    for (std::size_t i = 0; i < request.rows.count(); ++i)
      meter.payload(request.samples[i].id, {request.rows.row(0, i), bytes});
  }

  const Plan& plan_;
  Runtime& runtime_;
  StagedWorker well_;
};

class Faulty final : public Loader {
 public:
  explicit Faulty(const LoaderContext& context)
      : plan_{std::string(context.settings.text("fault")),
              static_cast<std::uint64_t>(context.settings.integer("after"))},
        straggler_(context.settings.real("straggler")),
        work_(context, context.settings.duration("lock_time")) {
    work_.times.slow_samples = {static_cast<std::uint64_t>(context.settings.integer("slow_sample_every")),
                                context.settings.duration("slow_sample_time"), context.seed};
  }
  Layout layout() const override { return work_.images.layout(); }
  BatchSpec spec() const override { return work_.images.spec(); }
  std::uint32_t classes() const override { return work_.images.classes(); }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber number, Runtime& runtime) override {
    return std::make_unique<FaultyWorker>(plan_, work_, runtime, number == 0 ? straggler_ : 1);
  }

 private:
  Plan plan_;
  double straggler_;
  StagedWork work_;
};

}  // namespace

extern const PartDescription loader_faulty_description;
const PartDescription loader_faulty_description{
    .kind = PartKind::loader,
    .name = "faulty",
    .summary =
        "The synthetic loader with something wrong: a fault that ends it or spoils its batches, a straggling "
        "worker, slow samples, a lock.",
    .data = DataKind::image,
    .parameters = kParameters,
    .stages = kMadeStages,
    .simulated = true,
    .mock = true,
    .substitutions = kSubstitutions,
};

PartMaker loader_faulty_maker() {
  PartMaker maker;
  maker.loader = [](const LoaderContext& context) -> std::unique_ptr<Loader> {
    return std::make_unique<Faulty>(context);
  };
  return maker;
}

}  // namespace benchbench::parts
