// In storage order through a buffer: what streams of shards can shuffle.
#include <algorithm>
#include <vector>

#include "harness/core/random.h"
#include "harness/part/part_maker.h"
#include "harness/pipeline/sampling/rank_share.h"

namespace benchbench {
namespace {

// As tf.data's shuffle(buffer_size) and WebDataset's: the buffer is filled from the stream, then a
// random one of it is given out and the next of the stream takes its place; at the stream's end the
// rest comes out in random order. Each rank has a stream and a buffer of its own.
class ShuffleBuffer final : public SeededSampler {
 public:
  explicit ShuffleBuffer(const SamplerContext& context)
      : SeededSampler(context),
        seed_of_rank_(mix_seed(context.seed, context.rank)),
        buffer_(std::min(share_.samples(),
                         static_cast<std::uint64_t>(context.settings.integer("buffer_size")))) {}
  void begin(Epoch epoch, std::span<SampleId> order) override {
    Random random(mix_seed(seed_of_rank_, epoch));
    std::uint64_t next = 0;
    std::uint64_t held = buffer_.size();
    for (SampleId& id : buffer_) id = share_.stored(next++);
    for (SampleId& given : order) {
      SampleId& chosen = buffer_[random.below(held)];
      given = chosen;
      chosen = next < share_.samples() ? share_.stored(next++) : buffer_[--held];
    }
  }

 private:
  std::uint64_t seed_of_rank_;
  std::vector<SampleId> buffer_;
};

constexpr Parameter kParameters[] = {
    {"buffer_size", ParameterType::integer, "1000",
     "Samples in the buffer: 1 keeps storage order, the size of the dataset shuffles all of it.", 1,
     1e9},
};

}  // namespace

namespace parts {
extern const PartDescription sampler_shuffle_buffer_description{
    .kind = PartKind::sampler,
    .name = "shuffle_buffer",
    .summary =
        "Storage order through a buffer from which a random sample is drawn each time, as tf.data "
        "and WebDataset shuffle streams.",
    .parameters = kParameters,
    .simulated = true,
};
PartMaker sampler_shuffle_buffer_maker() { return part_maker<ShuffleBuffer>(); }
}  // namespace parts
}  // namespace benchbench
