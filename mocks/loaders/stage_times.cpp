#include "mocks/loaders/stage_times.h"

#include <algorithm>
#include <numeric>

namespace benchbench {
namespace {

constexpr std::uint64_t kBatchTimes = 0x6261746368;  // apart from every other use of the seed
// Draws of one sample or batch that are to differ.
constexpr std::uint64_t kFirst = 0, kReads = 1, kTransforms = 2, kCollates = 3;

}  // namespace

Nanoseconds StageTimes::total() const noexcept {
  return std::accumulate(time.begin(), time.end(), Nanoseconds{0});
}

Stage StageTimes::longest() const noexcept {
  const auto max = std::max_element(time.begin(), time.end());
  return max->count() > 0 ? kMadeStages[static_cast<std::size_t>(max - time.begin())]
                          : Stage::collate;
}

void StageTimes::scale(double factor) noexcept {
  if (factor == 1) return;
  for (Nanoseconds& t : time)
    t = Nanoseconds{
        static_cast<std::int64_t>(std::llround(static_cast<double>(t.count()) * factor))};
}

StageTimeDraw::StageTimeDraw(const Settings& settings, std::uint64_t seed)
    : time_(settings),
      read_time_(settings.duration("read_time")),
      sample_time_(settings.duration("sample_time")),
      transform_time_(settings.duration("transform_time")),
      collate_time_(settings.duration("collate_time")),
      batch_time_(settings.duration("batch_time")),
      seed_(mix_seed(seed, kBatchTimes)) {}

StageTimes StageTimeDraw::of(const BatchRequest& request) const noexcept {
  StageTimes times;
  auto& [read, decode, transform, collate] = times.time;
  read = of_samples(read_time_, kReads, request);
  decode = of_samples(sample_time_, kFirst, request);
  if (slow_samples.every > 0)
    for (const SampleRef& sample : request.samples)
      if (slow_samples.slow(sample.id)) decode += slow_samples.time;
  transform = of_samples(transform_time_, kTransforms, request);
  if (request.rows.first() == 0)
    collate = of_batch(batch_time_, kFirst, request) + of_batch(collate_time_, kCollates, request);
  return times;
}

Nanoseconds StageTimeDraw::of_samples(Nanoseconds mean, std::uint64_t apart,
                                      const BatchRequest& request) const noexcept {
  if (mean.count() == 0) return mean;
  if (time_.constant()) return mean * static_cast<std::int64_t>(request.samples.size());
  Nanoseconds sum{0};
  for (const SampleRef& sample : request.samples)
    sum += time_.draw(mean, Random(apart == kFirst ? sample.seed : mix_seed(sample.seed, apart)));
  return sum;
}

Nanoseconds StageTimeDraw::of_batch(Nanoseconds mean, std::uint64_t apart,
                                    const BatchRequest& request) const noexcept {
  if (mean == Nanoseconds{0}) return mean;  // whatever is drawn: no random number for nothing
  const std::uint64_t seed = mix_seed(seed_, request.batch);
  return time_.draw(mean, Random(apart == kFirst ? seed : mix_seed(seed, apart)));
}

}  // namespace benchbench
