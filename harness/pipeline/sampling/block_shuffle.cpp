// Blocks in random order, shuffled a few at a time: reads stay large and the order is nearly
// random.
#include <algorithm>
#include <vector>

#include "harness/core/permutation.h"
#include "harness/part/part_maker.h"
#include "harness/pipeline/sampling/rank_share.h"

namespace benchbench {
namespace {

// Blocks of consecutive samples are permuted; then `window` blocks at a time their samples are.
// Like `random`, every rank draws the same order and takes its positions of it.
class BlockShuffle final : public SeededSampler {
 public:
  explicit BlockShuffle(const SamplerContext& context)
      : SeededSampler(context),
        block_(static_cast<std::uint64_t>(context.settings.integer("block_size"))),
        window_(static_cast<std::uint64_t>(context.settings.integer("window"))),
        blocks_((share_.all() + block_ - 1) / block_) {}
  void begin(Epoch epoch, std::span<SampleId> order) override {
    Random random(mix_seed(seed_, epoch));
    draw_permutation(blocks_, random);
    std::uint64_t given = 0, position = 0;  // of this rank; of the whole order
    for (std::size_t first = 0; first < blocks_.size(); first += window_) {
      take_window(std::span(blocks_).subspan(
          first, std::min<std::size_t>(window_, blocks_.size() - first)));
      permute(std::span(samples_), random);
      for (const SampleId id : samples_) {
        if (given < order.size() && position++ == share_.position(given)) order[given++] = id;
      }
    }
  }

 private:
  void take_window(std::span<const std::uint64_t> blocks) {
    samples_.clear();
    for (const std::uint64_t block : blocks) {
      const SampleId end = std::min(share_.all(), (block + 1) * block_);
      for (SampleId id = block * block_; id < end; ++id) samples_.push_back(id);
    }
  }

  std::uint64_t block_, window_;
  std::vector<std::uint64_t> blocks_;
  std::vector<SampleId> samples_;  // of the window under way
};

constexpr Parameter kParameters[] = {
    {"block_size", ParameterType::integer, "256",
     "Samples in a block, which are adjacent in storage and requested at about the same time.", 1,
     1e9},
    {"window", ParameterType::integer, "16",
     "Number of blocks whose samples are shuffled together; 1 shuffles within each block only.", 1,
     1e9},
};

}  // namespace

namespace parts {
extern const PartDescription sampler_block_shuffle_description{
    .kind = PartKind::sampler,
    .name = "block_shuffle",
    .summary =
        "Blocks of neighbouring samples in random order, with the samples of a few blocks shuffled "
        "together: neighbours are requested at about the same time.",
    .parameters = kParameters,
    .simulated = true,
};
PartMaker sampler_block_shuffle_maker() { return part_maker<BlockShuffle>(); }
}  // namespace parts
}  // namespace benchbench
