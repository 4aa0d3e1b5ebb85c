// A loader that takes the times another one took: batch b the time number first + b of a series,
// round and round.
#include <array>
#include <filesystem>

#include "harness/part/part_maker.h"
#include "mocks/deadline_chain.h"
#include "mocks/loaders/image_loader.h"
#include "mocks/replayed_times.h"
#include "mocks/shared_lock.h"

namespace benchbench::parts {
namespace {

constexpr std::string_view kPerNames[] = {"auto", "batch", "worker"};
constexpr std::array kPerParameters = {choice_parameter(
    "per", "auto",
    "What a time applies to: batch (from one batch of the whole loader to the next, regardless "
    "of the number of workers), worker (each worker takes it, concurrently), auto (batch for "
    "the folder of a stored run, whose times are those of all its workers together; worker for "
    "a file).",
    kPerNames)};
constexpr auto kParameters = joined(joined(kImageParameters, kReplayParameters), kPerParameters);
constexpr Stage kStages[] = {Stage::decode};

// The waits of a run with W workers are the whole loader's: W workers that took one each, all at
// once, would be W times as fast. So batches are due one after another on one schedule. Like a
// DeadlineChain it counts from when a batch could have begun, and is no further behind than one of
// those may be.
class BatchSchedule {
 public:
  explicit BatchSchedule(MockTimeSum& sum) : sum_(sum) {}
  TimePoint next(TimePoint entered, TimePoint issued, Nanoseconds time, Runtime& runtime) {
    Guard guard(lock_.on(runtime));
    const TimePoint could = issued == kNotKnown ? entered : issued;
    const TimePoint earliest = entered - std::max(time, DeadlineChain::kMaxBehind);
    const TimePoint begin = std::max(due_, std::min(could, entered));
    // With what is given up as lost.
    sum_.add({time, time + std::max(earliest - begin, Nanoseconds{0}), 1});
    due_ = std::max(begin, earliest) + time;
    return due_;
  }

 private:
  SharedLock lock_;
  TimePoint due_ = TimePoint::min();  // guarded
  MockTimeSum& sum_;
};

bool is_per_batch(const Settings& settings) {
  const std::string_view per = settings.text("per");
  std::error_code ignored;
  return per == "batch" || (per == "auto" && std::filesystem::is_directory(
                                                 std::string(settings.text("times")), ignored));
}

struct ReplayWork {
  explicit ReplayWork(const LoaderContext& context)
      : images(context),
        times(context.times, context.first_time, "batch"),
        spend(spend_from(context.settings)),
        per_batch(is_per_batch(context.settings)) {}
  MadeImages images;
  ReplayedTimes times;
  Spend spend;
  bool per_batch;
  MockTimeSum mock_time;
  BatchSchedule schedule{mock_time};
};

class ReplayWorker final : public LoaderWorker {
 public:
  ReplayWorker(ReplayWork& work, Runtime& runtime)
      : work_(work), runtime_(runtime), chain_(runtime, work.spend) {}
  ~ReplayWorker() override { work_.mock_time.add(chain_.time()); }

  // Where workers share a batch, its time falls to the one with the first row.
  void fill(const BatchRequest& request, StageMeter& meter) override {
    const TimePoint entered = runtime_.now();
    const Nanoseconds time =
        request.rows.first() == 0 ? work_.times.of(request.batch) : Nanoseconds{0};
    if (work_.per_batch && request.rows.first() == 0) {
      const TimePoint due = work_.schedule.next(entered, request.issued, time, runtime_);
      const StageScope scope(meter, runtime_, request.batch, Stage::decode);
      work_.images.write(request);
      runtime_.spend_until(due, work_.spend);
      return;
    }
    chain_.begin(entered, request.issued, time);
    const StageScope scope(meter, runtime_, request.batch, Stage::decode);
    work_.images.write(request);
    chain_.spend(time);
    chain_.end_piece(request.rows.first() == 0);
  }

 private:
  ReplayWork& work_;
  Runtime& runtime_;
  DeadlineChain chain_;
};

}  // namespace

extern const PartDescription loader_replay_description{
    .kind = PartKind::loader,
    .name = "replay",
    .summary =
        "Delivers synthetic images, each batch in the time of a measured one from a CSV file or a "
        "stored run.",
    .data = DataKind::image,
    .parameters = kParameters,
    .stages = kStages,
    .simulated = true,
    .mock = true,
    .check = check_images,
};

PartMaker loader_replay_maker() { return part_maker<ImageLoader<ReplayWork, ReplayWorker>>(); }

}  // namespace benchbench::parts
