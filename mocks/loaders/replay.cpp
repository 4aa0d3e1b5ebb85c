// A loader that takes the times another one took: batch b the time number b of a series, round and round.
#include "harness/part/catalog.h"
#include "mocks/deadline_chain.h"
#include "mocks/loaders/made_images.h"
#include "mocks/replayed_times.h"

namespace benchbench::parts {
namespace {

constexpr auto kParameters = joined(kImageParameters, kReplayParameters);
constexpr Stage kStages[] = {Stage::decode};

struct ReplayWork {
  MadeImages images;
  ReplayedTimes times;
  Spend spend;
};

class ReplayWorker final : public LoaderWorker {
 public:
  ReplayWorker(const ReplayWork& work, Runtime& runtime)
      : work_(work), runtime_(runtime), chain_(runtime, work.spend) {}

  // Where workers share a batch, its time falls to the one with the first row.
  void fill(const Ticket& ticket, StageMeter& meter) override {
    const TimePoint entered = runtime_.now();
    const Nanoseconds time = ticket.rows.first() == 0 ? work_.times.of(ticket.batch) : Nanoseconds{0};
    chain_.begin(entered, ticket.issued, time);
    const StageScope scope(meter, runtime_, ticket.batch, Stage::decode);
    work_.images.write(ticket);
    chain_.spend(time);
  }

 private:
  const ReplayWork& work_;
  Runtime& runtime_;
  DeadlineChain chain_;
};

class Replay final : public Loader {
 public:
  explicit Replay(const LoaderContext& context)
      : work_{MadeImages(context.settings), ReplayedTimes(context.times, "batch"),
              spend_from(context.settings.text("wait"))} {}
  Layout layout() const override { return work_.images.layout(); }
  BatchSpec spec() const override { return work_.images.spec(); }
  std::uint32_t classes() const override { return work_.images.classes(); }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<ReplayWorker>(work_, runtime);
  }

 private:
  ReplayWork work_;
};

}  // namespace

extern const PartDescription loader_replay_description;
const PartDescription loader_replay_description{
    .kind = PartKind::loader,
    .name = "replay",
    .summary =
        "Hands over made-up images, each batch in the time a measured one took: from a CSV file or a stored "
        "run.",
    .data = DataKind::image,
    .parameters = kParameters,
    .stages = kStages,
    .simulated = true,
    .mock = true,
};

PartMaker loader_replay_maker() {
  PartMaker maker;
  maker.loader = [](const LoaderContext& context) -> std::unique_ptr<Loader> {
    return std::make_unique<Replay>(context);
  };
  return maker;
}

}  // namespace benchbench::parts
