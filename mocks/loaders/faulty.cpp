// A loader that goes wrong on purpose, to prove what a fault costs and that it is seen.
#include <string>

#include "harness/part/part_maker.h"
#include "mocks/fault.h"
#include "mocks/loaders/image_loader.h"
#include "mocks/loaders/staged_worker.h"

namespace benchbench::parts {
namespace {

constexpr std::string_view kFaults[] = {"none", "throw", "exit",        "abort",
                                        "segv", "hang",  "short_batch", "wrong_content"};

constexpr std::array kOwnParameters = {
    choice_parameter(
        "fault", "none",
        "The fault: the worker throws, the process exits, aborts or crashes, or a fill never "
        "ends; short_batch leaves the second half of the rows unfilled and reports it; "
        "wrong_content silently fills rows with another sample's image.",
        kFaults),
    Parameter{"after", ParameterType::integer, "3", "Batches filled correctly before the fault.", 0,
              1e12},
    Parameter{"straggler", ParameterType::real, "1",
              "Worker 0 takes this many times as long as the others; lock_time is not affected.", 1,
              1000},
    Parameter{"slow_sample_every", ParameterType::integer, "0",
              "One sample in this many is slow, the same ones in every epoch of a round; 0: none.",
              0, 1e12},
    time_parameter("slow_sample_time", "Additional time that a slow sample takes."),
    time_parameter(
        "lock_time",
        "Each fill holds a lock shared by all workers for this long; billed as decoding, "
        "including the wait for it."),
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

struct FaultyWork : StagedWork {
  explicit FaultyWork(const LoaderContext& context)
      : StagedWork(context, context.settings.duration("lock_time"),
                   context.settings.text("fault") == "wrong_content"),
        fault(context.settings.text("fault")),
        after(static_cast<std::uint64_t>(context.settings.integer("after"))),
        straggler(context.settings.real("straggler")) {
    times.slow_samples = {static_cast<std::uint64_t>(context.settings.integer("slow_sample_every")),
                          context.settings.duration("slow_sample_time"), context.seed};
  }
  std::string fault;
  std::uint64_t after;
  double straggler;
};

class FaultyWorker final : public LoaderWorker {
 public:
  FaultyWorker(FaultyWork& work, Runtime& runtime, double slowness = 1)
      : work_(work), runtime_(runtime), well_(work, runtime, slowness) {}

  void fill(const BatchRequest& request, StageMeter& meter) override {
    const bool wrong = request.batch >= work_.after;
    if (wrong) end_by(work_.fault, runtime_);
    if (wrong && work_.fault == "short_batch") return fill_half(request, meter);
    const bool content = work_.fault == "wrong_content";
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
      meter.fault(sample.id, SampleFault::short_read, "loader faulty",
                  "injected fault: row left unfilled");
  }
  // The stored bytes are the image's: where a manifest says what they must be, the check of content
  // sees it.
  void tell_payload(const BatchRequest& request, StageMeter& meter) const {
    const std::size_t bytes = request.rows.tensors()[0].spec.bytes_per_row();
    for (std::size_t i = 0; i < request.rows.count(); ++i)
      meter.payload(request.samples[i].id, {request.rows.row(0, i), bytes});
  }

  const FaultyWork& work_;
  Runtime& runtime_;
  StagedWorker well_;
};

class Faulty final : public ImageLoader<FaultyWork, FaultyWorker> {
 public:
  using ImageLoader::ImageLoader;
  std::unique_ptr<LoaderWorker> worker(WorkerNumber number, Runtime& runtime) override {
    return std::make_unique<FaultyWorker>(work_, runtime, number == 0 ? work_.straggler : 1);
  }
};

}  // namespace

extern const PartDescription loader_faulty_description{
    .kind = PartKind::loader,
    .name = "faulty",
    .summary =
        "The synthetic loader with an injected fault: one that ends it or corrupts its batches, a "
        "straggling worker, slow samples, a lock.",
    .data = DataKind::image,
    .parameters = kParameters,
    .stages = kMadeStages,
    .simulated = true,
    .mock = true,
    .substitutions = kSubstitutions,
    .check = check_staged,
};

PartMaker loader_faulty_maker() { return part_maker<Faulty>(); }

}  // namespace benchbench::parts
